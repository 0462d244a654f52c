import { isUint8Array } from 'node:util/types'
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

interface Rule {
  accepts: (value: unknown) => boolean
  /** A noun phrase for the message: "must be …" */
  description: string
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isNonEmptyText = (value: unknown): boolean => isText(value) && value !== ''
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isWholeNumber = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0
const isPem = (value: unknown): boolean => isText(value) || isUint8Array(value)
const isTls = (value: unknown): boolean =>
  isObject(value) && isPem((value as TlsOptions).cert) && isPem((value as TlsOptions).key)

const text: Rule = { accepts: isText, description: 'a string' }
const texts: Rule = { accepts: isTexts, description: 'an array of strings' }

const rules: Record<keyof SimulatorOptions, Rule> = {
  scenario: {
    accepts: (value) => isText(value) || isObject(value),
    description: 'the name of a scenario, a file, or the scenario itself',
  },
  port: {
    accepts: (value) => isWholeNumber(value) && value <= 65_535,
    description: 'a whole number from 0 (any free port) to 65535',
  },
  host: text,
  allowedHosts: texts,
  adminToken: text,
  cors: texts,
  tls: { accepts: isTls, description: 'an object { cert, key } of two PEM strings' },
  db: { accepts: isNonEmptyText, description: 'the name of a file' },
  acceptEdits: { accepts: isBoolean, description: 'true or false' },
  store: text,
  storePrefix: { accepts: isNonEmptyText, description: 'a non-empty string' },
  scenarios: text,
  assumptions: { accepts: isObject, description: 'an object such as { productSort: "desc" }' },
  explain: { accepts: isBoolean, description: 'true or false' },
  overrides: {
    accepts: (value) => isObject(value) || isNonEmptyText(value),
    description: 'an object of functions, or a module file',
  },
  journal: { accepts: isWholeNumber, description: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}` },
  logLevel: {
    accepts: (value) => logLevels.some((level) => level === value),
    description: `one of: ${logLevels.join(', ')}`,
  },
}

/**
 * Checks names, types and ranges, for programs without a type checker. Values are validated
 * where they are used, before anything is opened. Messages don't contain values, because some are secret.
 * @throws UserError
 */
export function checkOptions(options: unknown): void {
  if (!isObject(options)) throw new UserError('The options must be an object such as { port: 4010 }.')
  for (const [key, value] of Object.entries(options as SimulatorOptions)) {
    if (!Object.hasOwn(rules, key)) throw new UserError(unknownName('option', key, Object.keys(rules)))
    const { accepts, description } = rules[key as keyof SimulatorOptions]
    if (value !== undefined && !accepts(value))
      throw new UserError(`The option ${key} must be ${description}.`)
  }
  const { store, storePrefix } = options as SimulatorOptions
  if (storePrefix !== undefined && store === undefined)
    throw new UserError(
      `The prefix ${JSON.stringify(storePrefix)} (storePrefix) needs a shared store (store).`,
    )
}

/** Leftovers of a shell or an `.env` file in a name that is created rather than looked up. */
const leftovers: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/[\u0000-\u001f\u007f-\u009f]/, 'contains a control character, such as a line break'],
  [/^(["']).*\1$/, 'is in quotes'],
  [/^~(?:$|[\\/])/, 'begins with ~, which only a shell replaces'],
  [/^file:/i, 'is a URL'],
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
