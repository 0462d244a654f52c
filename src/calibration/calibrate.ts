import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import type { Interpretations, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { startWorld } from '../service/calibration/adopt.ts'
import {
  type Interval,
  listUpdateOf,
  refusalsIn,
  renewalOf,
  timeZonesOf,
  workOutInterval,
} from '../service/calibration/timing.ts'
import type { Assumptions } from '../service/values.ts'
import type { JudgedAssumption, Behaviour, BehaviourDifference, Calibration } from './Calibration.ts'
import { checkResponse } from './checkResponse.ts'
import type { Difference } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { needsOf } from './needs.ts'
import type { Recordings } from './readRecordings.ts'
import { callOf, Replay, type Replayed } from './Replay.ts'
import { scenarioOf } from './scenarioOf.ts'
import { decideAssumptions, type Decision } from './decideAssumptions.ts'
import type { LoadedOverrides } from '../http/overrides.ts'
import { simulatorOf } from './Simulator.ts'

/** An assumption whose value is computed, and one with more alternatives than in the contract */
const intervalId = 'updateListInterval'
const zoneId = 'timeZone'

export interface Calibrated {
  calibration: Calibration
  /** The smallest differing parts of each difference in behaviour */
  parts: (readonly Difference[])[]
  /** The world at the start of the longest group, and the interpretations found */
  scenario: ScenarioDocument
  /** Name of that group */
  scenarioOf: string
}

/** Compares recordings of the real service with the simulator, by replaying them. @param onReplay called after each replay */
export async function calibrate(
  { groups, read, skipped }: Recordings,
  contract: Contract,
  onReplay: () => void = () => {},
  overrides?: LoadedOverrides,
): Promise<Calibrated> {
  const simulator = await simulatorOf(contract, overrides)
  const { validator } = simulator
  const { assumptions } = contract
  const recorded = interned(groups)
  const exchanges = recorded.flat()
  for (const exchange of exchanges) simulator.prepare(exchange)
  const defaults = Object.fromEntries(assumptions.map((one) => [one.id, one.default]))
  const { [intervalId]: _, ...usual } = defaults
  const timing = timingOf(recorded, assumptions, validator)

  const replays = new Map<string, Replay[]>() // rounds try most interpretations more than once
  const replay = (interpretations: Interpretations): Replay[] => {
    const key = JSON.stringify(interpretations)
    const known = replays.get(key)
    if (known) return known
    const found = interpretations as unknown as Assumptions
    const interpretation = { assumptions: found, interval: timing.intervalIn(found.timeZone).seconds }
    const all = recorded.map((group) => new Replay(simulator, group, interpretation))
    replays.set(key, all)
    onReplay()
    return all
  }
  const resultsUnder = (interpretations: Interpretations): Replayed[] =>
    replay(interpretations).flatMap(({ results }) => results)

  const called = new Set(exchanges.map(({ operation }) => operation.operationId))
  const tried = assumptions
    .filter(
      ({ id, operations }) => id !== intervalId && operations.some((operation) => called.has(operation)),
    )
    .map((one) => (one.id === zoneId ? { ...one, alternatives: timing.zones } : one))
  const { found, interpretations } = decideAssumptions(tried, usual, resultsUnder)
  found.set(intervalId, timing.verdictIn(String(interpretations[zoneId as never]), found.get(zoneId)))
  const sizes = recorded.map(({ length }) => length)
  const largest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)))
  const { start } = replay(interpretations)[largest] as Replay
  const began = recorded[largest]?.reduce((least, { at }) => Math.min(least, at), Infinity) ?? 0
  const results = resultsUnder(interpretations)
  const different = results.filter((one) => judgementOf(one) === 'differ')
  return {
    calibration: {
      exchanges: { read, judged: exchanges.length, skipped },
      assumptions: assumptions.map((one) => verdictOn(one, found.get(one.id))),
      violations: violationsOf(exchanges, validator),
      behaviour: behaviourOf(results, different),
    },
    parts: different.map(({ differences }) => differences),
    scenario: scenarioOf(
      { ...startWorld(start), confirmed: confirmedBy(found) },
      Math.floor(began / 1000) * 1000,
      contract,
    ),
    scenarioOf: groups[largest]?.name ?? '',
  }
}

/** The exchanges of each group. Repeated reads with the same response share one object. */
function interned(groups: Recordings['groups']): Exchange[][] {
  const known = new Map<string, object>()
  const alike = ({ operation, request, response }: Exchange): object => {
    if (operation.changesState) return {}
    const { status, type, body } = response
    const key = [operation.method, request.url, request.credentials, status, type, body].join('\n')
    const found = known.get(key) ?? {}
    known.set(key, found)
    return found
  }
  return groups.map(({ exchanges }) => exchanges.map((one) => ({ ...one, alike: alike(one) })))
}

/** Decides the assumptions about times, which no replay can try: the interval between two updates, in any time zone. */
function timingOf(recorded: readonly Exchange[][], assumptions: readonly Assumption[], validator: Validator) {
  const { default: usual = 0 } = assumptions.find(({ id }) => id === intervalId) ?? {}
  const { default: zone = 'UTC', alternatives = [] } = assumptions.find(({ id }) => id === zoneId) ?? {}
  const calls = recorded.map((group) =>
    group
      .filter(({ isTimeless }) => !isTimeless)
      .map((one) => ({ call: callOf(one, validator), number: one.number })),
  )
  const updates = calls.map((group) => group.flatMap(({ call, number }) => listUpdateOf(call, number) ?? []))
  const renewals = calls.flat().flatMap(({ call }) => renewalOf(call) ?? [])
  const known = [zone, ...alternatives].map(String)
  const refusals = updates.flatMap((group) => refusalsIn(group, Number(usual)))
  const zones = [...known.slice(1), ...timeZonesOf([...renewals, ...refusals], known)]
  const intervals = new Map(
    known.concat(zones).map((one) => [one, workOutInterval(updates, Number(usual), one)]),
  )
  // Without a renewal, which tells the time zone, an odd interval that is the usual one in another zone is due to the zone.
  const own = intervals.get(String(zone)) as Interval
  const isUsualSomewhere = [...intervals.values()].some(({ interpretation }) => interpretation === usual)
  const isOdd = ({ interpretation }: Interval) =>
    Number(interpretation) > Number(usual) && Number(interpretation) % 3600 !== 0
  if (isUsualSomewhere && renewals.length === 0)
    for (const [one, interval] of intervals)
      if (isOdd(interval)) intervals.set(one, { ...interval, low: 1, high: 0, seconds: Number(usual) })
  const intervalIn = (one: string): Interval => intervals.get(one) ?? own
  return {
    zones,
    intervalIn,
    verdictIn(one: string, ofZone: Decision | undefined): Decision {
      const { low, high, interpretation, evidence } = intervalIn(one)
      if (low > high) return { verdict: 'contradicts', interpretation: null, evidence }
      const isZoneKnown = ofZone?.verdict === 'holds' || ofZone?.verdict === 'other'
      const isOpen = !isZoneKnown && isUsualSomewhere && interpretation !== usual
      if (interpretation === null || isOpen) return { verdict: 'undecided', interpretation: null, evidence }
      return { verdict: interpretation === usual ? 'holds' : 'other', interpretation, evidence }
    },
  }
}

/** The assumptions that the recording confirms */
function confirmedBy(found: ReadonlyMap<string, Decision>): string[] {
  return [...found].flatMap(([id, { verdict }]) => (verdict === 'holds' || verdict === 'other' ? id : []))
}

function verdictOn(
  assumption: Assumption,
  { verdict, interpretation, evidence }: Decision = {
    verdict: 'undecided',
    interpretation: null,
    evidence: [],
  },
): JudgedAssumption {
  const needs = verdict === 'undecided' ? needsOf(assumption) : []
  return { id: assumption.id, verdict, interpretation, default: assumption.default, evidence, needs }
}

/** The contract violations in recorded responses. Rejecting an invalid request is no violation. */
function violationsOf(exchanges: readonly Exchange[], validator: Validator): Calibration['violations'] {
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

function judgementOf({ differences, isFirst, isUndecidable }: Replayed): Judgement {
  if (isUndecidable) return 'undecidable'
  if (differences.length > 0) return 'differ'
  return isFirst ? 'firstObservation' : 'same'
}

function behaviourOf(results: readonly Replayed[], different: readonly Replayed[]): Behaviour {
  const counts: Record<Judgement, number> = { same: 0, differ: 0, firstObservation: 0, undecidable: 0 }
  for (const one of results) counts[judgementOf(one)]++
  const { same, differ } = counts
  const fidelity = same + differ > 0 ? Math.floor((same * 1000) / (same + differ)) / 10 : null
  return { ...counts, fidelity, differences: different.map(differenceOf) }
}

function differenceOf({ exchange, ours }: Replayed): BehaviourDifference {
  const { number, operation, response } = exchange
  const { status, case: name = null, reason = null } = ours
  return {
    exchange: number,
    operation: operation.operationId,
    real: { status: response.status, body: shown(response) },
    ours: { status, body: shown(ours), case: name, reason },
  }
}

/** Longer bodies are left out: the Markdown report shows their differing parts. */
const maxBodyLength = 20_000

function shown({ body, value }: RecordedResponse): unknown {
  if (body.length > maxBodyLength)
    return `(${body.length} characters; the report as .md shows the parts that differ)`
  return value === undefined ? body : value
}
