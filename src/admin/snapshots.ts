import { notFound } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import type { Snapshot } from '../contract/shapes.ts'

export const listSnapshots: AdminOperation<'listSnapshots'> = async (_input, { store }) =>
  (await store.snapshots()).map(toResponse)

export const takeSnapshot: AdminOperation<'takeSnapshot'> = async (_input, { store }) =>
  toResponse(await store.takeSnapshot())

export const restoreSnapshot: AdminOperation<'restoreSnapshot'> = async ({ path: { id } }, { store }) => {
  const restored = await store.restore(id)
  if (restored) return restored
  const ids = (await store.snapshots()).map((one) => one.id)
  throw notFound('snapshot', id, ids)
}

function toResponse({ id, time, scenario }: Snapshot): Snapshot {
  return { id, time, scenario }
}
