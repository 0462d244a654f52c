import type { AdminOperation } from '../AdminOperation.ts'

export const listSnapshots: AdminOperation<'listSnapshots'> = (_asked, { snapshots }) => ({
  status: 200,
  body: snapshots,
})
