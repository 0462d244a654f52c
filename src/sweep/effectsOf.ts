import { createHash, randomBytes } from 'node:crypto'
import { money } from '../world/money.ts'
import type { Invoice, Service, WorldData as World } from '../world/World.ts'

/** One effect on a world: `service 5001 bindedip` is now `203.0.113.10`. */
export interface Effect {
  subject: string
  value: string
}

/** A world at the start, and each service that was ordered since, as it was at first. */
export interface Beginning {
  world: World
  ordered: Readonly<Record<string, Service>>
}

/**
 * What changed in a world, regardless of ids and times: orders go by product, client and price, invoices by product,
 * amount and status. Faults and clocks are left out: they aren't results.
 */
export function effectsOf({ world: before, ordered }: Beginning, after: World): Effect[] {
  return [
    ...changes(
      '',
      fieldsOf({ ...before, credit: money(before.credit) }),
      fieldsOf({ ...after, credit: money(after.credit) }),
    ),
    ...(['limits', 'assumptions'] as const).flatMap((part) =>
      changes(`${part} `, fieldsOf(before[part]), fieldsOf(after[part])),
    ),
    ...(['clients', 'products'] as const).flatMap((kind) =>
      pairs<object>(before[kind], after[kind]).flatMap(([id, old, now]) =>
        record(`${kind.slice(0, -1)} ${id}`, fieldsOf(old), fieldsOf(now)),
      ),
    ),
    ...pairs<Service>({ ...ordered, ...before.services }, after.services).flatMap(([id, first, now]) => {
      const old = before.services[id]
      return old ? serviceEffects(`service ${id}`, old, now) : orderEffects(first ?? now, now)
    }),
    ...pairs(before.invoices, after.invoices).flatMap(([id, old, now]) =>
      old
        ? record(`invoice ${id}`, fieldsOf(old), fieldsOf(now))
        : now
          ? [{ subject: `invoice of ${money(now.amount)} for ${productOf(now, after)}`, value: now.status }]
          : [],
    ),
  ]
}

const placed = 'placed'

/** Whether an effect is an order: there is one for each. */
export function isOrder({ value }: Effect): boolean {
  return value === placed
}

function productOf({ serviceid }: Invoice, { services }: World): string {
  const product = services[serviceid]?.product
  return product === undefined ? 'no product' : `product ${product}`
}

function orderEffects(first: Service | undefined, now: Service | undefined): Effect[] {
  if (!first) return []
  const { product, client, price } = first
  const subject = `order of product ${product} for client ${client} at ${money(price)}`
  const order = { subject, value: placed }
  if (!now) return [order, { subject, value: 'removed' }]
  const { status, bindedip } = now
  return [
    order,
    { subject: `${subject}: status`, value: status },
    ...(bindedip ? [{ subject: `${subject}: bindedip`, value: bindedip }] : []),
    ...serviceEffects(`${subject}:`, { ...first, status, ...(bindedip !== undefined && { bindedip }) }, now),
  ]
}

function serviceEffects(subject: string, before: Service, after: Service | undefined): Effect[] {
  if (!after) return [{ subject, value: 'removed' }]
  const updates = (after.list_version ?? 0) - (before.list_version ?? 0)
  return [
    ...record(subject, fieldsOf(before), fieldsOf(after)),
    ...(updates ? [{ subject: `${subject} IP list`, value: `updated ${times(updates)}` }] : []),
    // A list that isn't set follows from the updates.
    ...(after.ips ? changes(`${subject} `, { ips: before.ips }, { ips: after.ips }) : []),
    ...changes(`${subject} sticky `, { ttl: before.sticky?.ttl }, { ttl: after.sticky?.ttl }),
    ...pairs(sessionsOf(before), sessionsOf(after)).flatMap(([name, old, now]) => {
      if (old === now) return []
      const value = now === undefined ? 'gone' : `rotated ${times(now - (old ?? 0))}`
      return [{ subject: `${subject} session ${name}`, value: old === undefined ? `added, ${value}` : value }]
    }),
  ]
}

/** Server and session → rotations, from which the address follows. */
function sessionsOf({ sticky }: Service): Record<string, number> {
  return Object.fromEntries(
    (sticky?.sessions ?? []).map(({ server, session, rotations }) => [`${server}/${session}`, rotations]),
  )
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

type Fields = Readonly<Record<string, unknown>>

/** Times and ids vary, and the others are compared on their own. */
const leftOut = new Set(
  [
    'regdate nextduedate list_updated_at created_at update_time date_paid date_refunded',
    'orderid serviceid description next seed clock faults version origin',
    'list_version ips sticky clients products services invoices limits assumptions',
  ].flatMap((names) => names.split(' ')),
)

/** A record's own fields, as they are compared and shown. */
function fieldsOf(fields: object | undefined): Fields | undefined {
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

/** Distinguishes credentials without revealing them. Tokens are random, so they are only counted. */
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
