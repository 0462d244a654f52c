import { redacted } from '../journal/redaction/Redactor.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { change } from '../world/change.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Kind, World } from '../world/World.ts'
import { adopt, plenty, type Fact } from './adopt.ts'
import { compare, type Difference } from './compare.ts'
import { lacksCredentials, type Exchange, type RecordedResponse } from './Exchange.ts'
import { Knowledge, type Survey, type Surveyed } from './Knowledge.ts'
import { recordsNamed } from './observe.ts'
import type { OurResponse, Simulator } from './Simulator.ts'
import { hideUnlisted, startingWorld } from './startingWorld.ts'
import { combinationsOf, unknowns } from './unknowns.ts'

/** What the replay of one exchange shows. */
export interface Replayed {
  exchange: Exchange
  ours: OurResponse
  /** What still differs once generated values are bound */
  differences: readonly Difference[]
  /** It shows something of the account for the first time, which proves nothing */
  isFirst: boolean
  /** It depends on what was never seen */
  isUndecidable: boolean
}

/**
 * Replays a recording from the world that it shows at its beginning: for each exchange, the simulator responds, the responses
 * are compared, and what the service shows is taken over.
 */
export class Replay {
  readonly results: Replayed[] = []
  /** What the exchanges must have met at the beginning, beside what they show of it */
  readonly assumed = new Map<string, unknown>()
  readonly #simulator: Simulator
  readonly #survey: Survey
  readonly #compare: typeof compare
  readonly #knowledge: Knowledge
  #world: World
  /** Recorded values in the place of generated ones that the world can't hold, by where they stand */
  readonly #bound = new Map<string, unknown>()
  /** In USD, if orders came before it was seen */
  #firstCredit: number | undefined

  constructor(
    simulator: Simulator,
    survey: Survey,
    compared: typeof compare,
    readings: Readings,
    interval: number,
  ) {
    this.#simulator = simulator
    this.#survey = survey
    this.#compare = compared
    this.#knowledge = new Knowledge(survey.facts.keys(), survey.listed)
    this.#world = startingWorld(survey, readings, interval)
  }

  /** What the credit was at the beginning; if it was never seen, as much as was spent. */
  get credit(): number {
    const seen = this.#survey.facts.get('credit') as number | undefined
    const credit = seen ?? this.#firstCredit ?? plenty - this.#world.credit
    return Math.max(0, Math.round(credit * 100) / 100)
  }

  step(surveyed: Surveyed): void {
    const { exchange, shows, sets, lists, ids } = surveyed
    const isSuccess = exchange.response.status === 200
    const { adopts } = this.#knowledge.meet(surveyed)
    const credit = adopts.find(({ path }) => path === 'credit')
    if (credit) this.#firstCredit ??= Number(credit.value) + plenty - this.#world.credit
    const adopted = adopt(this.#world, adopts)
    const before = ids ? change(adopted, { next: ids }) : adopted
    let { ours, after } = this.#simulator.respond(before, exchange)
    let differences = this.#compare(exchange, ours, exchange.response).filter(
      (one) => !this.#isBound(surveyed, one),
    )
    const isMoot = ours.status >= 500 || isRequestHidden(exchange) || this.#mayBeOfAnother(exchange)
    const isUnseen = isMoot || this.#isOfUnseen(exchange, ours)
    const isSame = differences.length === 0
    // What succeeded shows as well how things were.
    const isTelling = !isMoot && (!isSame || sets.length > 0)
    const explained = isTelling ? this.#explain(before, surveyed, differences) : undefined
    if (explained) ({ ours, after } = explained)
    if (explained && (explained.hasLearned || isSuccess)) differences = []
    this.#world = explained || isSuccess === (ours.status === 200) ? after : before
    if (isSuccess && ours.status !== 200) for (const path of sets) this.#knowledge.forget(path)
    else this.#knowledge.set(surveyed)
    // Where they differ, it goes on from what the service shows, so that a difference is reported once.
    if (differences.length > 0 && sets.length === 0 && !lacksCredentials(exchange.request.credentials))
      this.#world = withoutUnlisted(adopt(this.#world, shows), lists, shows)
    else if (sets.length > 0) this.#world = adopt(this.#world, shows)
    this.results.push({
      exchange,
      ours,
      differences,
      isFirst: surveyed.isFirst || explained?.hasLearned === true,
      isUndecidable: isSame ? isUnseen : isMoot || explained !== undefined,
    })
  }

  /** Whether a difference doesn't count, as the service generated the value, now or earlier. */
  #isBound({ exchange: { request }, sets, shows }: Surveyed, found: Difference): boolean {
    if (!found.generated) return false
    if (sets.length > 0) return !Object.values(Object(request.value) as object).includes(found.ours)
    const field = found.path.slice(found.path.lastIndexOf('.') + 1)
    if (shows.some((one) => one.generated && one.path.endsWith(`/${field}`))) return false // the world holds it
    const place = `${request.url} ${found.path} ${String(found.ours)}`
    const known = this.#bound.get(place) ?? found.real
    this.#bound.set(place, found.real)
    return known === found.real
  }

  /**
   * Whether the simulator would respond as the service did if what nobody saw were in some way. What all such ways have in
   * common is so.
   */
  #explain(before: World, { exchange, shows }: Surveyed, differences: readonly Difference[]) {
    const found = unknowns(exchange, before, this.#knowledge)
    if (found.length === 0) return undefined
    const wrong = new Set(differences.map(({ path, generated }) => (generated ? path : '')))
    const explaining = combinationsOf(found).flatMap((facts) => {
      const ofType = shows.filter(({ isVolatile }) => isVolatile) // only a service of its type can hold it
      const { ours, after } = this.#simulator.respond(adopt(before, [...facts, ...ofType]), exchange)
      const left = this.#compare(exchange, ours, exchange.response)
      return left.every(({ path, generated }) => generated && !wrong.has(path))
        ? [{ facts, ours, after }]
        : []
    })
    const [first] = explaining
    if (!first) return undefined
    const loose = new Set(found.flatMap(({ options, isLoose }) => (isLoose ? options.slice(1).flat() : [])))
    const isFirm = (fact: Fact): boolean => !loose.has(fact)
    const firm = first.facts.filter(isFirm)
    const common = firm.filter((fact) =>
      explaining.every(({ facts }) => facts.some((one) => isSameFact(one, fact))),
    )
    for (const fact of first.facts)
      if ((isFirm(fact) || fact.path.endsWith('/price')) && !this.#knowledge.hasChanged(fact.path))
        this.assumed.set(fact.path, fact.value)
    this.#knowledge.learn(common)
    const hasLearned = common.length > 0 && explaining.some(({ facts }) => facts.every(isFirm))
    const after = exchange.response.status === 200 ? first.after : adopt(before, firm)
    return { ours: first.ours, after: hideUnlisted(after, this.#survey), hasLearned }
  }

  /** Whether an exchange is about a record of which nothing is known, not even whether it exists. */
  #isOfUnseen(exchange: Exchange, ours: OurResponse): boolean {
    const { inPath } = recordsNamed(exchange)
    return inPath !== undefined && ours.type !== 'text/plain' && !this.#knowledge.knows(inPath)
  }

  /** Whether an exchange that may need no credentials, and had none, is about a record that this account doesn't have. */
  #mayBeOfAnother(exchange: Exchange): boolean {
    const { operation, request, response } = exchange
    if (!operation.authOptionalWhen || !lacksCredentials(request.credentials)) return false
    const [kind, id] = (recordsNamed(exchange).inPath ?? '').split('/') as [Kind, string?]
    return response.status === 200 && id !== undefined && !this.#world[kind].has(id)
  }
}

function isSameFact(a: Fact, b: Fact): boolean {
  return a.path === b.path && a.value === b.value
}

/** Replays the same recording over and over: the same responses compare the same. */
export function rememberingCompare(): typeof compare {
  const known = new WeakMap<Exchange, Map<string, Difference[]>>()
  return (exchange: Exchange, ours: RecordedResponse, real: RecordedResponse) => {
    const key = `${ours.status} ${ours.type} ${ours.body}`
    const own = known.get(exchange) ?? new Map<string, Difference[]>()
    const found = own.get(key) ?? compare(exchange, ours, real)
    known.set(exchange, own.set(key, found))
    return found
  }
}

/** Records that a full list doesn't have are gone. */
function withoutUnlisted(world: World, lists: string | undefined, shows: readonly Fact[]): World {
  if (lists === undefined || lists === 'products' || lists.includes('/')) return world
  const there = new Set(shows.map(({ path }) => path))
  const gone = [...world[lists as Kind].keys()]
    .map((id) => `${lists}/${id}`)
    .filter((path) => !there.has(path))
  return adopt(
    world,
    gone.map((path) => ({ path, value: false })),
  )
}

/** The journal of a simulator has a mark in place of the password: nobody knows whether it was valid. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}
