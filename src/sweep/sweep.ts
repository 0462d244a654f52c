import type { Contract } from '../contract/Contract.ts'
import type { Finding, JournalEntry } from '../admin/shapes.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../UserError.ts'
import type { World } from '../world/World.ts'
import { compareEffects, hasMoreOrders, unsteadySubjects } from './compareEffects.ts'
import type { Effect } from './effectsOf.ts'
import type { Strike } from './FirstCallFault.ts'
import { isBad, judge, verdicts, type Verdict } from './judge.ts'
import { newFindings } from './newFindings.ts'
import { planOf, type Cell, type Wanted } from './plan.ts'
import type { ShownRequest, SweepReport, SweepRun } from './SweepReport.ts'

/** The observations of a run of the command. */
export interface Observed {
  exitCode: number
  timedOut: boolean
  /** Milliseconds of the command itself */
  duration: number
  /** Milliseconds that the simulator took in addition, to start and stop */
  overhead: number
  requests: number
  /** Operations called with credentials, in the order of their first calls */
  called: readonly string[]
  findings: readonly Finding[]
  effects: readonly Effect[]
  /** The oldest first; built on demand */
  entries: () => readonly JournalEntry[]
  strike: Strike | undefined
  /** The last lines of output */
  output: string[]
}

export interface SweepSettings extends Wanted {
  command: readonly string[]
  contract: Contract
  /** The first account at the start */
  world: World
  /** Number of concurrent runs */
  jobs: number
  /** Milliseconds; undefined derives it from the run without faults */
  timeout: number | undefined
  /** Runs the command against its own simulator, with the cell's fault if given; undefined: interrupted */
  run: (cell: Cell | undefined, timeout: number) => Promise<Observed | undefined>
  /** The command that repeats a run */
  repeat: (cell: Cell) => string
  /** Called after the first run without faults, with the number of runs that follow */
  onBaseline: (baseline: SweepReport['baseline'], runs: number) => void
  /** Called after each run */
  onRun: (run: SweepRun) => void
}

export interface Swept {
  report: SweepReport
  /** Scenarios of the runs with bad verdicts */
  repros: Map<SweepRun, ScenarioDocument>
}

/** Milliseconds for a run without faults */
const baselineTimeout = 600_000

/**
 * Runs a command once without faults, and then once for each fault that it can meet. At the first verdict that would
 * blame a fault for what the command did, it runs once more without faults: what differs by itself isn't blamed.
 * If interrupted, the report has the runs that ended before.
 * @returns undefined if there were none
 * @throws UserError if the command fails without a fault, or there is nothing to try
 */
export async function sweep(settings: SweepSettings): Promise<Swept | undefined> {
  const { run, contract, world, jobs, timeout, repeat, onBaseline, onRun } = settings
  const first = await run(undefined, timeout ?? baselineTimeout)
  if (!first) return undefined
  requireSuccess(first, 'without faults')

  const cells = planOf(first.called, settings, contract, world)
  const baseline = baselineOf(first)
  const limit = timeout ?? Math.max(10_000, 5 * baseline.durationMs)
  onBaseline(baseline, cells.length)

  let second: Promise<Observed | undefined> | undefined
  const runAgain = async (): Promise<Observed | undefined> => {
    const again = await run(undefined, timeout ?? baselineTimeout)
    if (!again) return undefined
    requireSuccess(again, 'on its second run without faults')
    const ordersMore = hasMoreOrders(first.effects, again.effects)
    baseline.findings.push(...newFindings(again.findings, first.findings, ordersMore))
    baseline.unsteady.push(...unsteadySubjects(first.effects, again.effects))
    return again
  }

  const repros = new Map<SweepRun, ScenarioDocument>()
  const runs = await mapConcurrently(cells, jobs, async (cell) => {
    const observed = await run(cell, limit)
    if (!observed) return undefined
    const { strike } = observed
    const judgedNow = (): SweepRun => judged(cell, observed, { baseline, effects: first.effects, repeat })
    let done = judgedNow()
    if (done.verdict === 'harm' || done.verdict === 'swallowed') {
      if (!(await (second ??= runAgain()))) return undefined
      done = judgedNow()
    }
    onRun(done)
    const repro = isBad(done.verdict) ? await strike?.repro : undefined
    if (repro) repros.set(done, repro)
    return done
  })
  const notRun = cells.length - runs.length
  if (notRun > 0 && runs.length === 0) return undefined
  const passed = notRun === 0 && runs.every(({ verdict }) => !isBad(verdict))
  const command = [...settings.command]
  return {
    report: { command, passed, timeout: limit / 1000, baseline, verdicts: counts(runs), runs, notRun },
    repros,
  }
}

function requireSuccess({ exitCode, timedOut, duration }: Observed, when: string): void {
  if (timedOut)
    throw new UserError(
      `The command did not finish within ${seconds(duration)} s ${when}; a sweep needs a command that succeeds.`,
    )
  if (exitCode !== 0)
    throw new UserError(`The command exits with ${exitCode} ${when}; a sweep needs a command that succeeds.`)
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}

function baselineOf({ duration, requests, called, findings }: Observed): SweepReport['baseline'] {
  return {
    durationMs: Math.round(duration),
    requests,
    operations: [...called],
    findings: [...findings],
    unsteady: [],
  }
}

interface Comparison {
  baseline: SweepReport['baseline']
  effects: readonly Effect[]
  repeat: SweepSettings['repeat']
}

function judged(cell: Cell, observed: Observed, { baseline, effects, repeat }: Comparison): SweepRun {
  const { exitCode, timedOut, strike } = observed
  const isDone = exitCode === 0 && !timedOut
  const endState = isDone ? compareEffects(effects, observed.effects, new Set(baseline.unsteady)) : null
  const findings = newFindings(observed.findings, baseline.findings, hasMoreOrders(effects, observed.effects))
  const verdict = judge({
    isStruck: strike !== undefined,
    harms: findings.length,
    exitCode,
    timedOut,
    isSameEnd: endState !== null && endState.missing.length + endState.added.length === 0,
  })
  return {
    operation: cell.operation,
    fault: cell.fault.name,
    verdict,
    exitCode,
    timedOut,
    durationMs: Math.round(observed.duration),
    overheadMs: Math.round(observed.overhead),
    requests: observed.requests,
    findings,
    endState,
    shown: isBad(verdict) ? shownOf(observed, findings, cell) : [],
    output: observed.output,
    repeat: repeat(cell),
    repro: null,
  }
}

const maxShown = 10

/** The struck call and the evidence of findings; without findings, later calls that changed the world or failed. */
function shownOf(
  { entries, strike }: Observed,
  findings: readonly Finding[],
  { fault }: Cell,
): ShownRequest[] {
  const struck = strike?.request
  const evidence = new Set(findings.flatMap(({ requests }) => requests.map(({ id }) => id)))
  const telling = entries().filter(
    ({ id, change, status }) =>
      id === struck ||
      evidence.has(id) ||
      (findings.length === 0 && id > (struck ?? 0) && (change !== null || status === null || status >= 400)),
  )
  return telling.slice(0, maxShown).map(({ id, method, path, status, case: name, reason, change }) => ({
    id,
    method,
    path,
    status,
    case: name,
    reason: id === struck && reason !== null ? `forced by this sweep: ${fault.name}` : reason,
    change,
    struck: id === struck,
  }))
}

function counts(runs: readonly SweepRun[]): Record<Verdict, number> {
  const count = (wanted: Verdict): number => runs.filter(({ verdict }) => verdict === wanted).length
  return Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>
}

/** Maps items concurrently, in order. As soon as one result is undefined, no further items are started; those are left out. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const done: R[] = []
  let next = 0
  let isBroken = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !isBroken) {
      const at = next++
      const result = await work(items[at] as T).catch((error: unknown) => {
        isBroken = true
        throw error
      })
      if (result === undefined) isBroken = true
      else done[at] = result
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(jobs, items.length) }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return done.filter((result) => result !== undefined)
}
