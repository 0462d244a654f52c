import type { Assumption, Contract } from '../../contract/Contract.ts'
import type { Validator } from '../../contract/validator/createValidator.ts'
import type { Interpretations, ScenarioDocument, Assumptions, LoadedOverrides } from '../simulator.ts'
import { completeWorld } from './service/applyFacts.ts'
import {
  type Interval,
  readListUpdate,
  collectStatedTimes,
  readRenewal,
  inferTimeZones,
  inferInterval,
} from './service/timing.ts'
import type { JudgedAssumption, Behaviour, BehaviourDifference, Calibration } from './Calibration.ts'
import { checkResponse } from './checkResponse.ts'
import type { Difference } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { findNeeds } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { toObservedCall, Replay, type ReplayedExchange } from './Replay.ts'
import { createScenario } from './createScenario.ts'
import { decideAssumptions, type Decision } from './decideAssumptions.ts'
import { createSimulator } from './Simulator.ts'

/** The assumption whose value is computed from the recording */
const intervalId = 'updateListInterval'
/** The assumption that may have alternatives beyond those of the contract */
const zoneId = 'timeZone'

export interface CalibrationResult {
  calibration: Calibration
  /** The differing parts of each exchange in `behaviour.differences` */
  differingParts: (readonly Difference[])[]
  /** The world at the start of the longest group, and the interpretations found */
  scenario: ScenarioDocument
  /** Name of the longest group */
  scenarioSource: string
}

/** Compares recordings of the real service with the simulator, by replaying them. @param onReplay called after each replay */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  onReplay: () => void = () => {},
  overrides?: LoadedOverrides,
): Promise<CalibrationResult> {
  const simulator = await createSimulator(contract, overrides)
  const { validator } = simulator
  const { assumptions } = contract
  const recorded = internExchanges(groups)
  const exchanges = recorded.flat()
  for (const exchange of exchanges) simulator.prepare(exchange)
  const defaults = Object.fromEntries(assumptions.map((one) => [one.id, one.default]))
  const { [intervalId]: _, ...initial } = defaults
  const timing = analyzeTiming(recorded, assumptions, validator)

  const replays = new Map<string, Replay[]>() // rounds try most interpretations more than once
  const replay = (interpretations: Interpretations): Replay[] => {
    const key = JSON.stringify(interpretations)
    const cached = replays.get(key)
    if (cached) return cached
    const values = interpretations as unknown as Assumptions
    const interpretation = { assumptions: values, interval: timing.getInterval(values.timeZone).seconds }
    const created = recorded.map((group) => new Replay(simulator, group, interpretation))
    replays.set(key, created)
    onReplay()
    return created
  }
  const replayResults = (interpretations: Interpretations): ReplayedExchange[] =>
    replay(interpretations).flatMap(({ results }) => results)

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const candidates = assumptions
    .filter(
      ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
    )
    .map((one) => (one.id === zoneId ? { ...one, alternatives: timing.zones } : one))
  const { found, interpretations } = decideAssumptions(candidates, initial, replayResults)
  found.set(intervalId, timing.decideInterval(String(interpretations[zoneId as never]), found.get(zoneId)))
  const sizes = recorded.map(({ length }) => length)
  const longest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)))
  const { start } = replay(interpretations)[longest] as Replay
  const startTime = recorded[longest]?.reduce((least, { at }) => Math.min(least, at), Infinity) ?? 0
  const results = replayResults(interpretations)
  const different = results.filter((one) => judge(one) === 'differ')
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: assumptions.map((one) => judgeAssumption(one, found.get(one.id))),
      violations: collectViolations(exchanges, validator),
      behaviour: summarizeBehaviour(results, different),
    },
    differingParts: different.map(({ differences }) => differences),
    scenario: createScenario(
      { ...completeWorld(start), confirmed: confirmedAssumptions(found) },
      Math.floor(startTime / 1000) * 1000,
      contract,
    ),
    scenarioSource: groups[longest]?.name ?? '',
  }
}

/** Returns the exchanges of each group. Repeated reads with the same response share a cache key. */
function internExchanges(groups: Recordings['groups']): Exchange[][] {
  const known = new Map<string, object>()
  const toCacheKey = ({ operation, request, response }: Exchange): object => {
    if (operation.changesState) return {}
    const { status, contentType, body } = response
    const key = [operation.method, request.url, request.credentials, status, contentType, body].join('\n')
    const found = known.get(key) ?? {}
    known.set(key, found)
    return found
  }
  return groups.map(({ exchanges }) =>
    exchanges.map((one): Exchange => ({ ...one, cacheKey: toCacheKey(one) })),
  )
}

/** Decides the interval between two updates in every possible time zone, because replays can't try out intervals. */
function analyzeTiming(
  recorded: readonly Exchange[][],
  assumptions: readonly Assumption[],
  validator: Validator,
) {
  const { default: defaultSeconds = 0 } = assumptions.find(({ id }) => id === intervalId) ?? {}
  const { default: zone = 'UTC', alternatives = [] } = assumptions.find(({ id }) => id === zoneId) ?? {}
  const calls = recorded.map((group) =>
    group
      .filter(({ isTimeless }) => !isTimeless)
      .map((one) => ({ call: toObservedCall(one, validator), number: one.number })),
  )
  const updates = calls.map((group) =>
    group.flatMap(({ call, number }) => readListUpdate(call, number) ?? []),
  )
  const renewals = calls.flat().flatMap(({ call }) => readRenewal(call) ?? [])
  const listedZones = [zone, ...alternatives].map(String)
  const refusals = updates.flatMap((group) => collectStatedTimes(group, Number(defaultSeconds)))
  const zones = [...listedZones.slice(1), ...inferTimeZones([...renewals, ...refusals], listedZones)]
  const intervals = new Map(
    listedZones.concat(zones).map((one) => [one, inferInterval(updates, Number(defaultSeconds), one)]),
  )
  // A renewal would reveal the time zone. Without one, an odd interval is probably the default interval in another zone.
  const defaultInterval = intervals.get(String(zone)) as Interval
  const isDefaultSomewhere = [...intervals.values()].some(
    ({ interpretation }) => interpretation === defaultSeconds,
  )
  const isOdd = ({ interpretation }: Interval) =>
    Number(interpretation) > Number(defaultSeconds) && Number(interpretation) % 3600 !== 0
  if (isDefaultSomewhere && renewals.length === 0)
    for (const [zoneName, interval] of intervals)
      if (isOdd(interval))
        intervals.set(zoneName, { ...interval, low: 1, high: 0, seconds: Number(defaultSeconds) })
  const getInterval = (zoneName: string): Interval => intervals.get(zoneName) ?? defaultInterval
  return {
    zones,
    getInterval,
    decideInterval(zoneName: string, zoneDecision: Decision | undefined): Decision {
      const { low, high, interpretation, evidence } = getInterval(zoneName)
      if (low > high) return { verdict: 'contradicts', interpretation: null, evidence }
      const isZoneKnown = zoneDecision?.verdict === 'holds' || zoneDecision?.verdict === 'other'
      const isOpen = !isZoneKnown && isDefaultSomewhere && interpretation !== defaultSeconds
      if (interpretation === null || isOpen) return { verdict: 'undecided', interpretation: null, evidence }
      return { verdict: interpretation === defaultSeconds ? 'holds' : 'other', interpretation, evidence }
    },
  }
}

/** The assumptions that the recording confirms */
function confirmedAssumptions(found: ReadonlyMap<string, Decision>): string[] {
  return [...found].flatMap(([id, { verdict }]) => (verdict === 'holds' || verdict === 'other' ? id : []))
}

function judgeAssumption(
  assumption: Assumption,
  { verdict, interpretation, evidence }: Decision = {
    verdict: 'undecided',
    interpretation: null,
    evidence: [],
  },
): JudgedAssumption {
  const needs = verdict === 'undecided' ? findNeeds(assumption) : []
  return { id: assumption.id, verdict, interpretation, default: assumption.default, evidence, needs }
}

/** Collects the contract violations in recorded responses. The rejection of an invalid request isn't one. */
function collectViolations(exchanges: readonly Exchange[], validator: Validator): Calibration['violations'] {
  const found = new Map<string, Calibration['violations'][number]>()
  for (const { operation: called, response, number } of exchanges) {
    const [operation, { status }] = [called.operationId, response]
    for (const message of checkResponse(called, response, validator).violations) {
      const key = `${operation} ${status} ${message}`
      const violation = found.get(key) ?? { operation, status, message, exchanges: [] }
      found.set(key, violation)
      violation.exchanges.push(number)
    }
  }
  return [...found.values()]
}

type Judgement = 'same' | 'differ' | 'firstObservation' | 'undecidable'

function judge({ differences, isFirstObservation, isUndecidable }: ReplayedExchange): Judgement {
  if (isUndecidable) return 'undecidable'
  if (differences.length > 0) return 'differ'
  return isFirstObservation ? 'firstObservation' : 'same'
}

function summarizeBehaviour(
  results: readonly ReplayedExchange[],
  different: readonly ReplayedExchange[],
): Behaviour {
  const counts: Record<Judgement, number> = { same: 0, differ: 0, firstObservation: 0, undecidable: 0 }
  for (const one of results) counts[judge(one)]++
  const { same, differ } = counts
  const fidelity = same + differ > 0 ? Math.floor((same * 1000) / (same + differ)) / 10 : null
  return { ...counts, fidelity, differences: different.map(describeDifference) }
}

function describeDifference({ exchange, ours }: ReplayedExchange): BehaviourDifference {
  const { number, operation, response } = exchange
  const { status, case: name = null, reason = null } = ours
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
