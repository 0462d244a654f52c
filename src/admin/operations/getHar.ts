import { har, harEntries } from '../../journal/har.ts'
import { readEntries } from '../../journal/readEntries.ts'
import { jsonChunks } from '../../jsonChunks.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const getHar: AdminOperation<'getHar'> = async ({ query: { limit, ...filter } }, simulation) => {
  const { found } = await select(simulation, filter, limit)
  const entries = await readEntries(found.toReversed())
  return { status: 200, pieces: jsonChunks(har(harEntries(entries)), 3) }
}
