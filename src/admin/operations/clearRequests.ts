import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const clearRequests: AdminOperation<'clearRequests'> = async ({ query: { account } }, simulation) => {
  await readFilter(simulation, account === undefined ? {} : { account }) // rejects an unknown account
  await simulation.store.clearJournal(account)
  return { status: 204 }
}
