import { readEntries } from '../../journal/readEntries.ts'
import { jsonChunks } from '../../jsonChunks.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const listRequests: AdminOperation<'listRequests'> = async (
  { query: { limit, ...filter } },
  simulation,
) => {
  const { total, found, dropped } = await select(simulation, filter, limit)
  const requests = await readEntries(found)
  return { status: 200, pieces: jsonChunks({ total, requests, dropped }, 2) }
}
