import type { Assumption, Contract } from '../../contract/Contract.ts'
import type { Validator } from '../../contract/validator/createValidator.ts'
import type { Interpretations, ScenarioDocument, Assumptions, LoadedOverrides } from '../simulator.ts'
import { completeWorld } from './service/applyFacts.ts'
import {
  type Interval,
  readListUpdate,
  collectStatedTimes,
  readZoneTimes,
  isPossibleIn,
  inferTimeZones,
  inferInterval,
} from './service/timing.ts'
import type { JudgedAssumption, Behaviour, BehaviourDifference, Calibration } from './Calibration.ts'
import { checkResponse } from './checkResponse.ts'
import { describeNotation, mediaType, type Difference } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { findHidingAssumption, findNeeds } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { toObservedCall, Replay, type ReplayedExchange } from './Replay.ts'
import { createScenario } from './createScenario.ts'
import { decideAssumptions, type Decision } from './decideAssumptions.ts'
import { createSimulator, type Simulator } from './Simulator.ts'

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
  /** The paths of recorded values that a scenario can't contain, such as `credit` or `services.5001.price` */
  leftOut: string[]
  /** Name of the longest group */
  scenarioSource: string
  /** The undecided assumptions that calls would settle */
  open: string[]
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

  const replay = createReplayer(simulator, recorded, timing.getInterval, onReplay)
  const replayResults = (interpretations: Interpretations): ReplayedExchange[] =>
    replay(interpretations).flatMap(({ results }) => results)

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const candidates = assumptions
    .filter(
      ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
    )
    .map((one) => (one.id === zoneId ? { ...one, alternatives: timing.zones } : one))
  const { found, interpretations } = decideAssumptions(candidates, initial, replayResults, {
    [zoneId]: timing,
  })
  const zone = timing.decideZone(found.get(zoneId))
  found.set(zoneId, zone)
  found.set(intervalId, timing.decideInterval(String(interpretations[zoneId as never]), zone))
  const sizes = recorded.map(({ length }) => length)
  const longest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)))
  const { start, unusable } = replay(interpretations)[longest] as Replay
  const startTime = recorded[longest]?.reduce((least, { at }) => Math.min(least, at), Infinity) ?? 0
  const hasOrders = recorded[longest]?.some(({ operation }) => operation.costsMoney) === true
  const results = replayResults(interpretations)
  const different = results.filter((one) => judge(one) === 'differ')
  const judged = assumptions.map((one) => judgeAssumption(one, found, assumptions))
  const { scenario, leftOut } = createScenario(
    { ...completeWorld(start), confirmed: confirmedAssumptions(found) },
    Math.floor(startTime / 1000) * 1000,
    contract,
    hasOrders,
  )
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: judged,
      violations: collectViolations(results, validator),
      behaviour: summarizeBehaviour(results, different),
    },
    differingParts: different.map(({ differences }) => differences.filter(isBehaviour)),
    scenario,
    leftOut: [...new Set([...leftOut, ...[...unusable].map((path) => path.replaceAll('/', '.'))])],
    scenarioSource: groups[longest]?.name ?? '',
    open: judged.flatMap(({ id, needs: [need] }) =>
      need && 'call' in need && found.get(id)?.missing === undefined ? id : [],
    ),
  }
}

/** Replays each group under interpretations. Replays are kept, because rounds try most interpretations more than once. */
function createReplayer(
  simulator: Simulator,
  recorded: readonly Exchange[][],
  getInterval: (zone: string) => Interval,
  onReplay: () => void,
): (interpretations: Interpretations) => Replay[] {
  const replays = new Map<string, Replay[]>()
  return (interpretations) => {
    const key = JSON.stringify(interpretations)
    const cached = replays.get(key)
    if (cached) return cached
    const values = interpretations as unknown as Assumptions
    const interpretation = { assumptions: values, interval: getInterval(values.timeZone).seconds }
    const created = recorded.map((group) => new Replay(simulator, group, interpretation))
    replays.set(key, created)
    onReplay()
    return created
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

/** Decides time zone and interval between updates from the times in responses, because replays can't try them all. */
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
  const zoneTimes = calls.flat().flatMap(({ call, number }) => readZoneTimes(call, number))
  const listedZones = [zone, ...alternatives].map(String)
  const refusals = updates.flatMap(collectStatedTimes)
  const zones = [
    ...listedZones.slice(1),
    ...inferTimeZones(zoneTimes.length > 0 ? zoneTimes : refusals, listedZones),
  ]
  const intervals = new Map(
    listedZones.concat(zones).map((one) => [one, inferInterval(updates, Number(defaultSeconds), one)]),
  )
  const getInterval = (zoneName: string): Interval =>
    intervals.get(zoneName) ?? (intervals.get(String(zone)) as Interval)
  const timedRefusals = new Set(refusals.map(({ exchange }) => exchange))
  return {
    zones,
    getInterval,
    /** The exchanges that refute a zone, besides those whose replay does */
    getRefuting: (zoneName: string) =>
      zoneTimes.flatMap((one) => (isPossibleIn(one, zoneName) ? [] : one.exchange)),
    /** The time in a refusal is the sum of the interval and the zone's offset, so it proves neither. */
    provesNothing: (exchange: number) => timedRefusals.has(exchange),
    decideZone: (decision: Decision | undefined): Decision =>
      decision && zoneTimes.length > 0 ? decision : undecided,
    decideInterval(zoneName: string, { verdict }: Decision): Decision {
      const { low, high, interpretation, evidence, isPossible } = getInterval(zoneName)
      const isZoneKnown = verdict === 'holds' || verdict === 'other' || refusals.length === 0
      if (!isPossible || (isZoneKnown && low > high))
        return { verdict: 'contradicts', interpretation: null, evidence }
      if (!isZoneKnown && (interpretation !== null || low > high))
        return { ...undecided, evidence, missing: zoneId }
      if (interpretation === null) return { ...undecided, evidence }
      return { verdict: interpretation === defaultSeconds ? 'holds' : 'other', interpretation, evidence }
    },
  }
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

/**
 * Collects the contract violations in recorded responses, and the notations that the interpretations found don't have. The
 * rejection of an invalid request is no violation.
 */
function collectViolations(
  results: readonly ReplayedExchange[],
  validator: Validator,
): Calibration['violations'] {
  const found = new Map<string, Calibration['violations'][number]>()
  for (const { exchange, differences } of results) {
    const { operation: called, response, number } = exchange
    const [operation, { recordedStatus: status = response.status }] = [called.operationId, response]
    const notations = differences.flatMap((one) => describeNotation(one) ?? [])
    const messages = [...checkResponse(called, response, validator).violations, ...notations]
    for (const message of new Set(messages)) {
      const key = `${operation} ${status} ${message}`
      const violation = found.get(key) ?? { operation, status, message, exchanges: [] }
      found.set(key, violation)
      violation.exchanges.push(number)
    }
  }
  return [...found.values()]
}

type Judgement = 'same' | 'differ' | 'firstObservation' | 'undecidable'

function judge(replayed: ReplayedExchange): Judgement {
  const { differences, wasCompared, hasUnusableParts, isFirstObservation, isUndecidable } = replayed
  if (isUndecidable) return 'undecidable'
  if (differences.some(isBehaviour)) return 'differ'
  if (!wasCompared) return 'undecidable'
  if (isFirstObservation || differences.some(({ isFirstRead }) => isFirstRead)) return 'firstObservation'
  return hasUnusableParts || differences.length > 0 ? 'undecidable' : 'same'
}

/** Whether a known value differs. Another notation of it is a violation. */
function isBehaviour({ form, isFirstRead }: Difference): boolean {
  return form !== 'notation' && !isFirstRead
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

function describeDifference({ exchange, ours, differences }: ReplayedExchange): BehaviourDifference {
  const { number, operation, response } = exchange
  // The bodies don't show the type.
  const type = differences.find(({ path }) => path === mediaType)
  const typeReason = type ? `the content type is ${String(type.ours)}, not ${String(type.real)}` : null
  const { status, case: name = null, reason = typeReason } = ours
  return {
    exchange: number,
    operation: operation.operationId,
    real: { status: response.recordedStatus ?? response.status, body: bodyForReport(response) },
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
