import {
  addNestedFields,
  applyFacts,
  areBindingsKnown,
  correctStart,
  createWorld,
  derivedPaths,
  factPath,
  ipListFields,
  isListedCompletely,
  isVolatile,
  redacted,
  isObject,
  valueAt,
  withNextIds,
  type Facts,
  type Interpretation,
  type Kind,
  type Observation,
  type World,
} from '../simulator.ts'
import { compare, type Difference } from './parts.ts'
import type { Exchange } from './Exchange.ts'
import { KnownPaths, recordPath } from './KnownPaths.ts'
import { type OurResponse, password, type SimulatedResponse, type Simulator } from './Simulator.ts'

/** The result of replaying one exchange. */
export interface ReplayedExchange {
  exchange: Exchange
  ours: OurResponse
  differences: readonly Difference[]
  /** Whether the response shows part of the account for the first time, so that it can't confirm our rules */
  isFirstObservation: boolean
  /** Whether the response depends on unknown values */
  isUndecidable: boolean
}

interface Prediction extends SimulatedResponse {
  /** The state before the exchange, with what its response shows */
  before: World
  /** The paths that are read for the first time */
  firstRead: ReadonlySet<string>
  /** The paths of facts that differ from the state */
  contradicted: readonly string[]
  /** Whether the response depends on unknown values */
  isUndecidable: boolean
}

/**
 * Replays a recording: the simulator responds to each exchange, the responses are compared, and the state continues from the
 * service's response.
 */
export class Replay {
  readonly results: ReplayedExchange[]
  #start: World
  readonly #simulator: Simulator
  readonly #known = new KnownPaths()
  #world: World

  /** @param exchanges those that aren't set aside */
  constructor(simulator: Simulator, exchanges: readonly Exchange[], interpretation: Interpretation) {
    this.#simulator = simulator
    const observed = exchanges.map((exchange) => simulator.observe(exchange, interpretation))
    const shown = exchanges.map((exchange, i) =>
      simulator.isOverridden(exchange) ? withoutFacts(observed[i] as Observation) : observed[i],
    ) as Observation[]
    const initial = readInitialState(shown)
    for (const path of initial.keys()) this.#known.set(path, 'initial')
    const next = observed.find((one) => one.next)?.next ?? {}
    this.#start = withNextIds(createWorld(initial, interpretation, password), next)
    this.#world = this.#start
    this.results = exchanges.map((exchange, i) =>
      this.#step(exchange, shown[i] as Observation, [...(observed[i] as Observation).shownFacts.keys()]),
    )
  }

  /** The initial state */
  get start(): World {
    return this.#start
  }

  /** @param paths the paths of the facts that the response would show without an override */
  #step(exchange: Exchange, observation: Observation, paths: readonly string[]): ReplayedExchange {
    const prediction = this.#predict(exchange, observation, paths)
    const differences = this.#judge(exchange, observation, prediction)
    this.#adopt(exchange, observation, prediction, differences)
    const { ours, firstRead, isUndecidable } = prediction
    return { exchange, ours, differences, isFirstObservation: firstRead.size > 0, isUndecidable }
  }

  /** Responds to an exchange in the state before it. */
  #predict(exchange: Exchange, observation: Observation, paths: readonly string[]): Prediction {
    const { firstRead, before, contradicted } = this.#readFirst(observation)
    const reads = new Set<string>()
    const simulated = this.#simulator.respond(before, exchange, (path) => reads.add(path))
    const { status, body } = exchange.response
    const isUnknown = (path: string): boolean => !this.#isKnown(path, before)
    const hasContent = status === 200 && body !== '' && body !== '[]'
    const isUndecidable =
      simulated.ours.status >= 500 ||
      isRequestHidden(exchange) ||
      (this.#simulator.isOverridden(exchange) && paths.some(isUnknown)) ||
      ((!hasContent || simulated.ours.status !== 200) && [...reads].some(isUnknown))
    return { ...simulated, firstRead, before, contradicted, isUndecidable }
  }

  /** Adds values that are read for the first time, and must have been the same before, to the state. */
  #readFirst({
    shownFacts,
    listedKind,
    next,
  }: Observation): Pick<Prediction, 'firstRead' | 'before' | 'contradicted'> {
    const unread = new Map<string, unknown>()
    const contradicted: string[] = []
    const firstRead = new Set<string>()
    for (const [path, value] of shownFacts) {
      const known = this.#known.get(path)
      if (path.endsWith('/session') && this.#known.get(`${path}s`)) continue // all sessions are known
      if (known !== 'read' && !(value === false && this.#known.getExistence(path) === 'read'))
        firstRead.add(path)
      if (!known) this.#start = correctStart(this.#start, this.#world, path, value)
      if (!known || isVolatile(path)) unread.set(path, value)
      else if (ipListFields.has(lastSegment(path)) && !isSameList(valueAt(this.#world, path), value))
        contradicted.push(path)
      this.#known.set(path, 'read')
    }
    if (listedKind !== undefined) {
      const all = `${listedKind}/*`
      if (this.#known.get(all) !== 'read') firstRead.add(all)
      this.#known.set(all, 'read')
    }
    const world = next ? withNextIds(this.#world, next) : this.#world
    return { firstRead, before: unread.size > 0 ? applyFacts(world, unread) : world, contradicted }
  }

  #isKnown(path: string, world: World): boolean {
    const knows = (one: string): boolean => this.#known.getExistence(one) !== undefined
    return path.includes('?') ? areBindingsKnown(path, world, knows) : knows(path)
  }

  /** Returns the parts in which our response differs from the recorded one. */
  #judge(
    exchange: Exchange,
    observation: Observation,
    { ours: { parts }, contradicted, firstRead }: Prediction,
  ): Difference[] {
    const { shownFacts, newFacts } = observation
    const all = compare(exchange.parts, parts, exchange.checked.unknownShapes)
    if (all.length === 0 && contradicted.length === 0) return []
    // Generated values only count where the account stores them. Elsewhere they can have any value.
    const storedFields = addNestedFields(new Set([...shownFacts.keys()].map(lastSegment)))
    const isStored = (path: string): boolean => newFacts.size === 0 && storedFields.has(lastSegment(path))
    const found = all.filter(({ isGenerated, path }) => !isGenerated || isStored(path))
    const ofLists = contradicted.map((path) => {
      const [real, ours] = [shownFacts.get(path), valueAt(this.#world, path)].map(String)
      return { path: lastSegment(path), real, ours, isGenerated: true, isNotation: false }
    })
    const counted = found.length > 0 || exchange.response.status !== 200 ? found : ofLists
    return counted.map((one) => this.#markFirstRead(one, exchange, observation, firstRead))
  }

  /** Marks a difference in a value that was never read before. It is known from then on. */
  #markFirstRead(
    difference: Difference,
    { operation, path }: Exchange,
    { shownFacts }: Observation,
    firstRead: ReadonlySet<string>,
  ): Difference {
    const fact = factPath(difference.path, operation.operationId, path['id'] ?? path['pid'] ?? '', shownFacts)
    // An item that no fact describes is new if the whole response is.
    const isKnown =
      fact === undefined
        ? !/^\[\d+\]/.test(difference.path) || firstRead.size < shownFacts.size
        : this.#known.get(fact) === 'read' && !firstRead.has(fact)
    if (isKnown) return difference
    if (fact !== undefined) this.#known.set(fact, 'read')
    return { ...difference, isFirstRead: true }
  }

  /** Continues the state from the service's response, so that a difference is reported only once. */
  #adopt(
    { response }: Exchange,
    { shownFacts, newFacts, changedPaths, listedKind }: Observation,
    { ours, change, before, after }: Prediction,
    differences: readonly Difference[],
  ): void {
    const isExecuted = response.status === 200 && ours.status === 200 && change !== undefined
    const derived = isExecuted
      ? derivedPaths(change, before, (path) => this.#known.get(path) !== undefined)
      : []
    for (const path of changedPaths) this.#known.forget(path)
    for (const path of derived) if (!this.#known.get(path)) this.#known.set(path, 'read')
    this.#world = isExecuted ? after : before
    const adopted =
      newFacts.size > 0
        ? newFacts
        : differences.length > 0
          ? new Map([...this.#missingRecords(listedKind, shownFacts), ...shownFacts])
          : new Map()
    if (adopted.size > 0) this.#world = applyFacts(this.#world, adopted)
    for (const path of newFacts.keys()) this.#known.set(path, 'read')
  }

  /** Returns the facts that the records missing from a complete list don't exist. */
  #missingRecords(listedKind: Kind | undefined, shownFacts: Facts): [string, false][] {
    if (listedKind === undefined || !isListedCompletely(listedKind)) return []
    const paths = [...this.#world[listedKind].keys()].map((id) => `${listedKind}/${id}`)
    return paths.filter((path) => !shownFacts.has(path)).map((path) => [path, false])
  }
}

function lastSegment(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('.')) + 1)
}

function isSameList(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** The facts of an operation that is overridden: its response doesn't show the state. */
function withoutFacts({ changedPaths, next }: Observation): Observation {
  return { changedPaths, ...(next && { next }), shownFacts: new Map(), newFacts: new Map() }
}

/** Returns the initial state: the values that are read before they are changed. */
function readInitialState(observed: readonly Observation[]): Map<string, unknown> {
  const initial = new Map<string, unknown>()
  const read = new Set<string>()
  const changed = new Set<string>()
  const isChanged = (path: string): boolean => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (changed.has(path.slice(0, end))) return true
    return false
  }
  for (const { shownFacts, listedKind, changedPaths, newFacts } of observed) {
    for (const [path, value] of shownFacts) {
      const record = recordPath(path)
      const [kind = ''] = path.split('/', 1)
      // A record that wasn't in an earlier list was added since.
      const isAdded = path === record && value === true && isListedCompletely(kind) && read.has(`${kind}/*`)
      if (isAdded && !read.has(record)) changed.add(record)
      if (path.endsWith('/session') && read.has(`${path}s`)) continue // all sessions were read
      if (!read.has(path) && !isChanged(path)) initial.set(path, value)
      read.add(path)
    }
    if (listedKind !== undefined) {
      if (!read.has(`${listedKind}/*`)) initial.set(`${listedKind}/*`, true)
      read.add(`${listedKind}/*`)
    }
    for (const path of changedPaths) changed.add(path)
    for (const path of newFacts.keys()) if (path !== recordPath(path)) changed.add(path)
  }
  return initial
}

/** Whether the password in a request is redacted, as in a simulator's journal, so that its validity is unknown. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}
