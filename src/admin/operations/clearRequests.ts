import type { AdminOperation } from '../AdminOperation.ts'

export const clearRequests: AdminOperation<'clearRequests'> = (_asked, simulation) => {
  simulation.clearJournal()
  return { status: 204 }
}
