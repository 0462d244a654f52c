import { UserError } from '../UserError.ts'

/** A document that can't serve as a contract; the message says what is wrong with it. */
export class ContractError extends UserError {
  override readonly name = 'ContractError'
  override readonly code = 'ERR_PROXYSIM_CONTRACT'
}
