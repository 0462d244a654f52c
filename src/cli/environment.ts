import { localState } from '../Simulation.ts'
import type { RunningSimulator } from '../server.ts'

/** The environment of a command that runs against a simulator: its URL, and the first account. */
export function environment({ url, simulation }: RunningSimulator): Record<string, string> {
  const [login = '', world] = [...localState(simulation).accounts][0] ?? []
  return { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: world?.password ?? '' }
}
