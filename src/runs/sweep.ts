import type { Finding } from '../admin/shapes.ts'
import { findingRules } from '../findings/findings.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../UserError.ts'
import { compareEndStates, hasMoreRecords, unsteadySubjects, type Effect } from './compareEndStates.ts'
import { concurrently } from './concurrently.ts'
import { EndState } from './EndState.ts'
import { FirstCallFault, type Strike } from './FirstCallFault.ts'
import { checkWanted, planOf, type Cell, type Wanted } from './plan.ts'
import { firstAccount, runAgainstSimulator, type Observed, type RunSettings } from './runAgainstSimulator.ts'
import type { ShownRequest, SweepReport, SweepRun } from './SweepRun.ts'
import { isBad, judge, verdicts, type Verdict } from './verdicts.ts'

export interface SweepSettings extends Wanted, Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  /** Number of concurrent runs */
  jobs: number
  /** Milliseconds; undefined derives it from the run without faults */
  timeout: number | undefined
  /** The command that repeats a run */
  repeat: (cell: Cell) => string
  /** Called after the first run without faults, with the number of runs that follow */
  onBaseline: (baseline: SweepReport['baseline'], runs: number) => void
  /** Called after each run */
  onRun: (run: SweepRun) => void
  /** Called with what a run printed, when it ended */
  onOutput: (name: string, text: string, isFailed: boolean) => void
}

export interface Swept {
  report: SweepReport
  /** Scenarios of the runs with bad verdicts */
  repros: Map<SweepRun, ScenarioDocument>
}

/** A run with its effects on the worlds, and the call that was struck. */
interface SweptRun extends Observed {
  effects: readonly Effect[]
  strike: Strike | undefined
}

/** Milliseconds for a run without faults */
const baselineTimeout = 600_000

/** Number of requests to keep per run, as a report shows those that tell why */
const journal = 10_000

/**
 * Runs a command once without faults, and then once for each fault that it can meet. At the first verdict that would
 * blame a fault for what the command did, it runs once more without faults: differences between two fault-free runs are
 * not judged. If interrupted, the report has the runs that ended before.
 * @returns undefined if there were none
 * @throws UserError if the command fails without a fault, or there is nothing to try
 */
export async function sweep(settings: SweepSettings): Promise<Swept | undefined> {
  const { jobs, timeout, repeat, onBaseline, onRun, command } = settings
  const { contract, world } = await firstAccount(settings.simulator)
  checkWanted(settings, contract)
  const first = await run(undefined, settings, timeout ?? baselineTimeout)
  if (!first) return undefined
  requireSuccess(first, 'without faults')

  const cells = planOf(first.seen.called, settings, contract, world)
  const baseline = baselineOf(first)
  const limit = timeout ?? Math.max(10_000, 5 * baseline.durationMs)
  onBaseline(baseline, cells.length)

  let second: Promise<SweptRun | undefined> | undefined
  const runAgain = async (): Promise<SweptRun | undefined> => {
    const again = await run(undefined, settings, timeout ?? baselineTimeout)
    if (!again) return undefined
    requireSuccess(again, 'on its second run without faults')
    baseline.findings.push(...newFindings(again, first.seen.findings, first.effects))
    baseline.unsteady.push(...unsteadySubjects(first.effects, again.effects))
    return again
  }

  const repros = new Map<SweepRun, ScenarioDocument>()
  const runs = await concurrently(cells, jobs, async (cell) => {
    const observed = await run(cell, settings, limit)
    if (!observed) return undefined
    const judgedNow = (): SweepRun => judged(cell, observed, baseline, first.effects, repeat(cell))
    let done = judgedNow()
    if (done.verdict === 'harm' || done.verdict === 'swallowed') {
      if (!(await (second ??= runAgain()))) return undefined
      done = judgedNow()
    }
    onRun(done)
    const repro = isBad(done.verdict) ? await observed.strike?.repro : undefined
    if (repro) repros.set(done, repro)
    return done
  })
  const notRun = cells.length - runs.length
  if (notRun > 0 && runs.length === 0) return undefined
  const passed = notRun === 0 && runs.every(({ verdict }) => !isBad(verdict))
  const counts = Object.fromEntries(
    verdicts.map((verdict) => [verdict, runs.filter((one) => one.verdict === verdict).length]),
  ) as Record<Verdict, number>
  return {
    report: {
      command: [...command],
      passed,
      timeout: limit / 1000,
      baseline,
      verdicts: counts,
      runs,
      notRun,
    },
    repros,
  }
}

/** @returns undefined if it was interrupted */
async function run(
  cell: Cell | undefined,
  { command, simulator, signals, onOutput }: SweepSettings,
  timeout: number,
): Promise<SweptRun | undefined> {
  if (signals.received) return undefined
  const name = cell ? `${cell.operation} ${cell.fault.name}` : 'none'
  let endState: EndState | undefined
  let fault: FirstCallFault | undefined
  let printed = ''
  const observed = await runAgainstSimulator({
    command,
    simulator,
    env: { PROXYSIM_FAULT: name },
    timeout,
    journal: Math.max(journal, simulator.journal ?? 0),
    signals,
    onOutput: (text) => (printed += text),
    prepare: ({ simulation }) => {
      endState = new EndState(simulation)
      if (cell) fault = new FirstCallFault(simulation, cell.operation, cell.fault)
    },
  })
  if (signals.received) return undefined
  onOutput(name, printed, !cell && observed.exitCode !== 0)
  return { ...observed, effects: endState?.effects ?? [], strike: fault?.strike }
}

function requireSuccess({ exitCode, timedOut, duration }: Observed, when: string): void {
  const needed = 'A sweep needs a command that succeeds.'
  if (timedOut)
    throw new UserError(
      `The command didn't finish within ${(duration / 1000).toFixed(1)} s ${when}. ${needed}`,
    )
  if (exitCode !== 0) throw new UserError(`The command exits with ${exitCode} ${when}. ${needed}`)
}

function baselineOf({ duration, seen }: Observed): SweepReport['baseline'] {
  const { requests, called, findings } = seen
  return { durationMs: Math.round(duration), requests, operations: called, findings, unsteady: [] }
}

function judged(
  { operation, fault }: Cell,
  observed: SweptRun,
  baseline: SweepReport['baseline'],
  expected: readonly Effect[],
  repeat: string,
): SweepRun {
  const { exitCode, timedOut, strike, effects, seen, output } = observed
  const isDone = exitCode === 0 && !timedOut
  const endState = isDone ? compareEndStates(expected, effects, new Set(baseline.unsteady)) : null
  const findings = newFindings(observed, baseline.findings, expected)
  const verdict = judge({
    isStruck: strike !== undefined,
    harms: findings.length,
    exitCode,
    timedOut,
    isSameEnd: endState !== null && endState.missing.length + endState.added.length === 0,
  })
  return {
    operation,
    fault: fault.name,
    verdict,
    exitCode,
    timedOut,
    durationMs: Math.round(observed.duration),
    overheadMs: Math.round(observed.overhead),
    requests: seen.requests,
    findings,
    endState,
    shown: isBad(verdict) ? shownOf(observed, findings, fault.name) : [],
    output,
    repeat,
    repro: null,
  }
}

/**
 * The findings that the run without faults doesn't have. Ids and times differ per run, so findings are counted by name and
 * operation. An order that was sent twice is only one too many if there are more orders than without faults.
 */
function newFindings(
  { seen, effects }: SweptRun,
  known: readonly Finding[],
  expected: readonly Effect[],
): Finding[] {
  const ordersMore = hasMoreRecords(expected, effects)
  const left = new Map<string, number>()
  for (const finding of known) left.set(keyOf(finding), (left.get(keyOf(finding)) ?? 0) + 1)
  return seen.findings.filter((finding) => {
    const { isEverywhere, isAnOrderTooMany } = findingRules[finding.finding]
    const key = keyOf(finding)
    const count = left.get(key) ?? 0
    if (isEverywhere) return count === 0
    left.set(key, count - 1)
    return count <= 0 && (ordersMore || !isAnOrderTooMany)
  })
}

function keyOf({ finding, operation }: Finding): string {
  return findingRules[finding].isEverywhere ? finding : `${finding} ${operation ?? ''}`
}

const maxShown = 10

/** The struck call and the evidence of findings; without findings, later calls that changed the world or failed. */
function shownOf({ seen, strike }: SweptRun, findings: readonly Finding[], fault: string): ShownRequest[] {
  const struck = strike?.request
  const evidence = new Set(findings.flatMap(({ requests }) => requests.map(({ id }) => id)))
  const telling = seen.entries.filter(
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
    reason: id === struck && reason !== null ? `forced by this sweep: ${fault}` : reason,
    change,
    struck: id === struck,
  }))
}
