import { UserError } from '../lib/UserError.ts'

/** A document can't be used as a contract; the message says why. */
export class ContractError extends UserError {
  override readonly name = 'ContractError'
  override readonly code = 'ERR_PROXYSIM_CONTRACT'
}
