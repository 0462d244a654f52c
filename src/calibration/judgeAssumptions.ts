import type { Assumption } from '../contract/Contract.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import type { Verdict } from './Calibration.ts'
import { compare, httpStatus } from './compare.ts'
import type { Exchange } from './Exchange.ts'
import type { Step } from './replay.ts'

/** Replays the recording under these readings. */
export type ReplayUnder = (readings: Readings) => Promise<readonly Step[]>

/** What the recording says about an assumption. */
export interface Judged {
  verdict: Verdict
  reading: string | number | null
  evidence: number[]
  /** Readings that nothing refutes */
  possible: (string | number)[]
  /** The reading to use from here on: the one that holds, or else the one with the least evidence against it */
  best: string | number
}

type Value = string | number

/** A bound, in case the verdicts never stop changing. */
const maxRounds = 5

/**
 * Settles assumptions: replays each reading with the best known readings of all others, until no verdict changes.
 * @param assumptions those whose operations occur in the recording
 */
export async function judgeAssumptions(
  assumptions: readonly Assumption[],
  exchanges: readonly Exchange[],
  replay: ReplayUnder,
): Promise<{ judged: Map<string, Judged>; readings: Readings; steps: readonly Step[] }> {
  let readings = Object.fromEntries(assumptions.map(({ id, default: usual }) => [id, usual])) as Readings
  let judged = new Map<string, Judged>()
  let steps = await replay(readings)
  for (let round = 0; round < maxRounds; round++) {
    judged = new Map()
    for (const assumption of assumptions) {
      const values = [assumption.default, ...assumption.alternatives]
      const held = (readings as Record<string, Value>)[assumption.id]
      const replays = new Map<Value, readonly Step[]>()
      for (const value of values)
        replays.set(value, value === held ? steps : await replay({ ...readings, [assumption.id]: value }))
      judged.set(assumption.id, judge(assumption, replays, exchanges))
    }
    const next = Object.fromEntries([...judged].map(([id, { best }]) => [id, best])) as Readings
    if (JSON.stringify(next) === JSON.stringify(readings)) break
    readings = next
    steps = await replay(readings)
  }
  return { judged, readings, steps }
}

/** There is no majority vote: one exchange that is impossible under a reading refutes it. */
function judge(
  { default: usual }: Assumption,
  replays: ReadonlyMap<Value, readonly Step[]>,
  exchanges: readonly Exchange[],
): Judged {
  const values = [...replays.keys()]
  const refuted = new Map<Value, number[]>(values.map((value) => [value, []]))
  const agreed = new Map<Value, number[]>(values.map((value) => [value, []]))
  for (const [i, exchange] of exchanges.entries()) {
    const { number, response } = exchange
    if (response.status >= 500) continue
    const steps = values.map((value) => replays.get(value)?.[i] as Step)
    const apart = apartAt(exchange, steps)
    if (apart.size === 0) continue
    // The readings agree on the status and the service has another: this says nothing about any of them.
    if (!apart.has(httpStatus) && steps.some(({ ours }) => ours.status !== response.status)) continue
    for (const [v, step] of steps.entries()) {
      const value = values[v] as Value
      const contradicts = step.differences.some(({ path, generated }) => !generated && touches(apart, path))
      if (!contradicts) agreed.get(value)?.push(number)
      else if (!step.isUndecidable) refuted.get(value)?.push(number)
    }
  }
  const left = values.filter((value) => refuted.get(value)?.length === 0)
  const numbersOf = (value: Value, all: ReadonlyMap<Value, number[]>): number[] => all.get(value) ?? []
  const against = [...new Set(values.flatMap((value) => numbersOf(value, refuted)))].toSorted((a, b) => a - b)
  if (left.length === 0) {
    const best = values.toSorted(
      (a, b) => numbersOf(a, refuted).length - numbersOf(b, refuted).length,
    )[0] as Value
    return { verdict: 'contradicts', reading: null, evidence: against, possible: [], best }
  }
  if (left.length === values.length)
    return { verdict: 'undecided', reading: null, evidence: [], possible: left, best: usual }
  if (left.includes(usual) || left.length === 1) {
    const reading = left.includes(usual) ? usual : (left[0] as Value)
    const evidence = against.filter((number) => numbersOf(reading, agreed).includes(number))
    return {
      verdict: reading === usual ? 'holds' : 'other',
      reading,
      evidence,
      possible: [reading],
      best: reading,
    }
  }
  return { verdict: 'undecided', reading: null, evidence: against, possible: left, best: left[0] as Value }
}

/** The parts in which the readings differ from each other at an exchange. */
function apartAt(exchange: Exchange, [first, ...others]: readonly Step[]): Set<string> {
  const apart = new Set<string>()
  for (const { ours } of others) {
    if (!first || (ours.body === first.ours.body && ours.status === first.ours.status)) continue
    for (const { path, generated } of compare(exchange, ours, first.ours).differences)
      if (!generated) apart.add(path)
  }
  return apart
}

function touches(apart: ReadonlySet<string>, path: string): boolean {
  if (apart.has(path) || path === httpStatus) return true
  for (const one of apart) if (path.startsWith(one) || one.startsWith(path)) return true
  return false
}
