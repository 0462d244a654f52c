import { har } from '../../journal/har.ts'
import { readEntries } from '../../journal/readEntries.ts'
import { version } from '../../version.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const getHar: AdminOperation<'getHar'> = async ({ query: { limit, ...filter } }, simulation) => {
  const { found } = select(simulation, filter, limit)
  return { status: 200, body: har(await readEntries(found.toReversed()), version) }
}
