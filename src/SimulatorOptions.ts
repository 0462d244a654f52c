import type { Overrides } from './http/overrides.ts'
import type { TlsOptions } from './http/tls.ts'
import type { Interpretations } from './scenario/ScenarioDocument.ts'
import { UserError } from './lib/UserError.ts'
import { unknownName } from './lib/nearest.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; each includes the more severe ones */
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
   * Origins whose pages may call `/api`: of web pages, or of apps (`tauri://localhost`)
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
  /** Whether to accept a `db` that was edited after a clean stop, if it is a valid state. @default false */
  acceptEdits?: boolean
  /**
   * URL of the Redis that stores the state (instead of `db`): `redis://`, `rediss://`, or `unix:///path`. Simulators with the same store and prefix share their state.
   * @default none
   * @example 'redis://127.0.0.1:6379'
   */
  store?: string
  /**
   * Separates several states in the same store
   * @default 'proxysim'
   */
  storePrefix?: string
  /** A folder with more scenarios. @default none */
  scenarios?: string
  /**
   * Interpretations of gaps in the documentation, for every scenario that is loaded
   * @default {}
   * @example { productSort: 'desc' }
   */
  assumptions?: Interpretations
  /**
   * Whether refusals include the reason (`Sim-Case`, `Sim-Reason`)
   * @default true
   */
  explain?: boolean
  /**
   * Functions by operationId that change responses, for behavior of the real service that no assumption covers; or the module file that
   * exports them
   * @default {}
   * @example { getCredit: (call, original) => ({ ...original(), status: 203 }) }
   */
  overrides?: Overrides | string
  /**
   * Maximum number of requests in the journal
   * @default 1000
   */
  journal?: number
  /**
   * Messages to log to standard error
   * @default 'silent'
   */
  logLevel?: LogLevel
}

/** The type of each option. What a value may be is checked where it is used. */
const types: Record<keyof SimulatorOptions, string> = {
  scenario: 'string or object',
  port: 'number',
  host: 'string',
  allowedHosts: 'array',
  adminToken: 'string',
  cors: 'array',
  tls: 'object',
  db: 'string',
  acceptEdits: 'boolean',
  store: 'string',
  storePrefix: 'string',
  scenarios: 'string',
  assumptions: 'object',
  explain: 'boolean',
  overrides: 'object or string',
  journal: 'number',
  logLevel: 'string',
}

/**
 * Checks names and types, for programs without a type checker, before anything is opened. Messages don't contain values, because
 * some are secret.
 * @throws UserError
 */
export function checkOptions(options: unknown): void {
  if (typeOf(options) !== 'object')
    throw new UserError('The options must be an object such as { port: 4010 }.')
  for (const [key, value] of Object.entries(options as SimulatorOptions)) {
    if (!Object.hasOwn(types, key)) throw new UserError(unknownName('option', key, Object.keys(types)))
    const expected = types[key as keyof SimulatorOptions]
    if (value !== undefined && !expected.split(' or ').includes(typeOf(value)))
      throw new UserError(`The option ${key} must be of type ${expected}.`)
  }
  const { port = 0, journal = 0, logLevel = 'info', store, storePrefix } = options as SimulatorOptions
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new UserError('The option port must be a whole number from 0 (any free port) to 65535.')
  if (!(Number.isSafeInteger(journal) && journal >= 0))
    throw new UserError('The option journal must be a whole number of requests.')
  if (!logLevels.includes(logLevel))
    throw new UserError(`The option logLevel must be one of: ${logLevels.join(', ')}.`)
  if (storePrefix !== undefined && store === undefined)
    throw new UserError(
      `The prefix ${JSON.stringify(storePrefix)} (storePrefix) needs a shared store (store).`,
    )
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Leftovers of a shell or an `.env` file in a name that is created rather than looked up. */
const leftovers: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'is empty'],
  [/[\u0000-\u001f\u007f-\u009f]/, 'contains a control character, such as a line break'],
  [/^\s|\s$/, 'begins or ends with a space'],
  [/^["'`“‘].*["'`”’]$/, 'is in quotes'],
  [/^~[\w+-]*(?:$|[\\/])/, 'begins with ~, which only a shell replaces'],
  [/\$[\w{(]|%\w+%|`/, 'contains a variable or a command, which only a shell replaces'],
  [/\s#/, 'contains a comment'],
  [/^(?:file:|[a-z][\w+.-]+:\/\/)/i, 'is a URL'],
]

/** @throws UserError if the name of the state has a part that was hardly meant */
export function checkNames({ db, storePrefix }: SimulatorOptions): void {
  for (const [option, name] of Object.entries({ db, storePrefix })) {
    const found = leftovers.find(([pattern]) => name !== undefined && pattern.test(name))
    if (!found) continue
    const [noun, advice] =
      option === 'db'
        ? ['state file', 'Write the plain path of a file.']
        : ['store prefix', 'Write the plain name.']
    throw new UserError(`The name of the ${noun}, ${JSON.stringify(name)}, ${found[1]}.`, {
      advice,
      options: [option],
    })
  }
}
