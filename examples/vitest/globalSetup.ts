import { startSimulator } from 'proxy-reselling-simulator'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    simulatorUrl: string
  }
}

/** Starts one simulator, in memory and on a free port, and tells the test files where it is. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const sim = await startSimulator()
  project.provide('simulatorUrl', sim.url)
  return () => sim.close()
}
