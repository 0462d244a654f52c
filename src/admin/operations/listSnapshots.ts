import type { AdminOperation } from '../AdminOperation.ts'

export const listSnapshots: AdminOperation<'listSnapshots'> = async (_input, { store }) => ({
  status: 200,
  body: await store.snapshots(),
})
