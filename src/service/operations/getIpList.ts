import { refuseWith, type Refuse } from '../refuse.ts'
import { listAddresses } from '../addresses.ts'
import { findService, requireActive } from '../services.ts'
import type { Operation, PathOf, Run } from './Operation.ts'

const refuse: Refuse<'getIpList'> = refuseWith

const types = {
  'http-ip': { productType: 'fpr', port: 8080, withLogin: false },
  'socks-ip': { productType: 'fpr', port: 1080, withLogin: false },
  'http-auth': { productType: 'fpr', port: 8080, withLogin: true },
  'ppr-http': { productType: 'ppr', port: 8080, withLogin: true },
  'ppr-socks': { productType: 'ppr', port: 1080, withLogin: true },
} as const satisfies Record<PathOf<'getIpList'>['typel'], object>

const run: Run<'getIpList'> = (input, world) => {
  const { id, typel, formatl } = input.requirePath()
  const service = findService(world, id)
  requireActive(service, id)
  const { productType, port, withLogin } = types[typel]
  const { product_type, username, password } = service
  if (product_type !== productType)
    refuse(
      'unprocessable',
      `lists of type ${typel} are for ${productType} services; service ${id} is ${product_type}`,
    )
  // The documentation shows no layout: assumptions `ipListLayout`, `ipListJson` and `ipListType`.
  const { ipListJson, ipListLayout, ipListType } = world.assumptions
  const toContentType = (format: string): string => (ipListType === 'plain' ? 'text/plain' : format)
  const isFull = ipListLayout === 'full'
  const login = withLogin ? { username, password } : {}
  const entries = listAddresses(world, id, service).map((ip) => ({ ip, port, ...login }))
  const rows = entries.map((entry) => (isFull ? Object.values(entry) : [entry.ip]))
  // Proxy clients accept `ip:port` or `ip:port:username:password`.
  const lines = rows.map((row) => row.join(':'))
  switch (formatl) {
    case 'txt':
      return { contentType: 'text/plain', body: lines.map((line) => `${line}\n`).join('') }
    case 'csv': {
      const columns = isFull ? ['ip', 'port', ...Object.keys(login)] : ['ip']
      const csv = [columns, ...rows.map((row) => row.map(quoteCsvField))]
      return { contentType: toContentType('text/csv'), body: csv.map((row) => `${row.join(',')}\n`).join('') }
    }
    case 'json':
      return {
        contentType: toContentType('application/json'),
        body: isFull && ipListJson === 'objects' ? entries : lines,
      }
  }
}

/** Quotes a field if necessary (RFC 4180). */
function quoteCsvField(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const getIpList: Operation<'getIpList'> = {
  run,
  dependsOnTime: false,
}
