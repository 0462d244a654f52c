import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

export const clearRequests: AdminOperation<'clearRequests'> = ({ query: { account } }, simulation) => {
  readFilter(simulation, account === undefined ? {} : { account }) // an unknown account is told
  simulation.store.clearJournal(account)
  return { status: 204 }
}
