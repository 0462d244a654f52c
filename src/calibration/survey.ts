import type { NextIds, StickySession } from '../world/World.ts'
import type { Exchange } from './Exchange.ts'
import { idsGiven, listedBy, observe, recordsNamed, sessionObservation, setBy } from './observe.ts'
import type { Observation } from './observe.ts'

/** An exchange with what it tells of the account, whatever the readings. */
export interface Surveyed {
  exchange: Exchange
  /** The record that its path names: empty if the id is malformed, undefined if it names none */
  record: string | undefined
  shows: readonly Observation[]
  /** What is taken to be so before it responds: it changed unseen, or the service generated it */
  adopts: readonly Observation[]
  sets: readonly string[]
  lists: string | undefined
  ids: Partial<NextIds> | undefined
  /** It shows something for the first time, or again after a call that may have changed it */
  isFirst: boolean
  /** It shows a record that no recorded call can have made */
  isUnexplained: boolean
  /** Paths that a call may have changed whose outcome is unknown, and that weren't seen since */
  doubts: ReadonlySet<string>
}

/** What a recording shows of the account. */
export interface Survey {
  exchanges: readonly Surveyed[]
  /** As it was at the beginning, by path; undefined if the record has no such field */
  facts: ReadonlyMap<string, unknown>
  /** Kinds of records that were seen in full: what wasn't in the list didn't exist */
  whole: ReadonlySet<string>
  /** Index of the exchange that shows the credit for the first time, if orders came before it */
  creditAt: number | undefined
  firstIds: Partial<NextIds> | undefined
}

/** Whether a path, or one above it of at least so many parts, is in the set. */
export function covers(set: Pick<ReadonlySet<string>, 'has' | 'size'>, path: string, parts = 2): boolean {
  if (set.size === 0) return false
  const names = path.split('/')
  for (let length = names.length; length > 0; length--)
    if (length === names.length || length >= parts) {
      if (set.has(length === names.length ? path : names.slice(0, length).join('/'))) return true
    }
  return false
}

/** Fields that change by themselves, through traffic */
const volatile = /^services\/\d+\/(?:usage\/.+|errors|inactive)$/

/** Reads a recording once. What is seen for the first time, and wasn't set before, was there from the beginning. */
export function survey(exchanges: readonly Exchange[]): Survey {
  const facts = new Map<string, unknown>()
  const whole = new Set<string>()
  /** What exchanges have set so far, or may have */
  const set = new Set<string>()
  /** Generated values that were seen since they were set */
  const bound = new Set<string>()
  /** Records that came to exist without an exchange that made them */
  const appeared = new Set<string>()
  const seenSince = new Set<string>()
  const sessions = new Set<string>()
  const orderedFrom = new Map<string, string>()
  let doubts: ReadonlySet<string> = new Set()
  let creditAt: number | undefined
  let firstIds: Partial<NextIds> | undefined
  const allShown = exchanges.map(observe)
  const direct = new Set(allShown.flat().flatMap(({ path, implied }) => (implied ? [] : [path])))

  /** Whether a record wasn't there before. */
  const isNew = ({ path, value }: Observation, lists: string | undefined): boolean => {
    const [kind = '', , ...field] = path.split('/')
    if (value !== true || field.length > 0 || !direct.has(path)) return false
    if (covers(set, path) || appeared.has(path) || facts.get(path) === true) return false
    // A list leaves out hidden products.
    return (
      (whole.has(kind) && (kind !== 'products' || lists === kind)) || (doubts.has(kind) && facts.has(path))
    )
  }

  const isInWholeList = (path: string): boolean => {
    const [kind = '', id] = path.split('/')
    return kind !== 'products' && whole.has(kind) && !facts.has(`${kind}/${id}`)
  }

  /** What becomes of an observation: it was so at the beginning, it is so from now on, or it is compared. */
  const placeOf = (one: Observation): 'start' | 'unseen' | 'generated' | 'compared' => {
    const { path, implied, generated } = one
    const [isDoubtful, isSet, isOfNew] = [doubts, set, appeared].map((paths) => covers(paths, path))
    if (isOfNew && !seenSince.has(path)) return isSet && !isDoubtful ? 'compared' : 'unseen'
    if (implied) return isSet || facts.has(path) || isInWholeList(path) ? 'compared' : 'start'
    if (isDoubtful) return 'unseen'
    if (!isSet && !isOfNew && !facts.has(path)) return 'start'
    if (volatile.test(path)) return 'generated'
    return generated && isSet && !bound.has(path) ? 'generated' : 'compared'
  }

  const surveyed = exchanges.map((exchange, at): Surveyed => {
    if (exchange.doubts) {
      doubts = new Set([...doubts, ...exchange.doubts])
      for (const path of exchange.doubts) if (path === 'credit' || path.includes('/')) set.add(path)
    }
    const shows = allShown[at] as Observation[]
    const [sets, lists, ids] = [setBy(exchange), listedBy(exchange), idsGiven(exchange)]
    const { inPath: record } = recordsNamed(exchange)
    const adopts: Observation[] = []
    let isUnexplained = false
    let isFirst = lists !== undefined && (doubts.has(lists) || (!whole.has(lists) && shows.length === 0))
    for (const one of shows.flatMap((shown) => [shown, ...ofProduct(shown, orderedFrom)])) {
      const { path, value } = one
      if (covers(new Set(sets), path)) continue
      if (isNew(one, lists)) {
        appeared.add(path)
        if (!doubts.has(path.slice(0, path.indexOf('/')))) isUnexplained = true
      }
      if (path === 'credit' && set.has(path) && !facts.has(path) && creditAt === undefined) {
        creditAt = at
        isFirst = true
      }
      const place = placeOf(one)
      if (place === 'start') facts.set(path, value)
      else if (place !== 'compared') adopts.push(one)
      if (place === 'start' || place === 'unseen') isFirst = true
      if (one.generated) bound.add(path)
      seenSince.add(path)
      const fresh = path.endsWith('/sticky/sessions') ? unseenIn(one, sessions) : []
      if (place !== 'start') adopts.push(...fresh)
    }
    const doubted = doubts
    if (lists !== undefined) whole.add(lists)
    const settled = new Set(
      shows.flatMap(({ path, implied }) => (implied ? [] : [path, path.replace(/\/sessions$/, '')])),
    )
    for (const path of [...sets, lists ?? '']) if (path !== 'credit') settled.add(path) // an order takes from it
    if (doubts.size > 0) doubts = new Set([...doubts].filter((path) => !covers(settled, path, 3)))
    for (const path of sets) {
      set.add(path)
      for (const one of bound) if (one === path || one.startsWith(`${path}/`)) bound.delete(one)
      if (/^services\/\d+$/.test(path) && record) orderedFrom.set(path, record)
      // What the request says isn't generated.
      const field = path.slice(path.lastIndexOf('/') + 1)
      if (Object.hasOwn(Object(exchange.request.value) as object, field)) bound.add(path)
    }
    firstIds ??= ids
    isFirst &&= !isUnexplained
    return { exchange, record, shows, adopts, sets, lists, ids, isFirst, isUnexplained, doubts: doubted }
  })
  return { exchanges: surveyed, facts, whole, creditAt, firstIds }
}

/** No call of the API opens sessions: a new one was opened by traffic. */
function unseenIn({ path, value }: Observation, seen: Set<string>): Observation[] {
  const all = (value as StickySession[]).map((session) =>
    sessionObservation(path.replace(/\/sessions$/, ''), session),
  )
  return all.filter((one) => !seen.has(one.path) && seen.add(one.path))
}

/** Fields of a service that it has from the product that it was ordered as */
const fromProduct: Record<string, string> = {
  product_name: 'productName',
  product_type: 'product_type',
  ip_count: 'ip_count',
  price: 'price',
}

function ofProduct({ path, value }: Observation, orderedFrom: ReadonlyMap<string, string>): Observation[] {
  const [kind, id, field = ''] = path.split('/')
  const product = orderedFrom.get(`${kind}/${id}`)
  const name = fromProduct[field]
  if (!product || name === undefined || value === undefined) return []
  return [{ path: `${product}/${name}`, value, implied: true }]
}
