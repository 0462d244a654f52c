import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { createValidator, type Validator } from '../contract/validator/createValidator.ts'
import { shipped } from '../packageRoot.ts'

const file = shipped('admin.openapi.yaml')

/** The control plane's contract and its validator. */
export interface AdminContract {
  contract: Contract
  /** Loaded on first use: a health check during startup doesn't have to wait for it. */
  validator: () => Promise<Validator>
}

let opened: Promise<AdminContract> | undefined

/** Read once per process, as it is the same for every simulator. */
export function adminContract(): Promise<AdminContract> {
  opened ??= open()
  return opened
}

async function open(): Promise<AdminContract> {
  const contract = await loadContract(file)
  let validator: Promise<Validator> | undefined
  return { contract, validator: () => (validator ??= createValidator(contract)) }
}
