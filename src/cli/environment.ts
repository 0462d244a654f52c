import type { RunningSimulator } from '../server.ts'

/** The environment of a command that runs against a simulator: its URL, and the first account. */
export function environment({ url, simulation }: RunningSimulator): Record<string, string> {
  const [login = '', world] = Object.entries(simulation.store.state.accounts)[0] ?? []
  return { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: world?.password ?? '' }
}
