/**
 * The kind of error, for programs: codes are stable, messages aren't.
 *
 * | Code | Meaning |
 * | --- | --- |
 * | `ERR_PROXYSIM_USAGE` | an option or flag is invalid |
 * | `ERR_PROXYSIM_PORT_TAKEN` | another program listens on the port |
 * | `ERR_PROXYSIM_SCENARIO` | a scenario is unknown, unreadable or invalid |
 * | `ERR_PROXYSIM_CONTRACT` | the OpenAPI file can't be used as a contract |
 * | `ERR_PROXYSIM_STORAGE` | the state file can't be read, written or used |
 * | `ERR_PROXYSIM_UNREACHABLE` | no simulator answers at the URL |
 * | `ERR_PROXYSIM_REFUSED` | the simulator refused a call: see `SimulatorError` |
 * | `ERR_PROXYSIM_ACCOUNT` | there is no such account, or there are several and the login is missing |
 */
export type ErrorCode =
  | 'ERR_PROXYSIM_USAGE'
  | 'ERR_PROXYSIM_PORT_TAKEN'
  | 'ERR_PROXYSIM_SCENARIO'
  | 'ERR_PROXYSIM_CONTRACT'
  | 'ERR_PROXYSIM_STORAGE'
  | 'ERR_PROXYSIM_UNREACHABLE'
  | 'ERR_PROXYSIM_REFUSED'
  | 'ERR_PROXYSIM_ACCOUNT'

/** An error that the user can fix. The message says what is wrong and how to fix it, usually in one line. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: ErrorCode
  /** The problem, as a sentence */
  readonly problem: string
  /** How to fix it; empty if the problem implies it */
  readonly advice: string
  /** The names of the options that cause the error or would fix it, such as `port`; `url` and `account` for a running simulator */
  options: readonly string[]

  /** @param details `cause`: the underlying error; `code`: defaults to `ERR_PROXYSIM_USAGE` */
  constructor(problem: string, details: ErrorDetails = {}) {
    const { advice = '', options = [], code = 'ERR_PROXYSIM_USAGE', cause } = details
    super([problem, advice].filter(Boolean).join(' '), cause === undefined ? {} : { cause })
    this.code = code
    this.problem = problem
    this.advice = advice
    this.options = options
  }
}

export interface ErrorDetails {
  advice?: string
  options?: readonly string[]
  code?: ErrorCode
  cause?: unknown
}

/** Runs a step that uses an option. An error of the step concerns this option, unless it names others. */
export async function using<T>(option: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof UserError && error.options.length === 0) error.options = [option]
    throw error
  }
}
