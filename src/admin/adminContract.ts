import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { shipped } from '../lib/files.ts'

/** The control plane's contract. */
export function adminContract(): Promise<Contract> {
  return loadContract(shipped('admin.openapi.yaml'))
}
