import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import type { Readings, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { change } from '../world/change.ts'
import type { AssumptionVerdict, Behaviour, Calibration } from './Calibration.ts'
import { httpStatus, issuesOf } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { intervalIn, intervalWithin, type Interval } from './interval.ts'
import { survey } from './Knowledge.ts'
import { needsOf } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { rememberingCompare, Replay, type Replayed } from './Replay.ts'
import { scenarioOf } from './scenarioOf.ts'
import { settleAssumptions, type Settled } from './settleAssumptions.ts'
import { Simulator } from './Simulator.ts'
import { startingWorld } from './startingWorld.ts'

/** The one assumption that is computed rather than tried */
const intervalId = 'updateListInterval'

export interface Calibrated {
  calibration: Calibration
  /** The world at the beginning, and the readings found */
  scenario: ScenarioDocument
  /** The recordings whose world that is: those with the most calls */
  scenarioOf: string
}

export type Progress = (done: number, all: number) => Promise<void>

/** Compares recordings of the real service with the simulator, by replaying them. */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  onProgress: Progress = async () => {},
): Promise<Calibrated> {
  const simulator = await Simulator.open(contract)
  const { assumptions } = contract
  const exchanges = groups.flatMap((group) => group.exchanges)
  for (const exchange of exchanges) await simulator.prepare(exchange)
  const interval = intervalIn(groups.map((group) => group.exchanges))
  const usualInterval = assumptions.find(({ id }) => id === intervalId)?.default
  const seconds = intervalWithin(interval, Number(usualInterval ?? 0))

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const tried = assumptions.filter(
    ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
  )
  const others = assumptions.filter((one) => one.id !== intervalId && !tried.includes(one))
  const usual = Object.fromEntries(others.map(({ id, default: value }) => [id, value])) as Readings
  const expected = tried.reduce((sum, { alternatives }) => sum + alternatives.length, 1) * exchanges.length
  let done = 0
  const surveys = groups.map((group) => survey(group.exchanges))
  const compared = rememberingCompare()
  const replays = new Map<string, Replay[]>()
  const replayUnder = async (found: Readings): Promise<Replay[]> => {
    const readings = { ...usual, ...found }
    const key = JSON.stringify(readings)
    const known = replays.get(key) // rounds try most readings more than once
    if (known) return known
    const all = surveys.map((one) => new Replay(simulator, one, compared, readings, seconds))
    replays.set(key, all)
    for (const [i, one] of surveys.entries())
      for (const surveyed of one.exchanges) {
        all[i]?.step(surveyed)
        if (++done % 500 === 0) await onProgress(done, Math.max(expected, done))
      }
    return all
  }
  const resultsUnder = async (found: Readings): Promise<Replayed[]> =>
    (await replayUnder(found)).flatMap(({ results }) => results)

  const { found, readings } = await settleAssumptions(tried, resultsUnder)
  found.set(intervalId, settledInterval(interval, usualInterval))
  const sizes = groups.map((group) => group.exchanges.length)
  const largest = sizes.indexOf(Math.max(...sizes))
  const { credit, assumed } = (await replayUnder(readings))[largest] as Replay
  const start = startingWorld(surveys[largest] as never, { ...usual, ...readings }, seconds, assumed)
  const began = groups[largest]?.exchanges.reduce((least, { at }) => Math.min(least, at), Infinity) ?? 0
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: assumptions.map((one) => verdictOn(one, found.get(one.id), contract)),
      drift: driftOf(exchanges, simulator.validator),
      behaviour: behaviourOf(await resultsUnder(readings)),
    },
    scenario: scenarioOf(change(start, { credit }), Math.floor(began / 1000) * 1000, contract),
    scenarioOf: groups[largest]?.name ?? '',
  }
}

function settledInterval({ seconds, isTorn, evidence }: Interval, usual: unknown): Settled {
  if (seconds === undefined)
    return { verdict: isTorn ? 'contradicts' : 'undecided', reading: null, evidence, possible: [] }
  return { verdict: seconds === usual ? 'holds' : 'other', reading: seconds, evidence, possible: [] }
}

function verdictOn(
  assumption: Assumption,
  found: Settled | undefined,
  contract: Contract,
): AssumptionVerdict {
  const { verdict = 'undecided', reading = null, evidence = [], possible = [] } = found ?? {}
  const isOpen = verdict === 'undecided'
  return {
    id: assumption.id,
    verdict,
    reading,
    default: assumption.default,
    evidence,
    needs: isOpen ? needsOf(assumption, contract) : [],
    ...(isOpen && possible.length > 0 && evidence.length > 0 && { possible }),
  }
}

/** How recorded responses break the contract. A request that breaks it and is refused is no violation. */
function driftOf(exchanges: readonly Exchange[], validator: Validator): Calibration['drift'] {
  const found = new Map<string, Calibration['drift'][number]>()
  for (const { operation: called, response, number } of exchanges) {
    const [operation, { status }] = [called.operationId, response]
    for (const message of new Set(issuesOf(called, response, validator))) {
      const key = `${operation} ${status} ${message}`
      const drift = found.get(key) ?? { operation, status, message, exchanges: [] }
      found.set(key, drift)
      drift.exchanges.push(number)
    }
  }
  return [...found.values()]
}

function behaviourOf(results: readonly Replayed[]): Behaviour {
  const counts = { same: 0, differ: 0, firstSight: 0, undecidable: 0 }
  const differences: Behaviour['differences'] = []
  for (const { exchange, ours, differences: parts, isFirst, isUndecidable } of results) {
    if (parts.length === 0 && isFirst) counts.firstSight++
    else if (isUndecidable) counts.undecidable++
    else if (parts.length === 0) counts.same++
    else {
      counts.differ++
      const { number, operation, response } = exchange
      differences.push({
        exchange: number,
        operation: operation.operationId,
        real: { status: response.status, body: shown(response) },
        ours: {
          status: ours.status,
          body: shown(ours),
          case: ours.case ?? null,
          reason: ours.reason ?? null,
        },
        parts: parts.map((part) => ({
          path: part.path === httpStatus ? 'status' : part.path,
          real: part.real ?? null,
          ours: part.ours ?? null,
        })),
      })
    }
  }
  const { same, differ } = counts
  const fidelity = same + differ > 0 ? Math.floor((same * 1000) / (same + differ)) / 10 : null
  return { ...counts, fidelity, differences }
}

/** Of longer bodies, only the parts that differ are shown. */
const maxBodyLength = 20_000

function shown({ body, value }: RecordedResponse): unknown {
  if (body.length > maxBodyLength) return `(${body.length} characters; see the parts that differ)`
  return value === undefined ? body : value
}
