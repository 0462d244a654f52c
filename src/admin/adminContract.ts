import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { createValidator, type Validator } from '../contract/validator/createValidator.ts'
import { shipped } from '../packageRoot.ts'

const file = shipped('admin.openapi.yaml')

/** The control plane's own description, and what checks requests against it. */
export interface AdminContract {
  contract: Contract
  /** Loaded when something is to be checked: a health check needs none, and comes while it would be loading. */
  validator: () => Promise<Validator>
}

let opened: Promise<AdminContract> | undefined

/** Read at the first call, and kept: it is the same for every simulator of the process. */
export function adminContract(): Promise<AdminContract> {
  opened ??= open()
  return opened
}

async function open(): Promise<AdminContract> {
  const contract = await loadContract(file)
  let validator: Promise<Validator> | undefined
  return { contract, validator: () => (validator ??= createValidator(contract)) }
}
