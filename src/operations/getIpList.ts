import { ipListCsv, ipListEntries, ipListLine } from '../world/ipList.ts'
import { findService, requireActive } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getIpList: Operation<'getIpList'> = (input, world) => {
  const { id, typel, formatl } = input.path()
  const service = findService(world, id)
  requireActive(service, id)
  const entries = ipListEntries(world, id, service, typel)
  switch (formatl) {
    case 'txt':
      return { type: 'text/plain', body: entries.map((entry) => `${ipListLine(entry)}\n`).join('') }
    case 'csv':
      return { type: 'text/csv', body: ipListCsv(entries, typel) }
    case 'json': // the document shows no layout: assumption `ipListJson`
      return {
        type: 'application/json',
        body: world.assumptions.ipListJson === 'strings' ? entries.map(ipListLine) : entries,
      }
  }
}
