/**
 * What kind of thing went wrong, for programs: codes stay, while messages get better.
 *
 * | code | |
 * | --- | --- |
 * | `ERR_PROXYSIM_USAGE` | an option or a flag is wrong |
 * | `ERR_PROXYSIM_PORT_TAKEN` | another program listens on the port |
 * | `ERR_PROXYSIM_SCENARIO` | a scenario is unknown, can't be read or is wrong |
 * | `ERR_PROXYSIM_CONTRACT` | the OpenAPI file can't serve as a contract |
 * | `ERR_PROXYSIM_STORAGE` | the file of the state can't be read, written or used |
 * | `ERR_PROXYSIM_UNREACHABLE` | no simulator answers at the address |
 * | `ERR_PROXYSIM_REFUSED` | the simulator refused a call: see `SimulatorError` |
 * | `ERR_PROXYSIM_ACCOUNT` | there is no such account, or several and none was named |
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

/** Something that whoever started us can mend; the message is all they need, one line where it can be. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: ErrorCode

  /** @param options `cause`: the error that led to this one; `code`: `ERR_PROXYSIM_USAGE` unless named */
  constructor(message: string, options: ErrorOptions & { code?: ErrorCode } = {}) {
    super(message, options)
    this.code = options.code ?? 'ERR_PROXYSIM_USAGE'
  }
}
