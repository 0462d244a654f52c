import type { Simulation } from '../Simulation.ts'

/** The response after a scenario was loaded. */
export async function loaded({ store }: Simulation): Promise<{
  status: 200
  body: { scenario: string; accounts: string[] }
}> {
  const { name } = await store.scenario()
  return { status: 200, body: { scenario: name, accounts: await store.logins() } }
}
