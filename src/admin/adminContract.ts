import { loadContract } from '../contract/loadContract.ts'
import { createValidator, type Validator } from '../contract/validator/createValidator.ts'
import { shipped } from '../packageRoot.ts'

const file = shipped('admin.openapi.yaml')

let opened: ReturnType<typeof open> | undefined

/** The control plane's contract and its validator. Read once per process, as it is the same for every simulator. */
export function adminContract(): ReturnType<typeof open> {
  return (opened ??= open())
}

async function open() {
  const contract = await loadContract(file)
  let validator: Promise<Validator> | undefined
  return {
    contract,
    // Loaded on first use: a health check during startup doesn't have to wait for it.
    validator: () => (validator ??= createValidator(contract)),
  }
}
