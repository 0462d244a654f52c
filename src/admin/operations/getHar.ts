import { har, journalHarEntry } from '../../journal/har.ts'
import { listInPieces } from '../../journal/listInPieces.ts'
import { readEntries } from '../../journal/readEntries.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const getHar: AdminOperation<'getHar'> = async ({ query: { limit, ...filter } }, simulation) => {
  const { found } = await select(simulation, filter, limit)
  const entries = await readEntries(found.toReversed())
  return { status: 200, pieces: listInPieces(har([]), entries, journalHarEntry) }
}
