import type { Readings } from './scenario/ScenarioDocument.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** How a simulator is started. */
export interface SimulatorOptions {
  /** A scenario's name, or a file. Without one, and with a file that holds a state, that state is resumed. */
  scenario?: string
  /** TCP port; 0 takes a free one. */
  port?: number
  /** Name or address to bind to: 127.0.0.1 */
  host?: string
  /** Host names to answer to, beside localhost, 127.0.0.1, [::1] and `host` */
  allowedHosts?: string[]
  /** Demanded on the control plane (`Authorization: Bearer` or `X-Admin-Token`); a must where others can reach `host` */
  adminToken?: string
  /** Origins whose pages may use `/api`: `http://localhost:3000` */
  cors?: string[]
  /** File that the state lasts in; absent: it lives in memory. */
  db?: string
  /** Wait for the disk itself at every change, so that it outlives a loss of power too. */
  fsync?: boolean
  /** A folder with more scenarios */
  scenarios?: string
  /** Another OpenAPI file than the shipped one */
  contract?: string
  /** Readings of what the documentation leaves open, for every scenario that is loaded: `{ productSort: 'desc' }` */
  assumptions?: Readings
  /** Whether refusals say why (`Sim-Case`, `Sim-Reason`); on unless false. */
  explain?: boolean
  /** Entries that the journal keeps: 1000 */
  journal?: number
  /** What is written to standard error: `silent` */
  logLevel?: LogLevel
}
