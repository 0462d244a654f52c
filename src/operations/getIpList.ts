import { ipListColumns, ipListCsv, ipListEntries, ipListLine } from '../world/addresses.ts'
import { findService, requireActive } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getIpList: Operation<'getIpList'> = (input, world) => {
  const { id, typel, formatl } = input.path()
  const service = findService(world, id)
  requireActive(service, id)
  const entries = ipListEntries(world, id, service, typel)
  const columns = ipListColumns(world, typel)
  const lines = entries.map((entry) => ipListLine(entry, columns))
  switch (formatl) {
    case 'txt':
      return { type: 'text/plain', body: lines.map((line) => `${line}\n`).join('') }
    case 'csv':
      return { type: 'text/csv', body: ipListCsv(entries, columns) }
    case 'json': {
      const { ipListJson, ipListLayout } = world.assumptions
      const hasObjects = ipListJson === 'objects' && ipListLayout === 'full'
      return { type: 'application/json', body: hasObjects ? entries : lines }
    }
  }
}
