import { listInPieces } from '../../journal/listInPieces.ts'
import { readEntries } from '../../journal/readEntries.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const listRequests: AdminOperation<'listRequests'> = async (
  { query: { limit, ...filter } },
  simulation,
) => {
  const { total, found, dropped } = await select(simulation, filter, limit)
  return {
    status: 200,
    pieces: listInPieces({ total, requests: [], dropped }, await readEntries(found)),
  }
}
