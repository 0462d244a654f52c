import type { Validator } from '../../contract/validator/createValidator.ts'
import {
  redacted,
  isObject,
  type Facts,
  type Interpretation,
  type Kind,
  type ObservedCall,
  type Observation,
  type World,
  type WorldChange,
} from '../simulator.ts'
import { applyFacts, valueAt, withNextIds, createWorld } from './service/applyFacts.ts'
import {
  ipListFields,
  isListedCompletely,
  correctStart,
  addNestedFields,
  withoutFacts,
  withoutImpossibleLists,
} from './service/fields.ts'
import { areBindingsKnown, derivedPaths } from './service/derivedPaths.ts'
import { factPath, isVolatile, observe, interpretationKey, dependsOnTime } from './service/observe.ts'
import { asObject } from '../../contract/Contract.ts'
import { checkResponse } from './checkResponse.ts'
import { compare, type Comparison, type Difference } from './compare.ts'
import type { Exchange } from './Exchange.ts'
import { KnownPaths, recordPath } from './KnownPaths.ts'
import { Broken, findCase, readLoosely } from './schemas.ts'
import { type OurResponse, password, type Simulator } from './Simulator.ts'

/** The result of replaying one exchange. */
export interface ReplayedExchange extends Comparison {
  exchange: Exchange
  ours: OurResponse
  /** Whether the response shows part of the account for the first time, so that it can't confirm our rules */
  isFirstObservation: boolean
  /** Whether the response depends on unknown values */
  isUndecidable: boolean
}

/**
 * Replays a recording: the simulator responds to each exchange, the responses are compared, and the state continues from the
 * service's response.
 */
export class Replay {
  readonly results: ReplayedExchange[]
  /** The paths of recorded values that the initial state lacks, because no world can contain them */
  readonly unusable: Set<string>
  #start: World
  readonly #simulator: Simulator
  readonly #known = new KnownPaths()
  #world: World
  /** Cached results of reads with their worlds, because most calls of a long recording are repeated */
  readonly #cachedReads = new Map<Exchange['cacheKey'], { world: World; replayed: ReplayedExchange }>()

  constructor(simulator: Simulator, exchanges: readonly Exchange[], interpretation: Interpretation) {
    this.#simulator = simulator
    const observed = withoutImpossibleLists(
      exchanges.map((exchange) => observeExchange(exchange, interpretation, simulator)),
    )
    const { initial, unusable } = readInitialState(observed)
    this.unusable = unusable
    for (const path of initial.keys()) this.#known.set(path, 'initial')
    const next = observed.find((one) => one.next)?.next ?? {}
    this.#start = withNextIds(createWorld(initial, interpretation, password), next)
    this.#world = this.#start
    this.results = exchanges.map((exchange, i) => this.#step(exchange, observed[i] as Observation))
  }

  /** The initial state */
  get start(): World {
    return this.#start
  }

  #step(exchange: Exchange, observation: Observation): ReplayedExchange {
    const cached = this.#cachedReads.get(exchange.cacheKey)
    if (cached?.world === this.#world) return { ...cached.replayed, exchange }
    const { firstRead, before, contradicted } = this.#recordFirstReads(observation)
    const reads = new Set<string>()
    const { ours, change, after } = this.#simulator.respond(before, exchange, (path) => reads.add(path))
    const { response, operation, request } = exchange
    const isTimeDependent = dependsOnTime(operation.operationId, asObject(request.value))
    const isSuccess = response.status === 200
    const hasContent = isSuccess && response.body !== '' && response.body !== '[]'
    const isOverridden = observation.alteredPaths?.some((path) => !this.#isKnown(path, before))
    const isIncomparable =
      ours.status >= 500 ||
      isOverridden ||
      isRequestHidden(exchange) ||
      (isTimeDependent && exchange.isTimeless)
    const compared = compareCached(exchange, ours, this.#simulator.validator)
    const differences = this.#selectDifferences(
      compared.differences,
      exchange,
      observation,
      contradicted,
    ).map((one) => this.#markFirstRead(one, exchange, observation, firstRead))
    const isUndecidable =
      isIncomparable === true ||
      ((!hasContent || ours.status !== 200) && [...reads].some((path) => !this.#isKnown(path, before)))
    this.#world = before
    if (isSuccess && ours.status === 200 && change)
      this.#execute(change, before, after, observation.changedPaths, exchange.isTimeless)
    else for (const path of observation.changedPaths) this.#known.forget(path)
    this.#adopt(observation, differences.length > 0)
    const hasUnusableParts = compared.hasUnusableParts || observation.isImpossible === true
    const replayed = {
      ...compared,
      hasUnusableParts,
      exchange,
      ours,
      differences,
      isFirstObservation: false,
      isUndecidable,
    }
    const isFirstObservation = firstRead.size > 0
    const isRepeatable = !operation.changesState && !isTimeDependent
    if (isRepeatable && this.#world === before && !differences.some((one) => one.isFirstRead))
      this.#cachedReads.set(exchange.cacheKey, { world: before, replayed })
    return { ...replayed, isFirstObservation }
  }

  /** Records values that are read for the first time and must have been the same before. */
  #recordFirstReads({ shownFacts, listedKind, next }: Observation): {
    /** The paths that are read for the first time, and whether they are part of the initial state */
    firstRead: ReadonlyMap<string, boolean>
    before: World
    contradicted: string[]
  } {
    const unread = new Map<string, unknown>()
    const contradicted: string[] = []
    const firstRead = new Map<string, boolean>()
    for (const [path, value] of shownFacts) {
      const known = this.#known.get(path)
      if (path.endsWith('/session') && this.#known.get(`${path}s`)) continue // all sessions are known
      if (known !== 'read' && !(value === false && this.#known.getExistence(path) === 'read'))
        firstRead.set(path, known === 'initial')
      if (!known) this.#start = correctStart(this.#start, this.#world, path, value)
      if (!known || isVolatile(path)) unread.set(path, value)
      else if (ipListFields.has(lastSegment(path)) && !isSameValue(valueAt(this.#world, path), value))
        contradicted.push(path)
      this.#known.set(path, 'read')
    }
    if (listedKind !== undefined) {
      const all = `${listedKind}/*`
      if (this.#known.get(all) !== 'read') firstRead.set(all, true)
      this.#known.set(all, 'read')
    }
    const world = next ? withNextIds(this.#world, next) : this.#world
    return { firstRead, before: unread.size > 0 ? applyFacts(world, unread) : world, contradicted }
  }

  /** Marks a difference in a value that was never read before. It is known from then on. */
  #markFirstRead(
    difference: Difference,
    { operation, path }: Exchange,
    { shownFacts }: Observation,
    firstRead: ReadonlyMap<string, boolean>,
  ): Difference {
    const fact = factPath(difference.path, operation.operationId, path['id'] ?? path['pid'] ?? '', shownFacts)
    // An item that no fact describes is new if the whole response is.
    const isKnown =
      fact === undefined
        ? !/^\[\d+\]/.test(difference.path) || firstRead.size < shownFacts.size
        : this.#known.get(fact) === 'read' && !firstRead.has(fact)
    if (isKnown) return difference
    if (fact !== undefined) this.#known.set(fact, 'read')
    if (fact !== undefined && firstRead.get(fact) && difference.form !== 'notation') this.unusable.add(fact)
    return { ...difference, isFirstRead: true }
  }

  #isKnown(path: string, world: World): boolean {
    const knows = (one: string): boolean => this.#known.getExistence(one) !== undefined
    return path.includes('?') ? areBindingsKnown(path, world, knows) : knows(path)
  }

  /** Generated values only count where the account stores them. Elsewhere they can have any value. */
  #selectDifferences(
    all: readonly Difference[],
    exchange: Exchange,
    { shownFacts, newFacts }: Observation,
    contradicted: readonly string[],
  ): readonly Difference[] {
    if (all.length === 0 && contradicted.length === 0) return all
    const storedFields = addNestedFields(new Set([...shownFacts.keys()].map(lastSegment)))
    const found = all.filter(
      ({ isGenerated, path }) => !isGenerated || (newFacts.size === 0 && storedFields.has(lastSegment(path))),
    )
    if (found.length > 0 || exchange.response.status !== 200) return found
    return contradicted.map((path) => {
      const [real, current] = [shownFacts.get(path), valueAt(this.#world, path)].map(String) as [
        string,
        string,
      ]
      return { path: lastSegment(path), real, ours: current, isGenerated: true, form: 'value' }
    })
  }

  #execute(
    change: WorldChange,
    before: World,
    after: World,
    changedPaths: readonly string[],
    isTimeless = false,
  ): void {
    // Without the time, the dates of new records are unknown.
    const known = isTimeless
      ? []
      : derivedPaths(change, before, (path) => this.#known.get(path) !== undefined)
    for (const path of changedPaths) this.#known.forget(path)
    for (const path of known) if (!this.#known.get(path)) this.#known.set(path, 'read')
    this.#world = after
  }

  /** Continues the state from the service's response, so that a difference is reported only once. */
  #adopt({ shownFacts, newFacts, listedKind }: Observation, isDifferent: boolean): void {
    if (isDifferent && newFacts.size === 0)
      this.#world = applyFacts(
        this.#world,
        new Map([...this.#missingRecords(listedKind, shownFacts), ...shownFacts]),
      )
    if (newFacts.size > 0) this.#world = applyFacts(this.#world, newFacts)
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

function isSameValue(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** Returns the initial state: the values that are read before they are changed, and the paths of those that can't be used. */
function readInitialState(observed: readonly Observation[]): {
  initial: Map<string, unknown>
  unusable: Set<string>
} {
  const initial = new Map<string, unknown>()
  const unusable = new Set<string>()
  const read = new Set<string>()
  const changed = new Set<string>()
  const done = new Set<Observation>()
  const isChanged = (path: string): boolean => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (changed.has(path.slice(0, end))) return true
    return false
  }
  for (const observation of observed) {
    if (done.has(observation)) continue // the same response as before
    done.add(observation)
    for (const [path, value] of observation.shownFacts) {
      const record = recordPath(path)
      const [kind = ''] = path.split('/', 1)
      // A record that wasn't in an earlier list was added since.
      if (
        path === record &&
        isListedCompletely(kind) &&
        read.has(`${kind}/*`) &&
        !read.has(record) &&
        value === true
      )
        changed.add(record)
      if (path.endsWith('/session') && read.has(`${path}s`)) continue // all sessions were read
      if (!read.has(path) && !isChanged(path)) initial.set(path, value)
      read.add(path)
    }
    for (const path of observation.unusablePaths) if (!read.has(path) && !isChanged(path)) unusable.add(path)
    if (observation.listedKind !== undefined && !read.has(`${observation.listedKind}/*`))
      initial.set(`${observation.listedKind}/*`, true)
    if (observation.listedKind !== undefined) read.add(`${observation.listedKind}/*`)
    for (const path of observation.changedPaths) changed.add(path)
    for (const path of observation.newFacts.keys()) if (path !== recordPath(path)) changed.add(path)
  }
  return { initial, unusable: new Set([...unusable].filter((path) => !initial.has(path))) }
}

const observationCache = new WeakMap<Exchange['cacheKey'], Map<string, Observation>>()

function observeExchange(
  exchange: Exchange,
  interpretation: Interpretation,
  simulator: Simulator,
): Observation {
  let observations = observationCache.get(exchange.cacheKey)
  if (!observations) observationCache.set(exchange.cacheKey, (observations = new Map()))
  const key = interpretationKey(interpretation)
  let found = observations.get(key)
  if (!found) {
    found = observe(toObservedCall(exchange, simulator.validator), interpretation)
    observations.set(key, (found = withoutOverridden(found, exchange, simulator)))
  }
  return found
}

/** Removes facts that the response doesn't show unchanged, because an override alters them. */
function withoutOverridden(observation: Observation, exchange: Exchange, simulator: Simulator): Observation {
  const overridden = simulator.applyOverride(exchange)
  if (!overridden) return observation
  const { differences: found } = compare(exchange, overridden, exchange.response)
  const names = new Set(found.map(({ path }) => lastSegment(path)))
  const values = new Set<unknown>(found.map(({ real }) => real))
  const altered = [...observation.shownFacts, ...observation.newFacts].flatMap(([path, value]) =>
    names.has(lastSegment(path)) || (typeof value !== 'boolean' && values.has(value)) ? path : [],
  )
  return { ...withoutFacts(observation, altered), alteredPaths: altered }
}

/** Converts an exchange to the form that the service's rules use. */
export function toObservedCall(
  { operation, path, request, response, at }: Exchange,
  validator: Validator,
): ObservedCall {
  const { status } = response
  const { body } = status === 200 ? checkResponse(operation, response, validator) : {}
  return {
    operationId: operation.operationId,
    path,
    requestBody: asObject(request.value),
    status,
    isBroken: status === 200 && (!body || body.value instanceof Broken),
    body: body && readLoosely(body.value, body.schemas),
    refusal: status >= 400 ? findCase(operation, response) : undefined,
    at,
  }
}

const comparisonCache = new WeakMap<Exchange['cacheKey'], Map<string, Comparison>>()

/** Compares our response with the recorded one. The result is cached, because replays repeat the same comparisons. */
function compareCached(exchange: Exchange, ours: OurResponse, validator: Validator): Comparison {
  let comparisons = comparisonCache.get(exchange.cacheKey)
  if (!comparisons) comparisonCache.set(exchange.cacheKey, (comparisons = new Map()))
  const key = `${ours.status} ${ours.contentType} ${ours.body}`
  let found = comparisons.get(key)
  if (!found) {
    const { operation, response } = exchange
    comparisons.set(
      key,
      (found = compare(exchange, ours, response, checkResponse(operation, response, validator))),
    )
  }
  return found
}

/** Whether the password in a request is redacted, as in a simulator's journal, so that its validity is unknown. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}
