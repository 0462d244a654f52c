import { har } from '../../journal/har.ts'
import { version } from '../../version.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { select } from '../readFilter.ts'

export const getHar: AdminOperation<'getHar'> = ({ query: { limit, ...filter } }, simulation) => {
  const { found } = select(simulation, filter, limit)
  const { log } = har(
    found.toReversed().map(({ entry }) => entry),
    version,
  )
  return { status: 200, body: { log: { ...log } } }
}
