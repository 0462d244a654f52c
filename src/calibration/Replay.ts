import { redacted } from '../journal/redaction/Redactor.ts'
import type { Interpretations } from '../scenario/ScenarioDocument.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Kind, World } from '../world/World.ts'
import { adopt, unlimitedCredit, worldWith } from './adopt.ts'
import { differencesFrom, type Difference } from './compare.ts'
import type { Exchange } from './Exchange.ts'
import { Knowledge, type Survey } from './Knowledge.ts'
import type { Fact, Observation } from './observe.ts'
import type { OurResponse, Simulator } from './Simulator.ts'
import { waysOf } from './unknowns.ts'

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
 * are compared, and what the service shows is adopted.
 */
export class Replay {
  readonly results: Replayed[]
  /** What was so at the beginning: what was seen, and what the exchanges must have met beside that */
  readonly start: Map<string, unknown>
  readonly #simulator: Simulator
  readonly #knowledge: Knowledge
  #world: World
  /** Recorded values in the place of generated ones that the world can't hold, by where they stand */
  readonly #bound = new Map<string, unknown>()

  constructor(simulator: Simulator, survey: Survey, interpretations: Interpretations, interval: number) {
    const { observations, firsts, facts, ids } = survey
    this.#simulator = simulator
    this.#knowledge = new Knowledge(facts.keys())
    this.#world = worldWith(facts, ids, interpretations, interval)
    this.start = new Map(facts)
    this.results = observations.map((one) => this.#step(one, firsts.has(one)))
    this.#learnCredit(0) // if it was never seen, it was as much as was spent
  }

  #step(observation: Observation, isFirst: boolean): Replayed {
    const { exchange, shows, sets, lists, ids } = observation
    const isSuccess = exchange.response.status === 200
    const isAnonymous = exchange.request.credentials !== 'valid'
    const { adopts } = this.#knowledge.meet(observation)
    for (const { path, value } of adopts) if (path === 'credit') this.#learnCredit(Number(value))
    const before = adopts.length > 0 || ids ? adopt(this.#world, adopts, ids) : this.#world
    let { ours, after } = this.#simulator.respond(before, exchange)
    let differences = differencesFrom(exchange, ours).filter((one) => !this.#isBound(observation, one))
    const isSame = differences.length === 0
    const isMoot = ours.status >= 500 || isRequestHidden(exchange)
    const isUnseen = isMoot || this.#isOfUnseen(observation, ours)
    // What succeeded shows as well how things were.
    const isTelling = !isMoot && (!isSame || sets.length > 0)
    const explained = isTelling ? this.#explain(before, observation, differences, adopts) : undefined
    if (explained) ({ ours, after } = explained)
    if (explained && (explained.hasLearned || isSuccess)) differences = []
    this.#world = explained || isSuccess === (ours.status === 200) ? after : before
    if (isSuccess && ours.status !== 200) this.#knowledge.forget(sets)
    else this.#knowledge.set(observation)
    // Where they differ, it goes on from what the service shows, so that a difference is reported once.
    if (sets.length > 0) this.#world = adopt(this.#world, shows)
    else if (differences.length > 0 && !isAnonymous)
      this.#world = adopt(this.#world, [...this.#goneFrom(lists, shows), ...shows])
    return {
      exchange,
      ours,
      differences,
      isFirst: isFirst || explained?.hasLearned === true,
      isUndecidable: isSame || (isAnonymous && isSuccess) ? isUnseen : isMoot || explained !== undefined,
    }
  }

  /** What the credit is now, in USD, says what it was at the beginning, as our rules know what was spent. */
  #learnCredit(now: number): void {
    const first = Math.round((now + unlimitedCredit - this.#world.credit) * 100) / 100
    if (!this.start.has('credit')) this.start.set('credit', Math.max(0, first))
  }

  /** Whether a difference doesn't count, as the service generated the value, now or earlier. */
  #isBound({ exchange: { request }, sets, shows }: Observation, found: Difference): boolean {
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
  #explain(
    before: World,
    observation: Observation,
    differences: readonly Difference[],
    adopts: readonly Fact[],
  ) {
    const { exchange } = observation
    const ways = waysOf(observation, before, this.#knowledge)
    if (ways.length === 1) return undefined
    const wrong = new Set(differences.map(({ path, generated }) => (generated ? path : '')))
    const explaining = ways.flatMap((guesses) => {
      const { ours, after } = this.#simulator.respond(adopt(before, [...guesses, ...adopts]), exchange)
      const isSame = differencesFrom(exchange, ours).every(
        ({ path, generated }) => generated && !wrong.has(path),
      )
      return isSame ? [{ guesses, ours, after }] : []
    })
    const [first] = explaining
    if (!first) return undefined
    const firm = first.guesses.filter(({ isLoose }) => !isLoose)
    const common = firm.filter(({ path, value }) =>
      explaining.every(({ guesses }) => guesses.some((one) => one.path === path && one.value === value)),
    )
    for (const { path, value, isLoose } of first.guesses)
      if ((!isLoose || path.endsWith('/price')) && this.#knowledge.isUntouched(path))
        this.start.set(path, value)
    this.#knowledge.learn(common.map(({ path }) => path))
    const hasLearned =
      common.length > 0 && explaining.some(({ guesses }) => guesses.every(({ isLoose }) => !isLoose))
    const after = exchange.response.status === 200 ? first.after : adopt(before, firm)
    return { ours: first.ours, after, hasLearned }
  }

  /** Whether an exchange is about a record of which nothing is known, not even whether it exists. */
  #isOfUnseen({ target }: Observation, ours: OurResponse): boolean {
    return target !== undefined && ours.type !== 'text/plain' && !this.#knowledge.knows(target)
  }

  /** Records that a full list doesn't have. */
  #goneFrom(lists: string | undefined, shows: readonly Fact[]): Fact[] {
    if (lists === undefined || lists === 'products' || lists.includes('/')) return []
    const there = new Set(shows.map(({ path }) => path))
    const paths = [...this.#world[lists as Kind].keys()].map((id) => `${lists}/${id}`)
    return paths.filter((path) => !there.has(path)).map((path) => ({ path, value: false }))
  }
}

/** The journal of a simulator has a mark in place of the password: nobody knows whether it was valid. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}
