import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { packagePath } from '../lib/files.ts'

/** Loads the control plane's contract (`admin.openapi.yaml`). Parsed once per process. */
export function adminContract(): Promise<Contract> {
  return loadContract(packagePath('admin.openapi.yaml'))
}
