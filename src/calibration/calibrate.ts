import type { Assumption, Contract } from '../contract/Contract.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { AssumptionVerdict, Behaviour, Calibration } from './Calibration.ts'
import { httpStatus } from './compare.ts'
import { driftOf } from './drift.ts'
import type { Answer, Exchange } from './Exchange.ts'
import { GroupReplay } from './GroupReplay.ts'
import { intervalOf, intervalWithin, type Interval } from './interval.ts'
import { judgeAssumptions, type ReplayUnder } from './judgeAssumptions.ts'
import { needsOf } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import type { Step } from './replay.ts'
import { Simulator } from './Simulator.ts'

/** The one assumption that is computed rather than tried */
const intervalId = 'updateListInterval'

export interface Calibrated {
  calibration: Calibration
  /** The world at the beginning, and the readings found */
  scenario: ScenarioDocument
  /** The group whose world that is: the one with the most calls */
  scenarioOf: string
}

export type Progress = (done: number, all: number) => Promise<void>

/** Judges recordings of the real service by replaying them against the simulator. */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  onProgress: Progress = async () => {},
): Promise<Calibrated> {
  const simulator = await Simulator.open(contract)
  const usual = contract.assumptions.find(({ id }) => id === intervalId)
  const interval = intervalOf(groups.map(({ exchanges }) => exchanges))
  const seconds = intervalWithin(interval, Number(usual?.default ?? 0))
  const replays = groups.map((group) => new GroupReplay(simulator, group, seconds))
  const exchanges = groups.flatMap((group) => group.exchanges)
  for (const exchange of exchanges) await simulator.prepare(exchange)

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const tried = contract.assumptions.filter(
    ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
  )
  const others = Object.fromEntries(
    contract.assumptions
      .filter((one) => one.id !== intervalId && !tried.includes(one))
      .map(({ id, default: value }) => [id, value]),
  )
  const expected = 1 + tried.reduce((sum, { alternatives }) => sum + alternatives.length, 0)
  let done = 0
  const tick = async (): Promise<void> => {
    if (++done % 500 === 0) await onProgress(done, Math.max(expected * exchanges.length, done))
  }

  const replay = cached(async (readings) => {
    const steps: Step[][] = []
    // One after the other: they share the judge.
    for (const group of replays) steps.push(await group.run({ ...readings, ...others }, tick))
    return steps.flat()
  })
  const { judged, readings, steps } = await judgeAssumptions(tried, exchanges, replay)
  const [largest] = replays.toSorted((a, b) => b.group.exchanges.length - a.group.exchanges.length) as [
    GroupReplay,
  ]
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: contract.assumptions.map((one) =>
        verdictOn(
          one,
          one.id === intervalId ? judgeInterval(interval, one.default) : judged.get(one.id),
          contract,
        ),
      ),
      drift: driftOf(exchanges, simulator.validator),
      behaviour: behaviourOf(exchanges, steps),
    },
    scenario: largest.scenario({ ...readings, ...others }, contract),
    scenarioOf: largest.group.name,
  }
}

/** Rounds try most readings more than once. */
function cached(replay: ReplayUnder): ReplayUnder {
  const known = new Map<string, readonly Step[]>()
  return async (readings) => {
    const key = JSON.stringify(readings)
    const steps = known.get(key) ?? (await replay(readings))
    known.set(key, steps)
    return steps
  }
}

type Found = Pick<AssumptionVerdict, 'verdict' | 'reading' | 'evidence' | 'possible'>

function verdictOn(assumption: Assumption, found: Found | undefined, contract: Contract): AssumptionVerdict {
  const { verdict = 'undecided', reading = null, evidence = [], possible } = found ?? {}
  const isOpen = verdict === 'undecided'
  return {
    id: assumption.id,
    verdict,
    reading,
    default: assumption.default,
    evidence,
    needs: isOpen ? needsOf(assumption, contract) : [],
    ...(possible && evidence.length > 0 && isOpen && { possible }),
  }
}

function judgeInterval({ seconds, isTorn, evidence }: Interval, usual: string | number): Found {
  if (isTorn) return { verdict: 'contradicts', reading: null, evidence }
  if (seconds === undefined) return { verdict: 'undecided', reading: null, evidence }
  return { verdict: seconds === usual ? 'holds' : 'other', reading: seconds, evidence }
}

function behaviourOf(exchanges: readonly Exchange[], steps: readonly Step[]): Behaviour {
  const behaviour: Behaviour = {
    same: 0,
    differ: 0,
    firstSight: 0,
    undecidable: 0,
    fidelity: null,
    differences: [],
  }
  for (const [i, { number, operation, response }] of exchanges.entries()) {
    const { ours, differences, isFirst, isUndecidable } = steps[i] as Step
    if (differences.length === 0 && isFirst) behaviour.firstSight++
    else if (isUndecidable) behaviour.undecidable++
    else if (differences.length === 0) behaviour.same++
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
        parts: differences.map((one) => ({
          path: one.path === httpStatus ? 'status' : one.path,
          real: one.real ?? null,
          ours: one.ours ?? null,
        })),
      })
    }
  }
  const { same, differ } = behaviour
  if (same + differ > 0) behaviour.fidelity = Math.floor((same * 1000) / (same + differ)) / 10
  return behaviour
}

/** Of longer bodies, only the parts that differ are shown. */
const maxBodyLength = 20_000

function shown({ body, value }: Answer): unknown {
  if (body.length > maxBodyLength) return `(${body.length} characters; see the parts that differ)`
  return value === undefined ? body : value
}
