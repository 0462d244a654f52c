import type { AdminOperation } from '../AdminOperation.ts'

export const listSnapshots: AdminOperation<'listSnapshots'> = (_asked, { store: { snapshots } }) => ({
  status: 200,
  body: snapshots,
})
