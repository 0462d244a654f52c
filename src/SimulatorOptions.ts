import type { Readings } from './scenario/ScenarioDocument.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** How a simulator is started. */
export interface SimulatorOptions {
  /**
   * A scenario's name, or a file. Without one, and with a `db` that holds a state, that state is resumed.
   * @default 'default'
   */
  scenario?: string
  /**
   * TCP port; 0 takes a free one.
   * @default 0
   */
  port?: number
  /**
   * Name or address to bind to. Beyond this machine an `adminToken` is required.
   * @default '127.0.0.1'
   */
  host?: string
  /**
   * Host names to answer to, beside localhost, 127.0.0.1, [::1] and `host`
   * @default []
   * @example ['sim']
   */
  allowedHosts?: string[]
  /** Required on the control plane (`Authorization: Bearer` or `X-Admin-Token`); none unless named. */
  adminToken?: string
  /**
   * Origins whose pages may use `/api`
   * @default []
   * @example ['http://localhost:3000']
   */
  cors?: string[]
  /** File that the state lasts in; in memory unless named. */
  db?: string
  /**
   * Wait for the disk itself at every change, so that it survives a loss of power too.
   * @default false
   */
  fsync?: boolean
  /**
   * Redis that the state is shared in, instead of `db`: any number of simulators with the same store and prefix are one.
   * @example 'redis://127.0.0.1:6379'
   */
  store?: string
  /**
   * Which of the sandboxes in the store it is
   * @default 'proxysim'
   */
  storePrefix?: string
  /**
   * With a `store`: how long an account may be idle before it is deleted, as an ISO 8601 duration. Accounts of the
   * scenario stay. Accounts stay however long unless it is set.
   * @example 'P7D'
   */
  accountTtl?: string
  /** With a `store`: how many accounts there may be; creating another is refused (409). Unlimited unless set. */
  maxAccounts?: number
  /**
   * Whether `/__admin/metrics` tells Prometheus of the requests
   * @default false
   */
  metrics?: boolean
  /** A folder with more scenarios */
  scenarios?: string
  /** Another OpenAPI file than the shipped one */
  contract?: string
  /**
   * Readings of what the documentation leaves open, for every scenario that is loaded
   * @default {}
   * @example { productSort: 'desc' }
   */
  assumptions?: Readings
  /**
   * Whether refusals say why (`Sim-Case`, `Sim-Reason`)
   * @default true
   */
  explain?: boolean
  /**
   * Entries that the journal keeps
   * @default 1000
   */
  journal?: number
  /**
   * What is written to standard error
   * @default 'silent'
   */
  logLevel?: LogLevel
}

/** How one is started whose state is its own process's. */
export type LocalOptions = Omit<SimulatorOptions, 'store' | 'storePrefix' | 'accountTtl' | 'maxAccounts'> & {
  store?: never
}
