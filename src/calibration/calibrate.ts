import type { Contract } from '../contract/Contract.ts'
import { buildWorld } from '../scenario/buildWorld.ts'
import type { Readings, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { World } from '../world/World.ts'
import type { AssumptionVerdict, Behaviour, Calibration } from './Calibration.ts'
import { driftOf } from './drift.ts'
import type { Exchange } from './Exchange.ts'
import { intervalOf, intervalWithin, instantsOf, type Interval } from './interval.ts'
import { Judge, login } from './Judge.ts'
import { judgeAssumptions } from './judgeAssumptions.ts'
import { needsOf } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { readRecording, Replay, type Hypothesis, type Recording, type Step } from './replay.ts'
import { startingScenario } from './startingWorld.ts'
import { plenty } from './unseen.ts'

/** The one assumption that is computed rather than tried */
const intervalId = 'updateListInterval'

export interface Calibrated {
  /** Contains values of the recording: redact it before showing it to anyone. */
  calibration: Calibration
  /** The world at the beginning, and the readings found */
  scenario: ScenarioDocument
}

export type Progress = (done: number, all: number) => Promise<void>

/** Judges recordings of the real service by replaying them against the simulator. */
export async function calibrate(
  recordings: Recordings,
  contract: Contract,
  onProgress: Progress = async () => {},
): Promise<Calibrated> {
  const { exchanges, read, skipped } = recordings
  const judge = await Judge.open(contract)
  const recording = readRecording(exchanges)
  const usual = contract.assumptions.find(({ id }) => id === intervalId)
  const interval = intervalOf(exchanges)
  const seconds = intervalWithin(interval, Number(usual?.default ?? 0))
  const instants = instantsOf(exchanges, seconds)
  const first = exchanges.reduce((earliest, { at: time }) => Math.min(earliest, time), Infinity)
  const at = Math.floor(first / 1000) * 1000

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const tried = contract.assumptions.filter(
    ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
  )
  const expected = 1 + tried.reduce((sum, { alternatives }) => sum + alternatives.length, 0)
  let done = 0
  const tick = async (): Promise<void> => {
    if (++done % 500 === 0) await onProgress(done, Math.max(expected * exchanges.length, done))
  }

  const begin = (readings: Readings, credit: number): ScenarioDocument =>
    startingScenario(
      recording.survey,
      { credit, readings: { ...readings, ...others }, interval: seconds, at },
      contract,
    )
  const others = Object.fromEntries(
    contract.assumptions
      .filter((one) => one.id !== intervalId && !tried.includes(one))
      .map(({ id, default: value }) => [id, value]),
  )
  const world = await buildWorld(begin({}, 0), login, at)
  const fresh = (credit: number): World => ({ ...structuredClone(world), credit })

  const creditOf = async (hypothesis: Hypothesis): Promise<number> => {
    const { facts, creditAt } = recording.survey
    if (creditAt !== undefined)
      return Math.max(
        0,
        await new Replay(judge, recording, hypothesis).creditAtStart(fresh(plenty), creditAt),
      )
    const seen = facts.get('credit')
    return typeof seen === 'number' ? seen : plenty
  }
  const cache = new Map<string, readonly Step[]>()
  const replay = async (readings: Readings): Promise<readonly Step[]> => {
    const key = JSON.stringify(readings)
    const known = cache.get(key)
    if (known) return known
    const hypothesis: Hypothesis = { readings: { ...others, ...readings }, interval: seconds, instants }
    const steps = await new Replay(judge, recording, hypothesis).run(fresh(await creditOf(hypothesis)), tick)
    cache.set(key, steps)
    return steps
  }

  const { judged, readings, steps } = await judgeAssumptions(tried, recording, replay)
  const verdicts = contract.assumptions.map((assumption): AssumptionVerdict => {
    const { id, default: value } = assumption
    const found = id === intervalId ? judgeInterval(interval, value) : judged.get(id)
    const { verdict = 'undecided', reading = null, evidence = [], possible } = found ?? {}
    const isOpen = verdict === 'undecided'
    return {
      id,
      verdict,
      reading,
      default: value,
      evidence,
      needs: isOpen ? needsOf(assumption, contract) : [],
      ...(possible && evidence.length > 0 && isOpen && { possible }),
    }
  })
  const hypothesis: Hypothesis = { readings: { ...others, ...readings }, interval: seconds, instants }
  const credit = await creditOf(hypothesis)
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: verdicts,
      drift: driftOf(recording, judge),
      behaviour: behaviourOf(recording, steps),
    },
    scenario: begin(readings, credit === plenty ? spentBy(exchanges) : credit),
  }
}

function judgeInterval(
  { seconds, contradicting, evidence }: Interval,
  usual: string | number,
): Pick<AssumptionVerdict, 'verdict' | 'reading' | 'evidence' | 'possible'> {
  if (contradicting.length > 0) return { verdict: 'contradicts', reading: null, evidence: contradicting }
  if (seconds === undefined) return { verdict: 'undecided', reading: null, evidence }
  return { verdict: seconds === usual ? 'holds' : 'other', reading: seconds, evidence }
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

function behaviourOf({ exchanges, survey: { firstSights } }: Recording, steps: readonly Step[]): Behaviour {
  const behaviour: Behaviour = {
    same: 0,
    differ: 0,
    firstSight: 0,
    undecidable: 0,
    fidelity: null,
    differences: [],
  }
  for (const [i, { number, operation, response }] of exchanges.entries()) {
    const { ours, differences, isExplained, isUnseen } = steps[i] as Step
    if (differences.length === 0) {
      if (firstSights.has(i)) behaviour.firstSight++
      else if (isUnseen) behaviour.undecidable++
      else behaviour.same++
    } else if (isExplained) behaviour.undecidable++
    else {
      behaviour.differ++
      behaviour.differences.push({
        exchange: number,
        operation: operation.operationId,
        real: { status: response.status, body: shown(response) },
        ours: {
          status: ours.status,
          body: shown(ours),
          case: ours.case ?? null,
          reason: ours.reason ?? null,
        },
        parts: differences.map((one) => ({ path: one.path, real: one.real ?? null, ours: one.ours ?? null })),
      })
    }
  }
  const { same, differ } = behaviour
  if (same + differ > 0) behaviour.fidelity = Math.floor((same / (same + differ)) * 1000) / 10
  return behaviour
}

function shown({ body, value }: { body: string; value: unknown }): unknown {
  return value === undefined ? body : value
}
