import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import type { Interpretations, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { worldWith } from './adopt.ts'
import type { AssumptionVerdict, Behaviour, BehaviourDifference, Calibration } from './Calibration.ts'
import { httpStatus, issuesOf } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { settleInterval } from './interval.ts'
import { survey } from './Knowledge.ts'
import { needsOf } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { Replay, type Replayed } from './Replay.ts'
import { scenarioOf } from './scenarioOf.ts'
import { settleAssumptions, type Settled } from './settleAssumptions.ts'
import { simulatorOf } from './Simulator.ts'

/** The one assumption that is computed rather than tried */
const intervalId = 'updateListInterval'

export interface Calibrated {
  calibration: Calibration
  /** The world at the beginning of the longest group, and the interpretations found */
  scenario: ScenarioDocument
  /** The name of that group */
  scenarioOf: string
}

/** Compares recordings of the real service with the simulator, by replaying them. @param onReplay is called after each */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  onReplay: () => void = () => {},
): Promise<Calibrated> {
  const simulator = await simulatorOf(contract)
  const { assumptions } = contract
  const recorded = groups.map((group) => group.exchanges)
  const exchanges = recorded.flat()
  for (const exchange of exchanges) simulator.prepare(exchange)
  const defaults = Object.fromEntries(assumptions.map((one) => [one.id, one.default]))
  const { [intervalId]: usualInterval = 0, ...usual } = defaults
  const surveys = recorded.map(survey)
  const interval = settleInterval(surveys, Number(usualInterval))

  const replays = new Map<string, Replay[]>() // rounds try most interpretations more than once
  const replay = (interpretations: Interpretations): Replay[] => {
    const key = JSON.stringify(interpretations)
    const known = replays.get(key)
    if (known) return known
    const all = surveys.map((one) => new Replay(simulator, one, interpretations, interval.seconds))
    replays.set(key, all)
    onReplay()
    return all
  }
  const resultsUnder = (interpretations: Interpretations): Replayed[] =>
    replay(interpretations).flatMap(({ results }) => results)

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const tried = assumptions.filter(
    ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
  )
  const { found, interpretations } = settleAssumptions(tried, usual, resultsUnder)
  found.set(intervalId, interval)
  const sizes = recorded.map(({ length }) => length)
  const largest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)))
  const { start } = replay(interpretations)[largest] as Replay
  const began = recorded[largest]?.reduce((least, { at }) => Math.min(least, at), Infinity) ?? 0
  const world = worldWith(start, surveys[largest]?.ids, interpretations, interval.seconds)
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: assumptions.map((one) => verdictOn(one, found.get(one.id))),
      drift: driftOf(exchanges, simulator.validator),
      behaviour: behaviourOf(resultsUnder(interpretations)),
    },
    scenario: scenarioOf(world, Math.floor(began / 1000) * 1000, contract),
    scenarioOf: groups[largest]?.name ?? '',
  }
}

function verdictOn(
  assumption: Assumption,
  { verdict, interpretation, evidence }: Settled = {
    verdict: 'undecided',
    interpretation: null,
    evidence: [],
  },
): AssumptionVerdict {
  const needs = verdict === 'undecided' ? needsOf(assumption) : []
  return { id: assumption.id, verdict, interpretation, default: assumption.default, evidence, needs }
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

type Outcome = 'same' | 'differ' | 'firstObservation' | 'undecidable'

function outcomeOf({ differences, isFirst, isUndecidable }: Replayed): Outcome {
  const isSame = differences.length === 0
  return isSame && isFirst ? 'firstObservation' : isUndecidable ? 'undecidable' : isSame ? 'same' : 'differ'
}

function behaviourOf(results: readonly Replayed[]): Behaviour {
  const counts: Record<Outcome, number> = { same: 0, differ: 0, firstObservation: 0, undecidable: 0 }
  for (const one of results) counts[outcomeOf(one)]++
  const { same, differ } = counts
  const fidelity = same + differ > 0 ? Math.floor((same * 1000) / (same + differ)) / 10 : null
  const differences = results.filter((one) => outcomeOf(one) === 'differ').map(differenceOf)
  return { ...counts, fidelity, differences }
}

function differenceOf({ exchange, ours, differences }: Replayed): BehaviourDifference {
  const { number, operation, response } = exchange
  const { status, case: name = null, reason = null } = ours
  return {
    exchange: number,
    operation: operation.operationId,
    real: { status: response.status, body: shown(response) },
    ours: { status, body: shown(ours), case: name, reason },
    parts: differences.map(({ path, real = null, ours: own = null }) => ({
      path: path === httpStatus ? 'status' : path,
      real,
      ours: own,
    })),
  }
}

/** Of longer bodies, only the parts that differ are shown. */
const maxBodyLength = 20_000

function shown({ body, value }: RecordedResponse): unknown {
  if (body.length > maxBodyLength) return `(${body.length} characters; see the parts that differ)`
  return value === undefined ? body : value
}
