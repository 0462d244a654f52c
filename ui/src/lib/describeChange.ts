import { money } from './format.ts'
import { isObject } from '../../../src/world/mergePatch.ts'
import type { Patch } from './types.ts'

/** A change in words: `credit 100.00 → 66.67`, `+ service 5009 (Static 10, Active)`. */
export interface ChangeLine {
  sign: '+' | '−' | '~'
  what: string
  /** undefined: not known, or nothing to say */
  before?: string
  after?: string
}

const kinds: Record<string, string> = {
  clients: 'client',
  products: 'product',
  services: 'service',
  invoices: 'invoice',
}

/** Counters of ids: they move with everything, and tell nothing. */
const silent = new Set(['next'])

/**
 * Puts a merge patch in words.
 * @param before the world as it was before; undefined where that is not known
 */
export function describeChange(patch: unknown, before?: Patch): ChangeLine[] {
  if (!isObject(patch)) return []
  return Object.entries(patch).flatMap(([key, value]) => {
    if (silent.has(key)) return []
    const old = before?.[key]
    if (key === 'credit') return [creditLine(value, old, patch)]
    if (key === 'tokens') return [{ sign: '~', what: 'API tokens changed' }]
    if (key === 'password') return [{ sign: '~', what: 'password changed' }]
    const kind = kinds[key]
    if (kind && isObject(value))
      return Object.entries(value).flatMap(([id, record]) =>
        recordLines(`${kind} ${id}`, record, isObject(old) ? (old[id] ?? null) : undefined),
      )
    return fieldLines('', { [key]: value }, before)
  })
}

function creditLine(value: unknown, old: unknown, patch: Patch): ChangeLine {
  const before = old ?? creditBefore(value, patch)
  return {
    sign: '~',
    what: 'credit',
    after: money(value),
    ...(before !== undefined && { before: money(before) }),
  }
}

/** An order takes the amount of the invoice that it makes, and nothing else. */
function creditBefore(after: unknown, { invoices, services }: Patch): number | undefined {
  if (typeof after !== 'number' || !isObject(invoices) || !isObject(services)) return undefined
  const made = Object.values(invoices)
  const [invoice] = made
  if (made.length !== 1 || !isObject(invoice) || invoice['status'] !== 'Paid') return undefined
  const { amount } = invoice
  return typeof amount === 'number' ? Math.round((after + amount) * 100) / 100 : undefined
}

/** Lines of one record; `old` is null where there was none, undefined where that is not known. */
function recordLines(name: string, record: unknown, old: unknown): ChangeLine[] {
  if (record === null) return [{ sign: '−', what: name }]
  if (!isObject(record)) return []
  if (old === null || (old === undefined && isWhole(record)))
    return [{ sign: '+', what: name + summary(record) }]
  return fieldLines(`${name} `, record, isObject(old) ? old : undefined)
}

/** A patch that carries everything that a record must have makes a new one. */
function isWhole(record: Patch): boolean {
  return 'orderid' in record || ('serviceid' in record && 'amount' in record) || 'productName' in record
}

function summary(record: Patch): string {
  const named = ['product_name', 'productName', 'email', 'bindedip', 'status'].map((key) => record[key])
  const shown = named.filter((value) => typeof value === 'string' && value !== '')
  if (typeof record['amount'] === 'number') shown.push(money(record['amount']))
  return shown.length ? ` (${shown.join(', ')})` : ''
}

function fieldLines(prefix: string, record: Patch, old: Patch | undefined): ChangeLine[] {
  return Object.entries(record).flatMap(([key, value]): ChangeLine[] => {
    const before = old?.[key]
    if (key === 'password') return [{ sign: '~', what: `${prefix}password changed` }]
    if (key === 'list_version') return [{ sign: '~', what: `${prefix}IP list replaced` }]
    if (key === 'list_updated_at' || (key === 'ips' && 'list_version' in record)) return []
    if (key === 'sessions' && Array.isArray(value)) return sessionLines(prefix, value, before)
    if (key === 'faults') return [{ sign: '~', what: 'faults' }]
    if (isObject(value)) return fieldLines(`${prefix}${key} `, value, isObject(before) ? before : undefined)
    return [
      {
        sign: '~',
        what: `${prefix}${key}`,
        after: value === null ? 'none' : text(value),
        ...(old && { before: before === undefined ? 'none' : text(before) }),
      },
    ]
  })
}

function sessionLines(prefix: string, now: unknown[], before: unknown): ChangeLine[] {
  if (!Array.isArray(before)) return [{ sign: '~', what: `${prefix}sessions`, after: String(now.length) }]
  const old = new Map(before.filter(isObject).map((session) => [sessionName(session), session]))
  const kept = new Map(now.filter(isObject).map((session) => [sessionName(session), session]))
  return [
    ...[...kept].flatMap(([name, session]): ChangeLine[] => {
      const was = old.get(name)
      if (!was) return [{ sign: '+', what: `${prefix}session ${name} (${text(session['ip'])})` }]
      if (was['ip'] !== session['ip'])
        return [
          {
            sign: '~',
            what: `${prefix}session ${name} ip`,
            before: text(was['ip']),
            after: text(session['ip']),
          },
        ]
      return was['since'] === session['since']
        ? []
        : [{ sign: '~', what: `${prefix}session ${name} TTL begun anew` }]
    }),
    ...[...old.keys()]
      .filter((name) => !kept.has(name))
      .map((name): ChangeLine => ({ sign: '−', what: `${prefix}session ${name}` })),
  ]
}

function sessionName(session: Patch): string {
  return `${text(session['server'])}/${text(session['session'])}`
}

function text(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'none' : value
  return JSON.stringify(value)
}

/** A line in plain text, for lists and screen readers. */
export function lineText({ sign, what, before, after }: ChangeLine): string {
  const values = after === undefined ? '' : before === undefined ? ` → ${after}` : ` ${before} → ${after}`
  return `${sign === '~' ? '' : `${sign} `}${what}${values}`
}
