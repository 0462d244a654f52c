import { redacted } from '../journal/redaction/Redactor.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { change } from '../world/change.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Kind, Service, World } from '../world/World.ts'
import { adopt, plenty } from './adopt.ts'
import { compare, type Comparison, type Difference } from './compare.ts'
import type { Answer, Credentials, Exchange } from './Exchange.ts'
import type { Observation } from './observe.ts'
import type { OurAnswer, Simulator } from './Simulator.ts'
import { covers, type Survey, type Surveyed } from './survey.ts'
import { combinationsOf, unknowns, type Unknown } from './unknown.ts'

/** The result of replaying one exchange. */
export interface Step {
  ours: OurAnswer
  /** What still differs once generated values are bound */
  differences: readonly Difference[]
  /** It shows something of the account for the first time, which proves nothing */
  isFirst: boolean
  /** It depends on what was never seen: if that were so, the simulator would respond as the service did */
  isUndecidable: boolean
}

type Assumed = Pick<Observation, 'path' | 'value'>

/** Replays a recording from one world: responds, compares, and takes over what the service shows. */
export class Replay {
  /** What the exchanges must have met at the beginning, beside what they show of it */
  readonly assumed = new Map<string, unknown>()
  readonly #simulator: Simulator
  readonly #survey: Survey
  readonly #compared: Comparisons
  #world: World
  /** Paths whose values were seen, or follow from a response */
  readonly #known: Set<string>
  /** Paths that the service set and the simulator refused to */
  readonly #open = new Set<string>()
  readonly #set = new Set<string>()
  /** Recorded values in the place of generated ones that the world can't hold, by where they occur */
  readonly #bound = new Map<string, unknown>()

  constructor(simulator: Simulator, survey: Survey, compared: Comparisons, start: World, readings: Readings) {
    this.#simulator = simulator
    this.#survey = survey
    this.#compared = compared
    this.#world = change(start, { assumptions: readings })
    this.#known = new Set(survey.facts.keys())
  }

  get world(): World {
    return this.#world
  }

  step(at: number): Step {
    const surveyed = this.#survey.exchanges[at] as Surveyed
    const { exchange, shows, sets } = surveyed
    const isSuccess = exchange.response.status === 200
    const before = this.#prepare(surveyed)
    const { ours, after } = this.#simulator.respond(before, exchange)
    const { differences: all } = this.#compared.of(exchange, ours)
    const differences = all.filter((one) => !this.#isBound(surveyed, one))
    // A failure of our own says nothing about the service.
    const isMoot = isRequestHidden(exchange) || ours.status >= 500 || this.#mayBeOfAnother(surveyed)
    const found = isMoot ? [] : unknowns(surveyed, before, (path) => this.#isKnown(path, surveyed))
    const known = this.#known.size
    this.#world = !isSuccess && ours.status === 200 ? before : after
    let explained: OurAnswer | undefined
    if (differences.length > 0) explained = this.#explain(found, before, surveyed, differences)
    else for (const one of found) this.#learn([one], this.#explaining([one], before, surveyed, []))
    const hasLearned = this.#known.size > known
    // A refusal that only one fact explains shows that fact.
    const isSolved =
      explained !== undefined && (isSuccess || (hasLearned && !found.some(({ isLoose }) => isLoose)))
    if (!isSolved && differences.length > 0) this.#catchUp(surveyed)
    for (const path of sets) {
      this.#set.add(path)
      if (isSolved || ours.status === 200) this.#open.delete(path)
      else this.#open.add(path)
    }
    // What it shows of what it set is so from now on.
    const ofSet = new Set(sets)
    this.#world = adopt(
      this.#world,
      shows.filter(({ path }) => covers(ofSet, path)),
    )
    const isUnseen = isMoot || surveyed.isUnexplained || this.#isOfUnseen(surveyed, ours)
    return {
      ours: isSolved ? (explained as OurAnswer) : ours,
      differences: isSolved ? [] : differences,
      isFirst: surveyed.isFirst || (hasLearned && !surveyed.isUnexplained),
      isUndecidable: differences.length > 0 ? isMoot || explained !== undefined : isUnseen,
    }
  }

  /** The world that an exchange meets, as far as the recording shows it. */
  #prepare({ adopts, shows, ids }: Surveyed): World {
    for (const { path } of adopts) this.#known.add(path)
    const opened = shows.filter(({ path, implied }) => !implied && covers(this.#open, path))
    for (const { path } of opened) this.#open.delete(path)
    const world = adopt(this.#world, [...adopts, ...opened])
    return ids ? change(world, { next: ids }) : world
  }

  /** Whether an exchange is about a record of which nothing is known, not even whether it exists. */
  #isOfUnseen(surveyed: Surveyed, ours: OurAnswer): boolean {
    const { record } = surveyed
    if (ours.status === 401 || ours.type === 'text/plain') return false
    return record !== undefined && record !== '' && !this.#isKnown(record, surveyed)
  }

  /** Whether an exchange that may need no credentials, and had none, is about a record that this account doesn't have. */
  #mayBeOfAnother({ exchange: { operation, request, response }, record }: Surveyed): boolean {
    if (operation.authOptionalWhen === undefined || !lacksCredentials(request.credentials)) return false
    const [kind, id = ''] = record?.split('/') ?? []
    return response.status === 200 && id !== '' && !this.#world[kind as Kind].has(id)
  }

  #isKnown(path: string, { doubts }: Surveyed): boolean {
    const { facts, whole } = this.#survey
    const [kind = '', id = '', field] = path.split('/')
    if (covers(doubts, path, 3) || covers(this.#open, path, 3)) return false
    if (path === 'credit') return facts.has(path) // an order takes from it, whatever it was
    if (covers(this.#known, path, 3)) return true
    if (covers(this.#set, path)) {
      // An ordered service has the type of its product, which no order shows.
      const { product } = (this.#world.services.get(id) ?? {}) as Partial<Service>
      return field !== 'product_type' || this.#isKnown(`products/${product}/${field}`, { doubts } as Surveyed)
    }
    if (kind === 'products' || id === '') return false
    return field === undefined && whole.has(kind) && !doubts.has(kind)
  }

  /** Whether a difference doesn't count, as the service generated the value, now or earlier. */
  #isBound({ exchange: { request }, sets, shows }: Surveyed, found: Difference): boolean {
    if (!found.generated) return false
    // A value from the request isn't generated.
    const isAsked = isObject(request.value) && Object.values(request.value).includes(found.ours)
    if (sets.length > 0) return !isAsked
    const field = found.path.slice(found.path.lastIndexOf('.') + 1)
    if (shows.some((one) => one.generated && one.path.endsWith(`/${field}`))) return false
    const place = `${request.url} ${found.path} ${String(found.ours)}`
    if (!this.#bound.has(place)) this.#bound.set(place, found.real)
    const known = this.#bound.get(place)
    this.#bound.set(place, found.real)
    return known === found.real
  }

  /** The combinations of options under which we respond as the service did. */
  #explaining(
    found: readonly Unknown[],
    before: World,
    { exchange }: Surveyed,
    differences: readonly Difference[],
  ): (readonly Assumed[][])[] {
    // Generated values that are bound already.
    const bound = new Set(differences.flatMap(({ path, generated }) => (generated ? [path] : [])))
    return (combinationsOf(found) as Assumed[][][]).filter((options) => {
      const { ours } = this.#simulator.respond(adopt(before, options.flat()), exchange)
      const { differences: left } = this.#compared.of(exchange, ours)
      return left.every(({ path, generated }) => generated && !bound.has(path))
    })
  }

  /** @returns our response if what nobody saw were so that it is the service's */
  #explain(
    found: readonly Unknown[],
    before: World,
    surveyed: Surveyed,
    differences: readonly Difference[],
  ): OurAnswer | undefined {
    const explaining = this.#explaining(found, before, surveyed, differences)
    const [first] = explaining
    if (!first || found.length === 0) return undefined
    const { exchange } = surveyed
    for (const [i, option] of first.entries())
      for (const one of option) if (!found[i]?.isLoose || one.path.endsWith('/price')) this.#assume(one)
    const { ours, after } = this.#simulator.respond(adopt(before, first.flat()), exchange)
    if (exchange.response.status === 200) this.#world = after
    this.#learn(found, explaining)
    return ours
  }

  /** A later explanation takes the place of an earlier one that it shows to be wrong. */
  #assume({ path, value }: Assumed): void {
    if (!covers(this.#known, path, 3) && !covers(this.#set, path)) this.assumed.set(path, value)
  }

  /** What all explanations have in common is so. */
  #learn(found: readonly Unknown[], explaining: readonly (readonly Assumed[][])[]): void {
    const [first, ...others] = explaining
    for (const [i, { isLoose }] of found.entries()) {
      const common = (first?.[i] ?? []).filter(({ path, value }) =>
        others.every((options) => options[i]?.some((one) => one.path === path && isSame(one.value, value))),
      )
      if (isLoose || common.length === 0) continue
      for (const one of common) {
        this.#assume(one)
        this.#known.add(one.path)
      }
      this.#world = adopt(this.#world, common)
    }
  }

  /** Brings our world in line with the service's, so that a difference is reported once. */
  #catchUp({ exchange: { request }, shows, sets, lists }: Surveyed): void {
    if (sets.length > 0 || lacksCredentials(request.credentials)) return
    this.#world = adopt(
      this.#world,
      shows.filter(({ implied }) => !implied),
    )
    if (lists === undefined || lists === 'products') return
    const there = new Set(shows.map(({ path }) => path))
    const gone = [...this.#world[lists as Kind].keys()].map((id) => `${lists}/${id}`)
    this.#world = adopt(
      this.#world,
      gone.filter((path) => !there.has(path)).map((path) => ({ path, value: false })),
    )
  }
}

/** Replays the same recording over and over: the same responses compare the same. */
export class Comparisons {
  readonly #known = new WeakMap<Exchange, Map<string, Comparison>>()

  of(exchange: Exchange, ours: Answer): Comparison {
    let known = this.#known.get(exchange)
    if (!known) this.#known.set(exchange, (known = new Map()))
    const key = `${ours.status} ${ours.type} ${ours.body}`
    let found = known.get(key)
    if (!found) known.set(key, (found = compare(exchange, ours, exchange.response)))
    return found
  }
}

/** Runs a replay from a world with plenty of credit up to where the credit is seen. @returns what it was at the start */
export function creditAtStart(replay: Replay, { creditAt = 0, exchanges }: Survey): number {
  for (let at = 0; at < creditAt; at++) replay.step(at)
  const seen = exchanges[creditAt]?.shows.find(({ path }) => path === 'credit')?.value
  return Math.max(0, Math.round((Number(seen) + plenty - replay.world.credit) * 100) / 100)
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** The journal of a simulator has a mark in place of the password: nobody knows whether it was valid. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}

function lacksCredentials(credentials: Credentials): boolean {
  return credentials.form === 'none' || (credentials.form === 'basic' && !credentials.isGood)
}
