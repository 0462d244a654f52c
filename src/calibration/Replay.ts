import type { Validator } from '../contract/validator/createValidator.ts'
import { redacted } from '../journal/redact.ts'
import { adopt, valueAt, withNextIds, worldWith } from '../service/calibration/adopt.ts'
import { inLists, isWhole, startWith, withNested } from '../service/calibration/fields.ts'
import { knowsHolders, knownAfter } from '../service/calibration/knownPaths.ts'
import {
  type Call,
  type Facts,
  isVolatile,
  observe,
  type Observation,
  type Interpretation,
  interpretationKey,
  takesTime,
} from '../service/calibration/observe.ts'
import { asObject } from '../contract/Contract.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Kind, World, WorldChange } from '../world/World.ts'
import { checkResponse } from './checkResponse.ts'
import { compare, type Difference } from './compare.ts'
import type { Exchange } from './Exchange.ts'
import { Known, recordOf } from './Known.ts'
import { caseOf, withNumbers } from './schemas.ts'
import { type OurResponse, password, type Simulator } from './Simulator.ts'

/** The result of replaying one exchange. */
export interface Replayed {
  exchange: Exchange
  ours: OurResponse
  differences: readonly Difference[]
  /** Whether it shows part of the account for the first time, which proves nothing */
  isFirst: boolean
  /** Whether it depends on unknown values */
  isUndecidable: boolean
}

/**
 * Replays a recording: the simulator responds to each exchange, the responses are compared, and the state continues from the
 * service's response.
 */
export class Replay {
  readonly results: Replayed[]
  #start: World
  readonly #simulator: Simulator
  readonly #known = new Known()
  #world: World
  /** Cached results of reads with their worlds, because most calls of a long recording are repeated */
  readonly #repeated = new Map<Exchange['alike'], { world: World; replayed: Replayed }>()

  constructor(simulator: Simulator, exchanges: readonly Exchange[], interpretation: Interpretation) {
    this.#simulator = simulator
    const observed = exchanges.map((exchange) => observationOf(exchange, interpretation, simulator))
    const initial = initialFacts(observed)
    for (const path of initial.keys()) this.#known.set(path, 'initial')
    const next = observed.find((one) => one.next)?.next ?? {}
    this.#start = withNextIds(worldWith(initial, interpretation, password), next)
    this.#world = this.#start
    this.results = exchanges.map((exchange, i) => this.#step(exchange, observed[i] as Observation))
  }

  /** The initial state */
  get start(): World {
    return this.#start
  }

  #step(exchange: Exchange, observation: Observation): Replayed {
    const repeated = this.#repeated.get(exchange.alike)
    if (repeated?.world === this.#world) return { ...repeated.replayed, exchange }
    const { isFirst, before, contradicted } = this.#learn(observation)
    const reads = new Set<string>()
    const { ours, change, after } = this.#simulator.respond(before, exchange, (path) => reads.add(path))
    const { response, operation, request } = exchange
    const isTimed = takesTime(operation.operationId, asObject(request.value))
    const isSuccess = response.status === 200
    const isTold = isSuccess && response.body !== '' && response.body !== '[]'
    const isShaped = observation.hidden?.some((path) => !this.#knows(path, before))
    const isMoot =
      ours.status >= 500 || isShaped || isRequestHidden(exchange) || (isTimed && exchange.isTimeless)
    const isUndecidable =
      isMoot === true ||
      ((!isTold || ours.status !== 200) && [...reads].some((path) => !this.#knows(path, before)))
    const differences = this.#differences(exchange, observation, ours, contradicted)
    this.#world = before
    if (isSuccess && ours.status === 200 && change)
      this.#execute(change, before, after, observation.changedPaths, exchange.isTimeless)
    else for (const path of observation.changedPaths) this.#known.forget(path)
    this.#adopt(observation, differences.length > 0)
    const replayed = { exchange, ours, differences, isFirst, isUndecidable }
    if (!operation.changesState && !isTimed && this.#world === before)
      this.#repeated.set(exchange.alike, { world: before, replayed: { ...replayed, isFirst: false } })
    return replayed
  }

  /** Records values that are read for the first time and must have been the same before. */
  #learn({ shows, lists, next }: Observation): { isFirst: boolean; before: World; contradicted: string[] } {
    const unread = new Map<string, unknown>()
    const contradicted: string[] = []
    let isFirst = lists !== undefined && this.#known.get(`${lists}/*`) !== 'read'
    for (const [path, value] of shows) {
      const known = this.#known.get(path)
      if (path.endsWith('/session') && this.#known.get(`${path}s`)) continue // all sessions are known
      if (known !== 'read' && !(value === false && this.#known.ofRecord(path) === 'read')) isFirst = true
      if (!known) this.#start = startWith(this.#start, this.#world, path, value)
      if (!known || isVolatile(path)) unread.set(path, value)
      else if (inLists.has(lastOf(path)) && !isSameValue(valueAt(this.#world, path), value))
        contradicted.push(path)
      this.#known.set(path, 'read')
    }
    if (lists !== undefined) this.#known.set(`${lists}/*`, 'read')
    const world = next ? withNextIds(this.#world, next) : this.#world
    return { isFirst, before: unread.size > 0 ? adopt(world, unread) : world, contradicted }
  }

  #knows(path: string, world: World): boolean {
    const knows = (one: string): boolean => this.#known.ofRecord(one) !== undefined
    return path.includes('?') ? knowsHolders(path, world, knows) : knows(path)
  }

  /** Generated values only count where the account stores them. Elsewhere they can have any value. */
  #differences(
    exchange: Exchange,
    { shows, sets }: Observation,
    ours: OurResponse,
    contradicted: readonly string[],
  ): readonly Difference[] {
    const all = differencesFrom(exchange, ours, this.#simulator.validator)
    if (all.length === 0 && contradicted.length === 0) return all
    const held = withNested(new Set([...shows.keys()].map(lastOf)))
    const found = all.filter(
      ({ generated, path }) => !generated || (sets.size === 0 && held.has(lastOf(path))),
    )
    if (found.length > 0 || exchange.response.status !== 200) return found
    return contradicted.map((path) => {
      const [real, own] = [shows.get(path), valueAt(this.#world, path)].map(String) as [string, string]
      return { path: lastOf(path), real, ours: own, generated: true }
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
    const known = isTimeless ? [] : knownAfter(change, before, (path) => this.#known.get(path) !== undefined)
    for (const path of changedPaths) this.#known.forget(path)
    for (const path of known) if (!this.#known.get(path)) this.#known.set(path, 'read')
    this.#world = after
  }

  /** Continues the state from the service's response, so that a difference is reported only once. */
  #adopt({ shows, sets, lists }: Observation, isDifferent: boolean): void {
    if (isDifferent && sets.size === 0)
      this.#world = adopt(this.#world, new Map([...this.#goneFrom(lists, shows), ...shows]))
    if (sets.size > 0) this.#world = adopt(this.#world, sets)
    for (const path of sets.keys()) this.#known.set(path, 'read')
  }

  /** Records that are missing in a complete list. */
  #goneFrom(lists: Kind | undefined, shows: Facts): [string, false][] {
    if (lists === undefined || !isWhole(lists)) return []
    const paths = [...this.#world[lists].keys()].map((id) => `${lists}/${id}`)
    return paths.filter((path) => !shows.has(path)).map((path) => [path, false])
  }
}

function lastOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('.')) + 1)
}

function isSameValue(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** The initial state: values that are read before anything changes them. */
function initialFacts(observed: readonly Observation[]): Map<string, unknown> {
  const initial = new Map<string, unknown>()
  const read = new Set<string>()
  const changed = new Set<string>()
  const done = new Set<Observation>()
  const isChanged = (path: string): boolean => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (changed.has(path.slice(0, end))) return true
    return false
  }
  for (const one of observed) {
    if (done.has(one)) continue // the same response as before
    done.add(one)
    for (const [path, value] of one.shows) {
      const record = recordOf(path)
      const [kind = ''] = path.split('/', 1)
      // A record that wasn't in an earlier list was added since.
      if (path === record && isWhole(kind) && read.has(`${kind}/*`) && !read.has(record) && value === true)
        changed.add(record)
      if (path.endsWith('/session') && read.has(`${path}s`)) continue // all sessions were read
      if (!read.has(path) && !isChanged(path)) initial.set(path, value)
      read.add(path)
    }
    if (one.lists !== undefined && !read.has(`${one.lists}/*`)) initial.set(`${one.lists}/*`, true)
    if (one.lists !== undefined) read.add(`${one.lists}/*`)
    for (const path of one.changedPaths) changed.add(path)
    for (const path of one.sets.keys()) if (path !== recordOf(path)) changed.add(path)
  }
  return initial
}

const observations = new WeakMap<Exchange['alike'], Map<string, Observation>>()

function observationOf(
  exchange: Exchange,
  interpretation: Interpretation,
  simulator: Simulator,
): Observation {
  let own = observations.get(exchange.alike)
  if (!own) observations.set(exchange.alike, (own = new Map()))
  const key = interpretationKey(interpretation)
  let found = own.get(key)
  if (!found) {
    found = observe(callOf(exchange, simulator.validator), interpretation)
    own.set(key, (found = withoutShaped(found, exchange, simulator)))
  }
  return found
}

/** Removes facts that an override would change once more: the response doesn't show them as they are. */
function withoutShaped(observation: Observation, exchange: Exchange, simulator: Simulator): Observation {
  const shaped = simulator.overridden(exchange)
  if (!shaped) return observation
  const found = compare(exchange, shaped, exchange.response)
  const names = new Set(found.map(({ path }) => lastOf(path)))
  const values = new Set<unknown>(found.map(({ real }) => real))
  const hidden = [...observation.shows, ...observation.sets].flatMap(([path, value]) =>
    names.has(lastOf(path)) || (typeof value !== 'boolean' && values.has(value)) ? path : [],
  )
  const without = (facts: Facts): Facts => new Map([...facts].filter(([path]) => !hidden.includes(path)))
  return { ...observation, shows: without(observation.shows), sets: without(observation.sets), hidden }
}

/** An exchange in the form that the rules of the service use. */
export function callOf({ operation, path, request, response, at }: Exchange, validator: Validator): Call {
  const { status } = response
  const { body } = status === 200 ? checkResponse(operation, response, validator) : {}
  return {
    operationId: operation.operationId,
    path,
    asked: asObject(request.value),
    status,
    isBroken: status === 200 && body === undefined,
    body: body && withNumbers(body.value, body.schemas),
    refusal: status >= 400 ? caseOf(operation, response) : undefined,
    at,
  }
}

const compared = new WeakMap<Exchange['alike'], Map<string, readonly Difference[]>>()

/** The differences between our response and the recorded one. Cached, because replays repeat the same comparisons. */
function differencesFrom(exchange: Exchange, ours: OurResponse, validator: Validator): readonly Difference[] {
  let own = compared.get(exchange.alike)
  if (!own) compared.set(exchange.alike, (own = new Map()))
  const key = `${ours.status} ${ours.type} ${ours.body}`
  let found = own.get(key)
  if (!found) {
    const { operation, response } = exchange
    own.set(key, (found = compare(exchange, ours, response, checkResponse(operation, response, validator))))
  }
  return found
}

/** The journal of a simulator contains a mark instead of the password, so its validity is unknown. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}
