import type { NextIds } from '../world/World.ts'
import type { Fact } from './adopt.ts'
import type { Exchange } from './Exchange.ts'
import { idsGiven, listedBy, observe, recordOf, recordsNamed, setBy, type Observation } from './observe.ts'

/** An exchange with what it tells of the account, however the documentation is read. */
export interface Surveyed {
  exchange: Exchange
  shows: readonly Observation[]
  /** The paths that it has set */
  sets: readonly string[]
  /** What it lists in full */
  lists: string | undefined
  ids: Partial<NextIds> | undefined
  /** It shows something for the first time, which proves nothing */
  isFirst: boolean
}

/** What a recording shows of the account. */
export interface Survey {
  exchanges: readonly Surveyed[]
  /** What was so at the beginning, by path */
  facts: ReadonlyMap<string, unknown>
  /** What was listed in full, and had not changed before */
  listed: ReadonlySet<string>
  /** The paths of the products in the first full list */
  listedProducts: ReadonlySet<string> | undefined
  firstIds: Partial<NextIds> | undefined
}

/** Reads a recording once. What is seen for the first time, and wasn't set before, was so from the beginning. */
export function survey(exchanges: readonly Exchange[]): Survey {
  const knowledge = new Knowledge()
  const facts = new Map<string, unknown>()
  const listed = new Set<string>()
  const uncertain = new Set<string>()
  const surveyed = exchanges.map((exchange): Surveyed => {
    for (const path of exchange.uncertain ?? []) uncertain.add(path)
    const [shows, sets, lists, ids] = [
      observe(exchange).map((one) => (volatile.test(one.path) ? { ...one, isVolatile: true } : one)),
      setBy(exchange),
      listedBy(exchange),
      idsGiven(exchange),
    ]
    const one = { exchange, shows, sets, lists, ids, isFirst: false }
    const { adopts, isFirst } = knowledge.meet(one)
    for (const { path, value } of adopts)
      if (!facts.has(path) && !knowledge.hasChanged(path)) facts.set(path, value)
    if (lists !== undefined && !uncertain.has(lists) && !knowledge.hasChanged(lists)) listed.add(lists)
    knowledge.set(one)
    return { ...one, isFirst }
  })
  const firstIds = surveyed.find(({ ids }) => ids !== undefined)?.ids
  const products = surveyed.find(({ lists }) => lists === 'products')
  const listedProducts = products && new Set(products.shows.map(({ path }) => recordOf(path)))
  return { exchanges: surveyed, facts, listed, listedProducts, firstIds }
}

/** Fields that change by themselves, through traffic */
const volatile = /^services\/\d+\/(?:usage\/.+|errors|inactive)$/

/** Fields of a service that it has from the product that it was ordered as */
const fromProduct: Record<string, string> = {
  product_name: 'productName',
  product_type: 'product_type',
  ip_count: 'ip_count',
  price: 'price',
}

/** What is known of the account at a moment of the recording: what was seen, and what follows from it. */
export class Knowledge {
  /** Paths whose values were seen */
  readonly #seen: Set<string>
  /** What calls have set, by the rules that we know, with all below it */
  readonly #set = new Set<string>()
  /** What something has changed, we don't know how, with all below it */
  readonly #forgotten = new Set<string>()
  /** What isn't as it was at the beginning, with all below it */
  readonly #changed = new Set<string>()
  readonly #listed: Set<string>
  /** Also if something may have been added since */
  readonly #everListed: Set<string>
  /** The product that a service was ordered as */
  readonly #orderedAs = new Map<string, string>()

  constructor(seen: Iterable<string> = [], listed: Iterable<string> = []) {
    this.#seen = new Set(seen)
    this.#listed = new Set(listed)
    this.#everListed = new Set(this.#listed)
  }

  knows(path: string): boolean {
    if (this.#seen.has(path)) return true
    if (isUnder(this.#forgotten, path)) return false
    const source = this.#sourceOf(path)
    if (source !== undefined) return this.knows(source)
    if (isUnder(this.#set, path)) return true
    return path === recordOf(path) && this.#listed.has(listOf(path)) && !path.startsWith('products/')
  }

  hasChanged(path: string): boolean {
    return isUnder(this.#changed, path)
  }

  learn(facts: Iterable<Fact>): void {
    for (const { path } of facts) this.#seen.add(path)
  }

  /** Takes note of what an exchange shows. @returns what has to be adopted before it is replayed */
  meet({ exchange, shows, sets, lists }: Surveyed): { adopts: Observation[]; isFirst: boolean } {
    for (const path of exchange.uncertain ?? []) this.forget(path)
    const own = new Set(sets)
    const adopts: Observation[] = []
    const isNewList = lists !== undefined && !this.#listed.has(lists)
    let isFirst = isNewList && (shows.length === 0 || this.#everListed.has(lists))
    const unseen = shows.filter((one) => one.isVolatile || !this.#seen.has(one.path))
    for (const one of unseen.flatMap((shown) => [...this.#ofProduct(shown), shown])) {
      const { path, generated = false } = one
      if (this.#isNew(one, lists)) this.#changed.add(path)
      else if (this.knows(path)) {
        const isMadeUp = generated && !this.#seen.has(path) && !isUnder(own, path)
        if (isMadeUp || one.isVolatile) adopts.push(one)
        if (!one.implied) this.#seen.add(path)
        continue
      }
      if (isUnder(own, path) && !path.includes('/')) continue // its value is the one afterwards
      adopts.push(one)
      isFirst = true
      this.#seen.add(path)
    }
    if (lists !== undefined) for (const set of [this.#listed, this.#everListed]) set.add(lists)
    return { adopts, isFirst }
  }

  /** Whether a record, or a session, wasn't there when all were listed. */
  #isNew({ path, value, implied }: Observation, lists: string | undefined): boolean {
    const list = listOf(path)
    if (
      value === false ||
      implied ||
      path.slice(list.length + 1).split('/').length > (list.includes('/') ? 2 : 1)
    )
      return false
    // A list leaves out hidden products.
    if (!this.#everListed.has(list) || (list === 'products' && lists !== list)) return false
    return !this.#seen.has(path) && !isUnder(this.#set, path)
  }

  /** What a field of an ordered service says of its product. */
  #ofProduct({ path, value }: Observation): Observation[] {
    const source = this.#sourceOf(path)
    return source === undefined || value === undefined ? [] : [{ path: source, value, implied: true }]
  }

  #sourceOf(path: string): string | undefined {
    const product = this.#orderedAs.get(recordOf(path))
    const field = fromProduct[path.split('/')[2] ?? '']
    return product !== undefined && field !== undefined ? `${product}/${field}` : undefined
  }

  /** Takes note of what an exchange has set: our rules say how. */
  set({ exchange, sets }: Pick<Surveyed, 'exchange' | 'sets'>): void {
    const { inPath } = recordsNamed(exchange)
    for (const path of sets) {
      this.#changed.add(path)
      if (path === 'credit') continue // an order takes from it, whatever it was
      for (const set of [this.#seen, this.#forgotten]) removeUnder(set, path)
      this.#set.add(path)
      if (path === recordOf(path) && path.startsWith('services/') && inPath) this.#orderedAs.set(path, inPath)
      // What the request says isn't made up.
      if (Object.hasOwn(Object(exchange.request.value) as object, path.split('/').at(-1) ?? ''))
        this.#seen.add(path)
    }
  }

  /** Something may have changed this. A kind of record stands for new ones in it. */
  forget(path: string): void {
    if (!path.includes('/') && path !== 'credit') return void this.#listed.delete(path)
    for (const set of [this.#seen, this.#set]) removeUnder(set, path)
    this.#forgotten.add(path)
    this.#changed.add(path)
  }
}

/** `services/5001` → `services`, `services/5001/sticky/sessions/us1/a` → `services/5001/sticky/sessions` */
function listOf(path: string): string {
  const names = path.split('/')
  return names.slice(0, names.length > 4 ? 4 : 1).join('/')
}

/** Whether a path, or one above it, is in the set. */
function isUnder(set: ReadonlySet<string>, path: string): boolean {
  if (set.size === 0) return false
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (set.has(path.slice(0, end))) return true
  return false
}

function removeUnder(set: Set<string>, path: string): void {
  for (const one of set) if (one === path || one.startsWith(`${path}/`)) set.delete(one)
}
