import type { Contract } from '../Contract.ts'
import { createValidator, type Validator } from './createValidator.ts'

const validators = new WeakMap<Contract, Promise<Validator>>()

/** A contract's validator, shared by all simulators in the process. */
export function validatorOf(contract: Contract): Promise<Validator> {
  const known = validators.get(contract)
  if (known) return known
  const created = createValidator(contract)
  validators.set(contract, created)
  created.catch(() => validators.delete(contract))
  return created
}
