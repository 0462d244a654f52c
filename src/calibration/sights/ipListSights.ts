import { isIpv4 } from '../../world/ipv4.ts'
import { isObject } from '../../world/mergePatch.ts'
import { ipLineOf } from '../ipLine.ts'
import { linesOf } from '../parts.ts'
import { anyAddress } from '../StandIns.ts'
import { implied, impliedService, seen } from './reading.ts'
import type { Extractor } from './Sight.ts'

export const ipList: Extractor = ({ path, response }, base) => {
  const { typel = '', formatl } = path
  if (response.status !== 200) return []
  const entries =
    formatl === 'json' && response.value !== undefined
      ? jsonEntries(response.value)
      : textEntries(response.body)
  const ips = entries.map(({ ip }) => ip)
  const generated = { generated: true }
  return [
    ...impliedService(base, { status: 'Active', product_type: typel.startsWith('ppr') ? 'ppr' : 'fpr' }),
    ...seen(`${base}/ips`, ips, generated),
    // An update makes other addresses, but as many.
    ...(typel.startsWith('ppr') || ips.length === 0 ? [] : [implied(`${base}/ip_count`, ips.length)]),
    ...seen(`${base}/username`, entries[0]?.username, generated),
    ...seen(`${base}/password`, entries[0]?.password, generated),
  ]
}

interface Entry {
  ip: string
  username?: string
  password?: string
}

function jsonEntries(value: unknown): Entry[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    if (typeof item === 'string') return lineEntry(item)
    if (!isObject(item)) return []
    const ip = Object.values(item).find((one) => typeof one === 'string' && isIpv4(one)) as string | undefined
    const { username, password } = item
    if (ip === undefined) return []
    return [
      {
        ip,
        ...(typeof username === 'string' && { username }),
        ...(typeof password === 'string' && { password }),
      },
    ]
  })
}

function textEntries(body: string): Entry[] {
  return linesOf(body).flatMap(lineEntry)
}

/** For lines of other layouts, only the address. */
function lineEntry(line: string): Entry[] {
  const ip = line.match(anyAddress)?.[0]
  return ip === undefined || !isIpv4(ip) ? [] : [{ ip, ...ipLineOf(line)?.login }]
}
