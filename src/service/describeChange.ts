import { isObject } from '../world/mergePatch.ts'
import { changingOperations } from './values.gen.ts'

type Fields = Readonly<Record<string, unknown>>

/** Parts of a world that follow from its other changes, or that the timeline reports itself. */
const omitted = new Set(['next', 'version', 'origin', 'seed', 'history'])

/**
 * Describes a merge patch on an account, one line for each thing that changed: `credit: 100.00 → 66.67`, `+ service 5009
 * (Static 10, Active)`, `IP list of 5001 renewed`. Dashboard and reports use these words.
 * @param before the merge patch that undoes the change; undefined if unknown
 */
export function describeChange(change: unknown, before?: unknown): string[] {
  if (!isObject(change)) return []
  const old = isObject(before) ? before : undefined
  const { credit, ...rest } = change
  return Object.entries({ ...(credit !== undefined && { credit }), ...rest }).flatMap(([key, value]) => {
    if (omitted.has(key)) return []
    const oldValue = old?.[key]
    // Only records and entries have ids as keys.
    if (!isObject(value) || !Object.keys(value).every((id) => /^\d+$/.test(id)))
      return describeFields('', { [key]: value }, old)
    const describe =
      key === 'faults'
        ? describeFault
        : key === 'timeline'
          ? describeScheduled
          : describeRecord(key.slice(0, -1))
    return Object.entries(value).flatMap(([id, one]) =>
      describe(id, one, isObject(oldValue) ? oldValue[id] : undefined),
    )
  })
}

/** Describes a timeline entry: `invoice 9001 is paid` */
export function describeEntry({ description, patch, add, ...entry }: Fields): string {
  if (typeof description === 'string') return description
  const { activate, pay, renew } = entry as Record<string, number | undefined>
  if (activate !== undefined) return `service ${activate} is activated`
  if (pay !== undefined) return `invoice ${pay} is paid`
  if (renew !== undefined) return `renewal of service ${renew}`
  return describeChange(patch ?? add).join(', ')
}

type Describe = (id: string, value: unknown, before: unknown) => string[]

const describeFault: Describe = (id, fault, before) => {
  if (!isObject(fault)) return [`− fault ${id}`]
  return isObject(before) || Number(fault['used']) > 0 ? [] : [`+ fault ${id}`]
}

const describeScheduled: Describe = (id, entry, before) => {
  if (isObject(entry)) return [`scheduled: ${describeEntry(entry)}`]
  return [`no longer scheduled: ${isObject(before) ? describeEntry(before) : `entry ${id}`}`]
}

function describeRecord(noun: string): Describe {
  return (id, record, before) => {
    if (!isObject(record)) return [`− ${noun} ${id}${summarize(before)}`]
    if (before === null) return [`+ ${noun} ${id}${summarize(record)}`]
    const old = isObject(before) ? before : undefined
    if (noun !== 'service') return describeFields(`${noun} ${id} `, record, old)
    const { sticky, usage, ...all } = record
    const isRenewed = record['list_version'] !== undefined
    const fields = Object.fromEntries(
      Object.entries(all).filter(([field]) => !isRenewed || !listFields.has(field)),
    )
    return [
      ...(isRenewed ? [`IP list of ${id} renewed`] : []),
      ...describeFields(`service ${id} `, fields, old),
      ...describeUsage(id, usage, old?.['usage']),
      ...describeSticky(id, sticky, old?.['sticky']),
    ]
  }
}

/** The fields that a renewal of the IP list changes. */
const listFields = new Set(['list_version', 'list_updated_at', 'ips', 'errors', 'inactive'])

function summarize(record: unknown): string {
  if (!isObject(record)) return ''
  const texts = ['product_name', 'productName', 'email', 'bindedip', 'status'].map((field) => record[field])
  const parts = texts.filter((one) => typeof one === 'string' && one !== '')
  if (typeof record['amount'] === 'number') parts.push(formatUsd(record['amount']))
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

function describeUsage(id: string, usage: unknown, before: unknown): string[] {
  if (typeof usage === 'number') return [`usage of ${id}: + ${usage} MB`]
  if (!isObject(usage)) return []
  const { stats, ...rest } = usage
  const oldStats = isObject(before) && isObject(before['stats']) ? before['stats'] : undefined
  return [
    ...describeFields(`usage of ${id} on `, isObject(stats) ? stats : {}, oldStats),
    ...describeFields(`usage of ${id} `, rest, isObject(before) ? before : undefined),
  ]
}

function describeSticky(id: string, sticky: unknown, before: unknown): string[] {
  if (!isObject(sticky)) return []
  const old: Fields = isObject(before) ? before : {}
  const [now, then] = [sticky['sessions'], old['sessions']].map(listSessions)
  const lines = Object.entries({ ...then, ...now }).flatMap(([name, ip]) => {
    const [oldIp, newIp] = [then?.[name], now?.[name]]
    if (!now || oldIp === newIp) return []
    const session = `session ${name} of ${id}`
    if (newIp === undefined) return [`− ${session}`]
    return [
      oldIp === undefined ? (then ? `+ ${session}` : `${session}: ${ip}`) : `${session}: ${oldIp} → ${ip}`,
    ]
  })
  const ttl = sticky['ttl'] === undefined ? {} : { ttl: sticky['ttl'] }
  return [...describeFields(`sessions of ${id} `, ttl, isObject(before) ? before : undefined), ...lines]
}

/** The address of each session, by its name; undefined if the value isn't a list */
function listSessions(sessions: unknown): Record<string, string> | undefined {
  if (!Array.isArray(sessions)) return undefined
  return Object.fromEntries(
    sessions.map(({ server, session, ip }: Record<string, string>) => [`${server}/${session}`, String(ip)]),
  )
}

/** Whether a request that should have changed something succeeded, but changed nothing. */
export function hasNoEffect(entry: {
  operation: string | null
  status: number | null
  forced: boolean
  change?: unknown
}): boolean {
  const { operation, status, forced, change } = entry
  const succeeded = status !== null && status < 300 && !forced
  return succeeded && changingOperations.includes(operation ?? '') && describeChange(change).length === 0
}

function describeFields(prefix: string, fields: Fields, before: Fields | undefined): string[] {
  return Object.entries(fields).flatMap(([key, value]): string[] => {
    const oldValue = before?.[key]
    const name = prefix + key
    if (isObject(value)) return describeFields(`${name} `, value, isObject(oldValue) ? oldValue : undefined)
    const [old, now] = [formatValue(key, oldValue), formatValue(key, value)]
    return [old === now ? name : before ? `${name}: ${old} → ${now}` : `${name} → ${now}`]
  })
}

function formatUsd(amount: number): string {
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

const amounts = new Set(['credit', 'price', 'amount'])

function formatValue(key: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (amounts.has(key) && typeof value === 'number') return formatUsd(value)
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
