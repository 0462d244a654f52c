import type { TlsOptions } from './http/tls.ts'
import type { Readings } from './scenario/ScenarioDocument.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Options of a simulator. */
export interface SimulatorOptions {
  /**
   * A scenario's name, or a file. If omitted, a state found in `db` is resumed.
   * @default 'default'
   */
  scenario?: string
  /**
   * TCP port; 0 picks a free one
   * @default 0
   */
  port?: number
  /**
   * Host name or address to bind to. An `adminToken` is required to listen beyond this machine.
   * @default '127.0.0.1'
   */
  host?: string
  /**
   * Host names to accept besides localhost, 127.0.0.1, [::1] and `host`
   * @default []
   * @example ['sim']
   */
  allowedHosts?: string[]
  /** Token required by the control plane (`Authorization: Bearer` or `X-Admin-Token`). @default none */
  adminToken?: string
  /**
   * Origins whose pages may call `/api`
   * @default []
   * @example ['http://localhost:3000']
   */
  cors?: string[]
  /**
   * Serves `https://` with this certificate and key, in PEM
   * @default none
   * @example { cert: readFileSync('cert.pem'), key: readFileSync('key.pem') }
   */
  tls?: TlsOptions
  /** File that persists the state. @default in memory */
  db?: string
  /**
   * URL of a Redis that holds the state, instead of `db`: `redis://`, `rediss://`, or `unix:///path`. Simulators with the same store and prefix share their state.
   * @example 'redis://127.0.0.1:6379'
   */
  store?: string
  /**
   * Separates sandboxes in the same store
   * @default 'proxysim'
   */
  storePrefix?: string
  /** A folder with more scenarios */
  scenarios?: string
  /** An OpenAPI file to use instead of the shipped one */
  contract?: string
  /**
   * How to read what the documentation leaves open, for every scenario that is loaded
   * @default {}
   * @example { productSort: 'desc' }
   */
  assumptions?: Readings
  /**
   * Whether refusals include the reason (`Sim-Case`, `Sim-Reason`)
   * @default true
   */
  explain?: boolean
  /**
   * Number of requests that the journal keeps
   * @default 1000
   */
  journal?: number
  /**
   * What to log to standard error
   * @default 'silent'
   */
  logLevel?: LogLevel
}
