import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'

export const restoreSnapshot: AdminOperation<'restoreSnapshot'> = async ({ path: { id } }, simulation) => {
  const restored = await simulation.store.restore(id)
  if (restored) return { status: 200, body: restored }
  const ids = (await simulation.store.snapshots()).map((one) => one.id).join(', ') || 'none'
  throw new AdminError(404, `There is no snapshot ${JSON.stringify(id)}. There are: ${ids}.`)
}
