import { isObject } from '../world/mergePatch.ts'
import { parseDateTime, type Instant } from '../world/time.ts'
import type { Exchange } from './Exchange.ts'
import type { Sight } from './sights/Sight.ts'
import { listedIn, setBy, sightsOf } from './sights/sights.ts'

/** What recordings show about the world at their start. */
export interface Survey {
  /** By path (`services/5001/status`); undefined if the record has no such field */
  facts: ReadonlyMap<string, unknown>
  /** Lists that were seen in full: what isn't in them doesn't exist */
  whole: ReadonlySet<string>
  /** Indexes of exchanges that show something for the first time, or again after a call that may have changed it */
  firstSights: ReadonlySet<number>
  /** Records that came to exist without an exchange that made them, with the index of the exchange that shows it */
  appeared: ReadonlyMap<string, number>
  /** Indexes of exchanges that show a record which no recorded call can have made */
  unexplained: ReadonlySet<number>
  /** Index of the first sight of the credit, if orders came before it: its start is computed backwards */
  creditAt: number | undefined
  /** Services whose first update was refused, with the time that the refusal names */
  throttled: ReadonlyMap<string, Instant>
  /** Ids that the first order assigned */
  firstIds: { service: number; order: number; invoice: number } | undefined
}

/** Whether a path, or one above it, is in the set. */
export function isSet(path: string, set: Pick<ReadonlySet<string>, 'has' | 'size'>): boolean {
  if (set.size === 0) return false
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (set.has(path.slice(0, end))) return true
  return false
}

/**
 * Collects the state of each record at its first sight, unless an earlier exchange had set it.
 * @param doubts what is in doubt at each exchange
 */
export function survey(exchanges: readonly Exchange[], doubts: readonly ReadonlySet<string>[]): Survey {
  const direct = new Map<string, { value: unknown; at: number }>()
  const implied = new Map<string, { value: unknown; at: number }>()
  const set = new Set<string>()
  const whole = new Set<string>()
  const firstSights = new Set<number>()
  const throttled = new Map<string, Instant>()
  const orderedFrom = new Map<string, string>()
  const appeared = new Map<string, number>()
  const seenSince = new Set<string>()
  const unexplained = new Set<number>()
  let creditAt: number | undefined
  let firstIds: Survey['firstIds']
  const allSights = exchanges.map(sightsOf)
  const shown = new Set(allSights.flat().flatMap((one) => (isRecord(one) && !one.implied ? [one.path] : [])))
  /** Whether a record was absent before, with no exchange since that made it. */
  const isNew = (sight: Sight, list: string | undefined, at: number): boolean => {
    const { path } = sight
    if (!isRecord(sight) || !shown.has(path) || isSet(path, set) || appeared.has(path)) return false
    const collection = collectionOf(path)
    // A list leaves out hidden products.
    if (whole.has(collection) && (collection !== 'products' || list === collection))
      return direct.get(path)?.value !== true
    return doubts[at]?.has(collection) === true && (direct.get(path) ?? implied.get(path))?.value === false
  }

  for (const [at, exchange] of exchanges.entries()) {
    const sights = allSights[at] as Sight[]
    const list = listedIn(exchange)
    for (const path of exchange.doubts ?? []) if (path === 'credit' || path.includes('/')) set.add(path)
    for (const sight of sights.flatMap((one) => [one, ...ofProduct(one, orderedFrom)])) {
      const { path, value } = sight
      if (!sight.implied && doubts[at]?.has(path)) firstSights.add(at)
      if (isNew(sight, list, at)) {
        appeared.set(path, at)
        if (!doubts[at]?.has(collectionOf(path))) unexplained.add(at)
      }
      if (isSet(path, appeared)) {
        if (!sight.implied && !seenSince.has(path)) firstSights.add(at)
        if (!sight.implied) seenSince.add(path)
        continue
      }
      if (path === 'credit' && !direct.has('credit') && set.has('credit')) creditAt = at
      else if (isSet(path, set)) continue
      const known = sight.implied ? implied : direct
      if (!known.has(path)) known.set(path, { value, at })
    }
    if (list !== undefined && doubts[at]?.has(list)) firstSights.add(at)
    if (list !== undefined && !whole.has(list)) {
      whole.add(list)
      if (sights.length === 0) firstSights.add(at)
    }
    for (const [id, next] of refusedUpdate(exchange)) {
      const path = `services/${id}/list_updated_at`
      if (doubts[at]?.has(path)) firstSights.add(at)
      if (!set.has(path) && !throttled.has(id)) {
        throttled.set(id, next)
        firstSights.add(at)
      }
    }
    for (const path of setBy(exchange)) set.add(path)
    const ids = idsOf(exchange)
    if (ids) {
      firstIds ??= ids
      orderedFrom.set(String(ids.service), exchange.path['pid'] ?? '')
    }
  }

  const facts = new Map<string, unknown>()
  for (const [path, { value, at }] of direct) {
    facts.set(path, value)
    firstSights.add(at)
  }
  for (const [path, { value, at }] of implied)
    if (!facts.has(path) && !isInWholeList(path, facts, whole)) {
      facts.set(path, value)
      firstSights.add(at)
    }
  for (const at of unexplained) firstSights.delete(at)
  return { facts, whole, firstSights, appeared, unexplained, creditAt, throttled, firstIds }
}

function isRecord({ path, value }: Sight): boolean {
  return value === true && path.split('/').length === 2
}

function collectionOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}

/** A missing record is nothing new if the list was seen in full. */
function isInWholeList(
  path: string,
  facts: ReadonlyMap<string, unknown>,
  whole: ReadonlySet<string>,
): boolean {
  const [collection = '', id = ''] = path.split('/')
  return whole.has(collection) && collection !== 'products' && !facts.has(`${collection}/${id}`)
}

/** A service that was just ordered shows fields of its product. */
function ofProduct({ path, value }: Sight, orderedFrom: ReadonlyMap<string, string>): Sight[] {
  const [collection, id = '', field = ''] = path.split('/')
  const pid = collection === 'services' ? orderedFrom.get(id) : undefined
  const name = {
    product_name: 'productName',
    product_type: 'product_type',
    ip_count: 'ip_count',
    price: 'price',
  }[field]
  if (pid === undefined || name === undefined || value === undefined) return []
  return [{ path: `products/${pid}/${name}`, value, implied: true }]
}

/** The ids that an order assigned. */
export function idsOf({
  operation,
  response,
}: Exchange): { service: number; order: number; invoice: number } | undefined {
  if (operation.operationId !== 'orderService' || response.status !== 200 || !isObject(response.value))
    return undefined
  const { serviceId, orderId, invoiceId } = response.value
  const ids = { service: Number(serviceId), order: Number(orderId), invoice: Number(invoiceId) }
  return Object.values(ids).every((id) => Number.isInteger(id) && id > 0) ? ids : undefined
}

/** The service whose list update was refused, with the time that the refusal names. */
export function refusedUpdate({ operation, path, response }: Exchange): [service: string, next: Instant][] {
  if (operation.operationId !== 'updateService' || response.status !== 429) return []
  const [named = ''] = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(response.body) ?? []
  const next = parseDateTime(named)
  return Number.isNaN(next) ? [] : [[path['id'] ?? '', next]]
}
