import type { TlsOptions } from './http/tls.ts'
import type { Readings } from './scenario/ScenarioDocument.ts'
import { inspect } from 'node:util'
import { UserError } from './lib/UserError.ts'
import { noSuch } from './world/nearest.ts'

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

interface Rule {
  accepts: (value: unknown) => boolean
  /** What the option must be */
  words: string
  /** Whether its value stays out of messages */
  secret?: boolean
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isPem = (value: unknown): boolean => isText(value) || Buffer.isBuffer(value)

const text: Rule = { accepts: isText, words: 'a string' }
const texts: Rule = {
  accepts: (value) => Array.isArray(value) && value.every(isText),
  words: 'an array of strings',
}
const flag: Rule = { accepts: (value) => typeof value === 'boolean', words: 'true or false' }
const count: Rule = { accepts: isWhole, words: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}` }

const rules = {
  scenario: {
    accepts: (value) => isText(value) || isObject(value),
    words: 'the name of a scenario, a file, or the scenario itself',
  },
  port: {
    accepts: (value) => isWhole(value) && value <= 65_535,
    words: 'a whole number from 0 (any free port) to 65535',
  },
  host: text,
  allowedHosts: texts,
  adminToken: text,
  cors: texts,
  tls: {
    accepts: (value) =>
      isObject(value) && ['cert', 'key'].every((name) => isPem((value as Record<string, unknown>)[name])),
    words: 'an object { cert, key } of two texts in PEM',
    secret: true,
  },
  db: { accepts: (value) => isText(value) && value !== '', words: 'the name of a file' },
  store: text,
  storePrefix: { accepts: (value) => isText(value) && value !== '', words: 'a text that is not empty' },
  scenarios: text,
  contract: text,
  assumptions: { accepts: isObject, words: 'an object such as { productSort: "desc" }' },
  explain: flag,
  journal: count,
  logLevel: {
    accepts: (value) => logLevels.some((level) => level === value),
    words: `one of: ${logLevels.join(', ')}`,
  },
} satisfies Record<keyof SimulatorOptions, Rule>

/**
 * Checks names, types and ranges, as programs in plain JavaScript have no compiler that does. What a value means is
 * checked where it is used, before anything is opened.
 * @throws UserError
 */
export function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw new UserError(`The options must be an object such as { port: 4010 }, not ${shown(options)}.`)
  const given = options as Record<string, unknown>
  const names = Object.keys(rules)
  for (const name of Object.keys(given))
    if (!Object.hasOwn(rules, name)) throw new UserError(noSuch('option', name, names))
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const value = given[name]
    if (value === undefined || rule.accepts(value)) continue
    // A token stays out of messages.
    const not = rule === text || rule.secret ? '' : `, not ${shown(value)}`
    throw new UserError(`The option ${name} must be ${rule.words}${not}.`)
  }
  const { store, storePrefix } = given as SimulatorOptions
  if (store !== undefined) return
  if (storePrefix !== undefined)
    throw new UserError(
      `The prefix ${JSON.stringify(storePrefix)} (storePrefix) needs a shared store (store).`,
    )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 })
}
