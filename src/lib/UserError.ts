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

/** An error that the user can fix. The message says how, usually in one line. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: ErrorCode

  /** @param options `cause`: the underlying error; `code`: defaults to `ERR_PROXYSIM_USAGE` */
  constructor(message: string, options: ErrorOptions & { code?: ErrorCode } = {}) {
    super(message, options)
    this.code = options.code ?? 'ERR_PROXYSIM_USAGE'
  }
}
