import type { Contract } from '../contract/Contract.ts'
import { buildWorld } from '../scenario/buildWorld.ts'
import type { Readings, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { Exchange } from './Exchange.ts'
import { instantsOf } from './interval.ts'
import { login, type Judge } from './Judge.ts'
import type { Group } from './readRecordings.ts'
import { readRecording, Replay, type Hypothesis, type Recording, type Step } from './replay.ts'
import { startingScenario } from './startingWorld.ts'
import type { Survey } from './survey.ts'
import { plenty } from './unseen.ts'

/** Replays a group of recordings from the world that it shows at its start. */
export class GroupReplay {
  readonly group: Group
  readonly recording: Recording
  readonly #judge: Judge
  readonly #contract: Contract
  /** Seconds */
  readonly #interval: number
  readonly #instants: readonly Instant[]
  #start: World | undefined

  constructor(judge: Judge, contract: Contract, group: Group, interval: number) {
    this.group = group
    this.recording = readRecording(group.exchanges)
    this.#judge = judge
    this.#contract = contract
    this.#interval = interval
    this.#instants = instantsOf(group.exchanges, interval)
  }

  async run(readings: Readings, tick: () => Promise<void>): Promise<Step[]> {
    const hypothesis = this.#hypothesis(readings)
    const world = await this.#world(await this.#creditOf(hypothesis))
    return new Replay(this.#judge, this.recording, hypothesis).run(world, tick)
  }

  /** The world at the start. */
  async scenario(readings: Readings): Promise<ScenarioDocument> {
    const hypothesis = this.#hypothesis(readings)
    const derived = await this.#creditOf(hypothesis)
    const credit = derived === plenty ? spentBy(this.group.exchanges) : derived
    const replay = new Replay(this.#judge, this.recording, hypothesis)
    const steps = await replay.run(await this.#world(credit))
    return this.#scenario(readings, credit, explanationsIn(steps, this.recording.survey.facts))
  }

  #scenario(readings: Readings, credit: number, guesses: Survey['facts'] = new Map()): ScenarioDocument {
    const { survey } = this.recording
    return startingScenario(
      { ...survey, facts: new Map([...guesses, ...survey.facts]) },
      { credit, readings, interval: this.#interval, at: this.#begin },
      this.#contract,
    )
  }

  async #world(credit: number): Promise<World> {
    this.#start ??= await buildWorld(this.#scenario({}, 0), login, this.#begin)
    return { ...structuredClone(this.#start), credit }
  }

  get #begin(): Instant {
    const first = this.group.exchanges.reduce((earliest, { at }) => Math.min(earliest, at), Infinity)
    return Math.floor(first / 1000) * 1000
  }

  #hypothesis(readings: Readings): Hypothesis {
    return { readings, interval: this.#interval, instants: this.#instants }
  }

  async #creditOf(hypothesis: Hypothesis): Promise<number> {
    const { facts, creditAt } = this.recording.survey
    if (creditAt !== undefined) {
      const replay = new Replay(this.#judge, this.recording, hypothesis)
      return Math.max(0, await replay.creditAtStart(await this.#world(plenty), creditAt))
    }
    const seen = facts.get('credit')
    return typeof seen === 'number' ? seen : plenty
  }
}

/** What the recorded orders cost, in USD: a credit that was never seen must have been at least that. */
function spentBy(exchanges: readonly Exchange[]): number {
  const cents = exchanges.reduce((sum, { operation, response }) => {
    const amount =
      operation.operationId === 'orderService' && response.status === 200
        ? (response.value as { amount?: unknown } | undefined)?.amount
        : 0
    return sum + Math.round(Number(amount) * 100 || 0)
  }, 0)
  return cents / 100
}

/**
 * What explains refusals but was never seen: the status, type and price of known records. The first explanation of each
 * counts, like a first sight.
 */
function explanationsIn(steps: readonly Step[], facts: Survey['facts']): Map<string, unknown> {
  const explained = steps
    .flatMap(({ explanation = [] }) => explanation)
    .flatMap((change) => leavesOf(change))
    .filter(([path]) => /^(?:services|products)\/\d+\/(?:status|product_type|price)$/.test(path))
    .filter(([path]) => facts.get(path.split('/', 2).join('/')) === true)
  return new Map(explained.toReversed())
}

function leavesOf(value: object, base = ''): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, below]) =>
    isObject(below) ? leavesOf(below, `${base}${name}/`) : [[`${base}${name}`, below]],
  )
}
