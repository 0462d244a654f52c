import { isIPv4 } from 'node:net'
import { pickDefined } from '../../lib/json.ts'
import { isObject } from '../../world/mergePatch.ts'
import { addressPattern, parseIpLine } from '../ipLine.ts'
import { type Fields, serviceFacts, type Shows } from './facts.ts'

export const getIpList: Shows = {
  success({ id, path: { typel = '' }, body }) {
    const entries = (body as unknown[]).flatMap(parseEntry)
    const [first] = entries
    const isRotating = typel.startsWith('ppr')
    const ips = first && entries.map(({ ip }) => ip)
    return {
      shownFacts: serviceFacts(id, {
        status: 'Active',
        product_type: isRotating ? 'ppr' : 'fpr',
        ...first?.login,
        ...(ips && { ips }),
        ...(ips && !isRotating && { ip_count: ips.length }),
      }),
    }
  },
}

/** Parses an entry of an IP list, in any layout. */
function parseEntry(entry: unknown): { ip: unknown; login: Fields }[] {
  const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(addressPattern) ?? [])
  const ip = texts.find((one) => isIPv4(String(one)))
  const { username, password }: Fields = isObject(entry) ? entry : (parseIpLine(String(entry))?.login ?? {})
  return ip === undefined ? [] : [{ ip, login: pickDefined({ username, password }) }]
}
