import { openSimulator } from 'proxysim'

/**
 * One simulator for all test files. Under `proxysim exec` there is one already; otherwise it is started here, in memory and
 * on a free port. The test files find either by PROXYSIM_URL.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const sim = await openSimulator()
  process.env['PROXYSIM_URL'] = sim.url
  return () => sim.close()
}
