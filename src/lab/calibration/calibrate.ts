import type { Assumption, Contract } from '../../contract/Contract.ts'
import {
  completeWorld,
  findTimings,
  showsZone,
  statesNextUpdate,
  type ScenarioDocument,
  type Assumptions,
  type LoadedOverrides,
} from '../simulator.ts'
import type { JudgedAssumption, Behaviour, BehaviourDifference, Calibration } from './Calibration.ts'
import { mediaType, type Difference } from './parts.ts'
import type { Exchange } from './Exchange.ts'
import type { RecordedResponse } from './RecordedExchange.ts'
import { findHidingAssumption, findNeeds } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { Replay, type ReplayedExchange } from './Replay.ts'
import { createScenario } from './createScenario.ts'
import {
  type Candidate,
  decide,
  type Decision,
  type Interpretations,
  listEvidence,
  type Question,
  tryAnswers,
} from './decideAssumptions.ts'
import { createSimulator, type Simulator } from './Simulator.ts'

/* Two assumptions that are tried as a pair */
const intervalId = 'updateListInterval'
const zoneId = 'timeZone'

export interface CalibrationResult {
  calibration: Calibration
  /** The differing parts of each exchange in `behaviour.differences` */
  differingParts: (readonly Difference[])[]
  /** The world at the start of the longest group, and the interpretations found */
  scenario: ScenarioDocument
  /** The paths of recorded values that a scenario can't contain, such as `services.5001.price` */
  leftOut: string[]
  /** Name of the longest group */
  scenarioSource: string
  /** The undecided assumptions that calls would settle */
  open: string[]
}

/** Compares recordings of the real service with the simulator, by replaying them. */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  overrides?: LoadedOverrides,
): Promise<CalibrationResult> {
  const simulator = await createSimulator(contract, overrides)
  const { assumptions } = contract
  const exchanges = groups.flatMap((group) => group.exchanges)
  const usable = groups.map((group) => group.exchanges.filter(({ checked }) => checked.body !== undefined))
  for (const exchange of usable.flat()) simulator.prepare(exchange)

  const replay = createReplayer(simulator, usable)
  const replayAll = (interpretations: Interpretations): ReplayedExchange[] =>
    replay(interpretations).flatMap(({ results }) => results)
  const initial = Object.fromEntries(assumptions.map((one) => [one.id, one.default]))
  const { tried, best } = tryAnswers(findQuestions(usable, assumptions), initial, replayAll)
  const found = new Map([...tried].map(([id, candidates]) => [id, decide(id, candidates)]))
  decideTiming(usable.flat(), tried.get(zoneId) ?? [], initial, found)

  const judged = assumptions.map((one) => judgeAssumption(one, found, assumptions))
  const results = replayAll(best)
  const different = results.filter((one) => judge(one) === 'differ')
  const sizes = usable.map(({ length }) => length)
  const longest = sizes.indexOf(Math.max(...sizes))
  const { start } = replay(best)[longest] as Pick<Replay, 'start'>
  const { scenario, leftOut } = createScenario(
    { ...completeWorld(start), confirmed: confirmedAssumptions(found) },
    usable[longest] ?? [],
    contract,
  )
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: judged,
      violations: collectViolations(exchanges),
      behaviour: summarizeBehaviour(results, different, exchanges.length - results.length),
    },
    differingParts: different.map(({ differences }) => differences.filter(isBehaviour)),
    scenario,
    leftOut,
    scenarioSource: groups[longest]?.name ?? '',
    open: judged.flatMap(({ id, needs: [need] }) =>
      need && 'call' in need && found.get(id)?.missing === undefined ? id : [],
    ),
  }
}

/** Replays each group under interpretations. Replays are kept, because rounds try most interpretations more than once. */
function createReplayer(
  simulator: Simulator,
  groups: readonly Exchange[][],
): (interpretations: Interpretations) => Pick<Replay, 'results' | 'start'>[] {
  const replays = new Map<string, Pick<Replay, 'results' | 'start'>[]>()
  return (interpretations) => {
    const key = JSON.stringify(interpretations)
    const cached = replays.get(key)
    if (cached) return cached
    const { [intervalId]: interval, ...assumptions } = interpretations as unknown as Assumptions & {
      [intervalId]: number
    }
    const created = groups.map((group) => {
      const { results, start } = new Replay(simulator, group, { assumptions, interval })
      return { results, start }
    })
    replays.set(key, created)
    return created
  }
}

/** The questions that the calls of a recording may answer. */
function findQuestions(groups: readonly Exchange[][], assumptions: readonly Assumption[]): Question[] {
  const called = new Set(groups.flat().map(({ operation }) => operation.operationId))
  const valuesOf = (wanted: string): (string | number)[] =>
    assumptions.flatMap(({ id, default: first, alternatives }) =>
      id === wanted ? [first, ...alternatives] : [],
    )
  return assumptions
    .filter(
      ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
    )
    .map(({ id }) => {
      if (id !== zoneId) return { id, answers: valuesOf(id).map((value) => ({ [id]: value })) }
      const calls = groups.map((group) => group.map(({ call }) => call))
      const timings = findTimings(calls, valuesOf(zoneId).map(String), valuesOf(intervalId).map(Number))
      return {
        id,
        answers: timings.map(({ zone, interval }) => ({ [zoneId]: zone, [intervalId]: interval })),
      }
    })
}

/**
 * Decides time zone and interval between updates, which are tried as pairs. The time in a refusal is the sum of both, so only
 * sessions show the zone.
 */
function decideTiming(
  exchanges: readonly Exchange[],
  candidates: readonly Candidate[],
  defaults: Interpretations,
  found: Map<string, Decision>,
): void {
  const calls = new Map(exchanges.map(({ number, call }) => [number, call]))
  const isZoneShown = (number: number): boolean => showsZone(calls.get(number) as never)
  const showing = exchanges.filter(({ number }) => isZoneShown(number))
  const isStated = [...calls.values()].some(statesNextUpdate)
  const ofZone = candidates.map(({ answer, refuted }) => ({
    answer,
    refuted: new Set([...refuted].filter(isZoneShown)),
  }))
  const zone = showing.length > 0 ? decideValue(zoneId, ofZone, defaults) : undecided
  found.set(zoneId, zone)
  const possible = candidates.filter((_, i) => ofZone[i]?.refuted.size === 0)
  const ofInterval = possible.map(({ answer, refuted }) => ({
    answer,
    refuted: new Set([...refuted].filter((number) => !isZoneShown(number))),
  }))
  const interval = decideValue(intervalId, ofInterval, defaults)
  const isZoneMissing = isStated && zone.interpretation === null && interval.verdict !== 'contradicts'
  const { evidence } = interval
  found.set(intervalId, isZoneMissing ? { ...undecided, evidence, missing: zoneId } : interval)
}

/** Decides one value of a pair: it is confirmed if all pairs that no exchange refutes have it. */
function decideValue(
  id: string,
  candidates: readonly Candidate[],
  { [id]: usual }: Interpretations,
): Decision {
  const evidence = listEvidence(candidates)
  const unrefuted = candidates.filter(({ refuted }) => refuted.size === 0)
  const values = new Set(unrefuted.map(({ answer }) => answer[id]))
  const [interpretation] = values
  if (candidates.length > 0 && values.size === 0)
    return { verdict: 'contradicts', interpretation: null, evidence }
  if (interpretation === undefined || values.size > 1) return { ...undecided, evidence }
  return { verdict: interpretation === usual ? 'holds' : 'other', interpretation, evidence }
}

const undecided: Decision = { verdict: 'undecided', interpretation: null, evidence: [] }

/** The assumptions that the recording confirms */
function confirmedAssumptions(found: ReadonlyMap<string, Decision>): string[] {
  return [...found].flatMap(([id, { verdict }]) => (verdict === 'holds' || verdict === 'other' ? id : []))
}

function judgeAssumption(
  assumption: Assumption,
  found: ReadonlyMap<string, Decision>,
  all: readonly Assumption[],
): JudgedAssumption {
  const { verdict, interpretation, evidence, missing } = found.get(assumption.id) ?? undecided
  const hidden = findHidingAssumption(assumption, found)
  const needed = all.find(({ id }) => id === missing) ?? assumption
  const needs = verdict !== 'undecided' ? [] : hidden ? [hidden] : findNeeds(needed)
  return { id: assumption.id, verdict, interpretation, default: assumption.default, evidence, needs }
}

/** Collects the contract violations in recorded responses. The rejection of an invalid request is no violation. */
function collectViolations(exchanges: readonly Exchange[]): Calibration['violations'] {
  const found = new Map<string, Calibration['violations'][number]>()
  for (const { operation: called, response, number, checked } of exchanges)
    for (const message of new Set(checked.violations)) {
      const [operation, { status }] = [called.operationId, response]
      const key = `${operation} ${status} ${message}`
      const violation = found.get(key) ?? { operation, status, message, exchanges: [] }
      found.set(key, violation)
      violation.exchanges.push(number)
    }
  return [...found.values()]
}

type Judgement = 'same' | 'differ' | 'firstObservation' | 'undecidable'

function judge({ differences, isFirstObservation, isUndecidable }: ReplayedExchange): Judgement {
  if (isUndecidable) return 'undecidable'
  if (differences.some(isBehaviour)) return 'differ'
  return isFirstObservation || differences.some(({ isFirstRead }) => isFirstRead)
    ? 'firstObservation'
    : 'same'
}

/** Whether a known value differs. Another notation of it is a matter of assumptions. */
function isBehaviour({ isNotation, isFirstRead }: Difference): boolean {
  return !isNotation && !isFirstRead
}

/** @param aside number of exchanges that break the contract */
function summarizeBehaviour(
  results: readonly ReplayedExchange[],
  different: readonly ReplayedExchange[],
  aside: number,
): Behaviour {
  const counts: Record<Judgement, number> = { same: 0, differ: 0, firstObservation: 0, undecidable: aside }
  for (const one of results) counts[judge(one)]++
  const { same, differ } = counts
  const fidelity = same + differ > 0 ? Math.floor((same * 1000) / (same + differ)) / 10 : null
  return { ...counts, fidelity, differences: different.map(describeDifference) }
}

function describeDifference({ exchange, ours, differences }: ReplayedExchange): BehaviourDifference {
  const { number, operation, response } = exchange
  // The bodies don't show the type.
  const type = differences.find(({ path }) => path === mediaType)
  const typeReason = type ? `the content type is ${String(type.ours)}, not ${String(type.real)}` : null
  const { status, case: name = null, reason = typeReason } = ours
  return {
    exchange: number,
    operation: operation.operationId,
    real: { status: response.status, body: bodyForReport(response) },
    ours: { status, body: bodyForReport(ours), case: name, reason },
  }
}

/** Maximum length of a body in the report. Longer bodies are left out; the Markdown report shows their differing parts. */
const maxBodyLength = 20_000

function bodyForReport({ body, value }: RecordedResponse): unknown {
  if (body.length > maxBodyLength)
    return `(${body.length} characters. The Markdown report shows the parts that differ.)`
  return value === undefined ? body : value
}
