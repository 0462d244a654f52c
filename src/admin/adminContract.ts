import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { packagePath } from '../lib/files.ts'

let loading: Promise<Contract> | undefined

/** Loads the control plane's contract (`admin.openapi.yaml`), once per process. */
export function adminContract(): Promise<Contract> {
  return (loading ??= loadContract(packagePath('admin.openapi.yaml')))
}
