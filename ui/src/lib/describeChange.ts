import { formatMoney } from './format.ts'
import { isObject } from './json.ts'
import type { JournalEntry, Patch } from './types.ts'

const kinds: Record<string, string> = {
  clients: 'client',
  products: 'product',
  services: 'service',
  invoices: 'invoice',
}

/**
 * Describes a merge patch: `credit: 100.00 → 66.67`, `+ service 5009 (Static 10, Active)`
 * @param before the merge patch that undoes the change; undefined if unknown
 */
export function describeChange(change: unknown, before?: unknown): string[] {
  if (!isObject(change)) return []
  const old = isObject(before) ? before : undefined
  const { credit, ...rest } = change
  return Object.entries({ ...(credit !== undefined && { credit }), ...rest }).flatMap(([key, value]) => {
    if (key === 'next') return [] // the next ids follow from the other changes
    const kind = kinds[key]
    const oldValue = old?.[key]
    if (!kind || !isObject(value)) return describeFields('', { [key]: value }, old)
    return Object.entries(value).flatMap(([id, record]) =>
      describeRecord(`${kind} ${id}`, record, isObject(oldValue) ? oldValue[id] : undefined),
    )
  })
}

function describeRecord(name: string, record: unknown, before: unknown): string[] {
  if (record === null) return [`− ${name}${summarize(before)}`]
  if (before === null) return [`+ ${name}${summarize(record)}`]
  return describeFields(`${name} `, record as Patch, isObject(before) ? before : undefined)
}

function summarize(record: unknown): string {
  if (!isObject(record)) return ''
  const texts = ['product_name', 'productName', 'email', 'bindedip', 'status'].map((field) => record[field])
  const parts = texts.filter((one) => typeof one === 'string' && one !== '')
  if (typeof record['amount'] === 'number') parts.push(formatMoney(record['amount']))
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

function describeFields(prefix: string, fields: Patch, before: Patch | undefined): string[] {
  return Object.entries(fields).flatMap(([key, value]): string[] => {
    const oldValue = before?.[key]
    const name = prefix + key
    if (isObject(value)) return describeFields(`${name} `, value, isObject(oldValue) ? oldValue : undefined)
    const [old, now] = [formatValue(key, oldValue), formatValue(key, value)]
    return [old === now ? name : before ? `${name}: ${old} → ${now}` : `${name} → ${now}`]
  })
}

const amounts = new Set(['credit', 'price', 'amount'])

function formatValue(key: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (amounts.has(key)) return formatMoney(value)
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const cache = new WeakMap<JournalEntry, string[]>()

/** Describes the changes that a request made. */
export function describeEntryChange(entry: JournalEntry): string[] {
  const lines = cache.get(entry) ?? describeChange(entry.change, entry.before)
  cache.set(entry, lines)
  return lines
}
