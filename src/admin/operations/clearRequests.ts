import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const clearRequests: AdminOperation<'clearRequests'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // rejects an unknown account
  await simulation.store.clearJournal(query.account)
  return { status: 204 }
}
