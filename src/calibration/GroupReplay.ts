import type { Contract } from '../contract/Contract.ts'
import type { Readings, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { plenty } from './adopt.ts'
import { Comparisons, creditAtStart, Replay, type Step } from './replay.ts'
import type { Group } from './readRecordings.ts'
import type { Simulator } from './Simulator.ts'
import { scenarioOf, startingWorld, type Start } from './startingWorld.ts'
import { survey, type Survey } from './survey.ts'

/** Replays a group of recordings from the world that it shows at its start. */
export class GroupReplay {
  readonly group: Group
  readonly #simulator: Simulator
  readonly #survey: Survey
  readonly #compared = new Comparisons()
  readonly #start: Omit<Start, 'credit'>

  /** @param interval seconds between two updates of a list */
  constructor(simulator: Simulator, group: Group, interval: number) {
    this.group = group
    this.#simulator = simulator
    this.#survey = survey(group.exchanges)
    const first = group.exchanges.reduce((earliest, { at }) => Math.min(earliest, at), Infinity)
    this.#start = { interval, at: Math.floor(first / 1000) * 1000 }
  }

  async run(readings: Readings, tick: () => Promise<void>): Promise<Step[]> {
    const replay = this.#replay(readings, this.#creditOf(readings))
    const steps: Step[] = []
    for (const at of this.group.exchanges.keys()) {
      steps.push(replay.step(at))
      await tick()
    }
    return steps
  }

  /** The world at the start. */
  scenario(readings: Readings, contract: Contract): ScenarioDocument {
    const derived = this.#creditOf(readings)
    const replay = this.#replay(readings, derived)
    for (const at of this.group.exchanges.keys()) replay.step(at)
    // A credit that was never seen was enough for what was ordered.
    const credit = derived === plenty ? Math.round((plenty - replay.world.credit) * 100) / 100 : derived
    const start = { ...this.#start, credit }
    const world = startingWorld(this.#survey, start, replay.assumed)
    return scenarioOf({ ...world, assumptions: { ...world.assumptions, ...readings } }, start.at, contract)
  }

  #replay(readings: Readings, credit: number): Replay {
    const world = startingWorld(this.#survey, { ...this.#start, credit })
    return new Replay(this.#simulator, this.#survey, this.#compared, world, readings)
  }

  #creditOf(readings: Readings): number {
    if (this.#survey.creditAt !== undefined)
      return creditAtStart(this.#replay(readings, plenty), this.#survey)
    const seen = this.#survey.facts.get('credit')
    return typeof seen === 'number' ? seen : plenty
  }
}
