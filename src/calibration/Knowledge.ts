import type { NextIds } from '../world/World.ts'
import type { Fact } from './adopt.ts'
import type { Exchange } from './Exchange.ts'
import { idsGiven, listedBy, observe, recordOf, recordsNamed, setBy } from './observe.ts'

/** An exchange with what it tells of the account, however the documentation is read. */
export interface Surveyed {
  exchange: Exchange
  shows: readonly Shown[]
  /** The paths that it has set */
  sets: readonly string[]
  /** What it lists in full */
  lists: string | undefined
  ids: Partial<NextIds> | undefined
  /** It shows something for the first time, which proves nothing */
  isFirst: boolean
}

interface Shown extends Fact {
  /** It changes by itself, through traffic */
  isVolatile: boolean
}

/** What a recording shows of the account. */
export interface Survey {
  exchanges: readonly Surveyed[]
  /** What was so at the beginning, by path; of what was listed in full, `services/*` */
  facts: ReadonlyMap<string, unknown>
  /** The first ids that the service gave out */
  ids: Partial<NextIds> | undefined
}

/** Reads a recording once. What is seen for the first time, and wasn't set before, was so from the beginning. */
export function survey(exchanges: readonly Exchange[]): Survey {
  const knowledge = new Knowledge()
  const facts = new Map<string, unknown>()
  const surveyed = exchanges.map((exchange): Surveyed => {
    const [sets, lists, ids] = [setBy(exchange), listedBy(exchange), idsGiven(exchange)]
    const shows = observe(exchange).map((one) => ({ ...one, isVolatile: volatile.test(one.path) }))
    const one = { exchange, shows, sets, lists, ids, isFirst: false }
    const { isFirst, initial } = knowledge.meet(one)
    for (const { path, value } of initial) facts.set(path, value)
    knowledge.set(one)
    return { ...one, isFirst }
  })
  return { exchanges: surveyed, facts, ids: surveyed.find(({ ids }) => ids)?.ids }
}

/** Fields of a service that it has from the product that it was ordered as */
const fromProduct = {
  product_name: 'productName',
  product_type: 'product_type',
  ip_count: 'ip_count',
  price: 'price',
}

/** Fields that change by themselves, through traffic */
const volatile = /^services\/\d+\/(?:usage|errors|inactive)(?:\/|$)/

/**
 * How something is known: `seen` in a response; `set` by a call, with all below it, by the rules that we know; `new`, a record
 * that wasn't there when all were listed; `unsure`, with all below it, as something changed it, we don't know how.
 */
type Mark = 'seen' | 'set' | 'new' | 'unsure'

/** What is known of the account at a moment of the recording: what was seen, and what follows from it. */
export class Knowledge {
  /** By path: `credit`, `services/5001`, `services/5001/usage/limit`, `services/*` for the list of them */
  readonly #marks: Map<string, Mark>
  /** Where what an order has set comes from: as long as that wasn't seen, nobody knows what it is */
  readonly #sources = new Map<string, string>()

  constructor(seen: Iterable<string> = []) {
    this.#marks = new Map([...seen].map((path) => [path, 'seen']))
  }

  knows(path: string): boolean {
    const mark = this.#mark(path)
    return mark === 'seen' || mark === 'set'
  }

  /** Whether nothing is known of it, and nothing has changed it. */
  isUntouched(path: string): boolean {
    return this.#mark(path) === undefined
  }

  /** How a path is known: by itself, by one above it, or because all such records were listed. */
  #mark(path: string): Mark | undefined {
    const mark = this.#ownMark(path)
    // A list leaves out hidden products.
    if (mark || !isRecord(path) || path.startsWith('products/')) return mark
    return this.#marks.get(listOf(path))
  }

  #ownMark(path: string): Mark | undefined {
    const source = this.#sources.get(path)
    if (source !== undefined && !this.knows(source)) return 'unsure'
    const own = this.#marks.get(path)
    if (own !== undefined) return own === 'new' ? 'seen' : own
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const mark = this.#marks.get(path.slice(0, end))
      if (mark && mark !== 'seen') return mark === 'new' ? 'unsure' : mark
    }
    return undefined
  }

  learn(paths: Iterable<string>): void {
    for (const path of paths) this.#marks.set(path, 'seen')
  }

  /**
   * Takes note of what an exchange shows.
   * @returns what has to be adopted before it is replayed, and what of it was so from the beginning
   */
  meet({ exchange, shows, sets, lists }: Surveyed): { adopts: Fact[]; initial: Fact[]; isFirst: boolean } {
    this.forget(exchange.uncertain ?? [])
    const [adopts, initial]: [Fact[], Fact[]] = [[], []]
    const list = lists && `${lists}/*`
    const before = list && this.#marks.get(list)
    let isFirst = before === 'unsure' || (list !== undefined && !before && shows.length === 0)
    const sourcesOf = ({ path, value }: Shown): Shown[] => {
      const source = this.#sources.get(path)
      return source === undefined || value === undefined ? [] : [{ path: source, value, isVolatile: false }]
    }
    const unseen = shows.filter(({ path, isVolatile }) => isVolatile || this.#marks.get(path) !== 'seen')
    for (const one of unseen.flatMap((shown) => [shown, ...sourcesOf(shown)])) {
      const { path } = one
      const isOwn = sets.some((set) => path === set || path.startsWith(`${set}/`))
      const mark = this.#mark(path)
      const isNew = this.#isNew(one, lists)
      if (!isNew && this.knows(path)) {
        // What the service has made up since, or traffic has changed
        if ((one.generated && mark === 'set' && !isOwn) || one.isVolatile) adopts.push(one)
        if (mark === 'set' && !isRecord(path)) this.#marks.set(path, 'seen')
        continue
      }
      if (mark === undefined) initial.push(one)
      this.#marks.set(path, isNew ? 'new' : 'seen')
      adopts.push(one)
      isFirst = true
    }
    if (list !== undefined) {
      if (!before && this.isUntouched(String(lists))) initial.push({ path: list, value: true })
      this.#marks.set(list, 'seen')
    }
    return { adopts, initial, isFirst }
  }

  /** Whether a record, or a session, wasn't there when all were listed. */
  #isNew({ path, value }: Fact, lists: string | undefined): boolean {
    const list = listOf(path)
    if (value === false || !isRecord(path) || this.#ownMark(path) || !this.#marks.has(list)) return false
    return list !== 'products/*' || lists === 'products'
  }

  /** Takes note of what an exchange has set: our rules say how. */
  set({ exchange, sets }: Surveyed): void {
    const body = Object(exchange.request.value) as object
    const { inPath } = recordsNamed(exchange)
    for (const path of sets)
      if (!path.includes('/')) {
        if (!this.knows(path)) this.#marks.set(path, 'unsure') // an order takes from it, whatever it was
      } else {
        this.#clear(path)
        if (path === recordOf(path) && path.startsWith('services/') && inPath)
          for (const [field, source] of Object.entries(fromProduct))
            this.#sources.set(`${path}/${field}`, `${inPath}/${source}`)
        // What the request says isn't made up.
        this.#marks.set(path, Object.hasOwn(body, path.split('/').at(-1) ?? '') ? 'seen' : 'set')
      }
  }

  /** Something may have changed these, we don't know how. A kind of record stands for new ones in it. */
  forget(paths: Iterable<string>): void {
    for (const path of paths)
      if (path.includes('/') || path === 'credit') {
        this.#clear(path)
        this.#marks.set(path, 'unsure')
      } else if (this.#marks.has(`${path}/*`)) this.#marks.set(`${path}/*`, 'unsure')
  }

  #clear(path: string): void {
    for (const one of this.#marks.keys())
      if (one.startsWith(`${path}/`) && !one.endsWith('*')) this.#marks.delete(one)
  }
}

/** `services/5001` or `services/5001/sticky/sessions/us1/a` */
function isRecord(path: string): boolean {
  const { length } = path.split('/')
  return length === 2 || length === 6
}

/** `services/5001` → `services/*` */
function listOf(path: string): string {
  return `${path
    .split('/')
    .slice(0, path.split('/').length > 4 ? 4 : 1)
    .join('/')}/*`
}
