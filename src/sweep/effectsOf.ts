import { createHash, randomBytes } from 'node:crypto'
import { money } from '../world/money.ts'
import type { Invoice, Service, World } from '../world/World.ts'

/** One thing that became of a world: `service 5001 bindedip` is now `203.0.113.10`. */
export interface Effect {
  subject: string
  value: string
}

/** How a world was found, and each service that was ordered since as it was at first. */
export interface Beginning {
  world: World
  ordered: Readonly<Record<string, Service>>
}

/**
 * What became of a world, whatever ids and times it got: what was ordered is told by product, client and price, an
 * invoice by product, amount and status. Faults and clocks are left out: they are means, not ends.
 */
export function effectsOf({ world: before, ordered }: Beginning, after: World): Effect[] {
  return [
    ...changes(
      '',
      of({ ...before, credit: money(before.credit) }),
      of({ ...after, credit: money(after.credit) }),
    ),
    ...(['limits', 'assumptions'] as const).flatMap((part) =>
      changes(`${part} `, of(before[part]), of(after[part])),
    ),
    ...(['clients', 'products'] as const).flatMap((kind) =>
      pairs<object>(before[kind], after[kind]).flatMap(([id, old, now]) =>
        record(`${kind.slice(0, -1)} ${id}`, of(old), of(now)),
      ),
    ),
    ...pairs(before.services, after.services).flatMap(([id, old, now]) =>
      old ? serviceEffects(`service ${id}`, old, now) : orderEffects(ordered[id] ?? now, now),
    ),
    ...pairs(before.invoices, after.invoices).flatMap(([id, old, now]) =>
      old
        ? record(`invoice ${id}`, of(old), of(now))
        : now
          ? [{ subject: `invoice of ${money(now.amount)} for ${productOf(now, after)}`, value: now.status }]
          : [],
    ),
  ]
}

function productOf({ serviceid }: Invoice, { services }: World): string {
  const product = services[serviceid]?.product
  return product === undefined ? 'no product' : `product ${product}`
}

function orderEffects(first: Service | undefined, now: Service | undefined): Effect[] {
  if (!first) return []
  const { product, client, price } = first
  const subject = `order of product ${product} for client ${client} at ${money(price)}`
  const placed = { subject, value: 'placed' }
  if (!now) return [placed, { subject, value: 'removed' }]
  const { status, bindedip } = now
  return [
    placed,
    { subject: `${subject}: status`, value: status },
    ...(bindedip ? [{ subject: `${subject}: bindedip`, value: bindedip }] : []),
    ...serviceEffects(`${subject}:`, { ...first, status, ...(bindedip !== undefined && { bindedip }) }, now),
  ]
}

function serviceEffects(subject: string, before: Service, after: Service | undefined): Effect[] {
  if (!after) return [{ subject, value: 'removed' }]
  const updates = (after.list_version ?? 0) - (before.list_version ?? 0)
  return [
    ...record(subject, of(before), of(after)),
    ...(updates ? [{ subject: `${subject} IP list`, value: `updated ${times(updates)}` }] : []),
    // Without a list of its own, the list is what updates make of it.
    ...(after.ips ? changes(`${subject} `, { ips: before.ips }, { ips: after.ips }) : []),
    ...changes(`${subject} sticky `, { ttl: before.sticky?.ttl }, { ttl: after.sticky?.ttl }),
    ...pairs(sessionsOf(before), sessionsOf(after)).flatMap(([name, old, now]) => {
      if (old === now) return []
      const value = now === undefined ? 'gone' : `rotated ${times(now - (old ?? 0))}`
      return [{ subject: `${subject} session ${name}`, value: old === undefined ? `added, ${value}` : value }]
    }),
  ]
}

/** Server and session → rotations. Which address a session has follows from them. */
function sessionsOf({ sticky }: Service): Record<string, number> {
  return Object.fromEntries(
    (sticky?.sessions ?? []).map(({ server, session, rotations }) => [`${server}/${session}`, rotations]),
  )
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

type Fields = Readonly<Record<string, unknown>>

/** Times move, ids are given out, and what is told in its own way need not be told twice. */
const leftOut = new Set(
  [
    'regdate nextduedate list_updated_at created_at update_time date_paid date_refunded',
    'orderid serviceid description next seed clock faults version origin',
    'list_version ips sticky clients products services invoices limits assumptions',
  ].flatMap((names) => names.split(' ')),
)

/** A record's own fields, as they are compared and shown. */
function of(fields: object | undefined): Fields | undefined {
  if (!fields) return undefined
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !leftOut.has(name))
      .map(([name, value]) => [name, isSecret(name) ? fingerprint(value) : value]),
  )
}

function isSecret(name: string): boolean {
  return name === 'password' || name === 'tokens'
}

const salt = randomBytes(16)

/** Tells one credential from another, and nothing of it. Tokens are made by chance: they are counted. */
function fingerprint(value: unknown): string {
  if (Array.isArray(value)) return String(value.length)
  const digest = createHash('sha256').update(salt).update(String(value)).digest('hex')
  return `set (fingerprint ${digest.slice(0, 8)})`
}

function record(subject: string, before: Fields | undefined, after: Fields | undefined): Effect[] {
  if (!after) return [{ subject, value: 'removed' }]
  if (!before) return [{ subject, value: `added ${JSON.stringify(after)}` }]
  return changes(`${subject} `, before, after)
}

function changes(prefix: string, before: Fields = {}, after: Fields = {}): Effect[] {
  return pairs(before, after).flatMap(([name, old, now]) =>
    JSON.stringify(old) === JSON.stringify(now) ? [] : [{ subject: `${prefix}${name}`, value: shown(now) }],
  )
}

function shown(value: unknown): string {
  if (value === undefined || value === '') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function pairs<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): [string, T | undefined, T | undefined][] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((key) => [
    key,
    Object.hasOwn(before, key) ? before[key] : undefined,
    Object.hasOwn(after, key) ? after[key] : undefined,
  ])
}
