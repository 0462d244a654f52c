import type { Simulation } from '../Simulation.ts'

/** What is told of a scenario that was just loaded. */
export async function loaded({ store }: Simulation): Promise<{
  status: 200
  body: { scenario: string; accounts: string[] }
}> {
  const { name } = await store.scenario()
  return { status: 200, body: { scenario: name, accounts: await store.logins() } }
}
