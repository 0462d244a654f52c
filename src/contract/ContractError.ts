import { UserError } from '../lib/UserError.ts'

/** A document that can't be used as a contract. The message gives the reason. */
export class ContractError extends UserError {
  override readonly name = 'ContractError'
  override readonly code = 'ERR_PROXYSIM_CONTRACT'
}
