import type { Simulation } from '../Simulation.ts'

/** What is told of a scenario that was just loaded. */
export function loaded({ store: { state } }: Simulation): {
  status: 200
  body: { scenario: string; accounts: string[] }
} {
  return { status: 200, body: { scenario: state.scenario.name, accounts: Object.keys(state.accounts) } }
}
