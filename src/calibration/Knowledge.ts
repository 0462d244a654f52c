import { fields } from '../service/records.ts'
import type { NextIds } from '../world/World.ts'
import type { Exchange } from './Exchange.ts'
import { observe, recordOf, type Fact, type Observation } from './observe.ts'

/** What a recording shows of the account, however the documentation is read. */
export interface Survey {
  observations: readonly Observation[]
  /** Those that show something for the first time, which proves nothing */
  firsts: ReadonlySet<Observation>
  /** What was so at the beginning, by path; of what was listed in full, `services/*` */
  facts: ReadonlyMap<string, unknown>
  /** The first ids that the service gave out */
  ids: Partial<NextIds> | undefined
}

/** Reads a recording once. What is seen for the first time, and wasn't set before, was so from the beginning. */
export function survey(exchanges: readonly Exchange[]): Survey {
  const knowledge = new Knowledge()
  const observations = exchanges.map(observe)
  const firsts = new Set<Observation>()
  const facts = new Map<string, unknown>()
  for (const one of observations) {
    const { initial, isFirst } = knowledge.meet(one)
    for (const { path, value } of initial) facts.set(path, value)
    if (isFirst) firsts.add(one)
    knowledge.set(one)
  }
  return { observations, firsts, facts, ids: observations.find(({ ids }) => ids)?.ids }
}

/** Fields that a service has from the product that it was ordered as */
const fromProduct = Object.entries(fields.services as Record<string, { from?: string }>)

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

  learn(paths: Iterable<string>): void {
    for (const path of paths) this.#marks.set(path, 'seen')
  }

  /**
   * Takes note of what an exchange shows.
   * @returns what has to be adopted before it is replayed, and what of it was so from the beginning
   */
  meet({ shows, sets, lists }: Observation): { adopts: Fact[]; initial: Fact[]; isFirst: boolean } {
    const [adopts, initial]: [Fact[], Fact[]] = [[], []]
    const list = lists && `${lists}/*`
    const before = list && this.#marks.get(list)
    let isFirst = list !== undefined && !before && shows.length === 0
    // Most of a long recording was seen before.
    const unseen = shows.filter(({ path }) => volatile.test(path) || this.#marks.get(path) !== 'seen')
    for (const one of unseen.flatMap((shown) => [shown, ...this.#inProduct(shown)])) {
      const { path, generated } = one
      const mark = this.#mark(path)
      const isNew = this.#isNew(one, lists)
      if (!isNew && this.knows(path)) {
        // What the service has made up since, or traffic has changed
        const isOwn = sets.some((set) => path === set || path.startsWith(`${set}/`))
        if ((generated && mark === 'set' && !isOwn) || volatile.test(path)) adopts.push(one)
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

  /** What a field of an ordered service shows of its product. */
  #inProduct({ path, value }: Fact): Fact[] {
    const source = this.#sources.get(path)
    return source === undefined || value === undefined ? [] : [{ path: source, value }]
  }

  /** Takes note of what an exchange has set: our rules say how. */
  set({ exchange, target, sets }: Observation): void {
    const body = Object(exchange.request.value) as object
    for (const path of sets)
      if (!path.includes('/')) {
        if (!this.knows(path)) this.#marks.set(path, 'unsure') // an order takes from it, whatever it was
      } else {
        this.#clear(path)
        if (path === recordOf(path) && path.startsWith('services/'))
          for (const [name, { from }] of fromProduct)
            if (from !== undefined) this.#sources.set(`${path}/${name}`, `${target}/${from}`)
        // What the request says isn't made up.
        this.#marks.set(path, Object.hasOwn(body, path.split('/').at(-1) ?? '') ? 'seen' : 'set')
      }
  }

  /** Something has changed these, we don't know how. */
  forget(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#clear(path)
      this.#marks.set(path, 'unsure')
    }
  }

  #clear(path: string): void {
    for (const one of this.#marks.keys())
      if (one.startsWith(`${path}/`) && !one.endsWith('*')) this.#marks.delete(one)
  }

  /** How a path is known: by itself, by one above it, or because all such records were listed. */
  #mark(path: string): Mark | undefined {
    const mark = this.#ownMark(path)
    // A list leaves out hidden products.
    return mark || !isRecord(path) || path.startsWith('products/') ? mark : this.#marks.get(listOf(path))
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

  /** Whether a record, or a session, wasn't there when all were listed. */
  #isNew({ path, value }: Fact, lists: string | undefined): boolean {
    const list = listOf(path)
    if (value === false || !isRecord(path) || this.#ownMark(path) || !this.#marks.has(list)) return false
    return list !== 'products/*' || lists === 'products'
  }
}

/** `services/5001` or `services/5001/sticky/sessions/us1/a` */
function isRecord(path: string): boolean {
  const { length } = path.split('/')
  return length === 2 || length === 6
}

/** `services/5001` → `services/*` */
function listOf(path: string): string {
  const names = path.split('/')
  return [...names.slice(0, names.length > 2 ? 4 : 1), '*'].join('/')
}
