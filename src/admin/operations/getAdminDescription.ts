import { adminContract } from '../adminContract.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const getAdminDescription: AdminOperation<'getAdminDescription'> = async () => ({
  status: 200,
  type: 'application/yaml',
  text: (await adminContract()).contract.source,
})
