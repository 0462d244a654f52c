import { openSimulator } from 'proxysim'

/**
 * One simulator for all test files. Under `proxysim exec`, it is running already; otherwise this starts one in memory, on a
 * free port. The test files find it through PROXYSIM_URL.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const sim = await openSimulator()
  process.env['PROXYSIM_URL'] = sim.url
  return () => sim.close()
}
