import type { Finding } from '../admin/shapes.ts'
import { findingRules } from '../findings/findings.ts'
import { UserError } from '../lib/UserError.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { addsMore, surplus, type Effect } from './Effects.ts'
import { strikeFirstCall, struckRequest } from './strikeFirstCall.ts'
import { checkWanted, planOf, type Cell, type Wanted } from './plan.ts'
import { firstAccount, type Observed } from './runAgainstSimulator.ts'
import type { ShownRequest, SweepReport, SweepRun } from './sweepReport.ts'
import { concurrently, runTrial, show, type TrialSettings } from './trials.ts'
import { isBad, judge, verdicts, type Verdict } from './verdicts.ts'

export interface SweepSettings extends TrialSettings, Wanted {
  /** Milliseconds; undefined derives it from the run without faults */
  timeout: number | undefined
  /** The command that repeats a run */
  repeat: (cell: Cell) => string
  /** Called after the first run without faults, with the number of runs that follow */
  onBaseline: (baseline: SweepReport['baseline'], runs: number) => void
  onRun: (run: SweepRun) => void
  /** Writes the scenario of a bad run: the account just before the call, with the fault armed. @returns the file */
  writeRepro: (run: SweepRun, scenario: ScenarioDocument) => Promise<string | null>
}

/** Milliseconds for a run without faults */
const baselineTimeout = 600_000

/**
 * Runs a command once without faults, and then once for each fault that it can meet. At the first verdict that would
 * blame a fault for what the command did, it runs once more without faults: differences between two fault-free runs are
 * not judged. If interrupted, the report has the runs that ended before.
 * @returns undefined if there were none
 * @throws UserError if the command fails without a fault, or there is nothing to try
 */
export async function sweep(settings: SweepSettings): Promise<SweepReport | undefined> {
  const { jobs, timeout, command, simulator } = settings
  const { contract, world } = await firstAccount(simulator)
  checkWanted(settings, contract)

  const withoutFault = async (when: string): Promise<Observed | undefined> => {
    const env = { PROXYSIM_FAULT: 'none' }
    const observed = await runTrial(settings, 'none', { env, timeout: timeout ?? baselineTimeout })
    if (observed) requireSuccess(observed, when, settings)
    return observed
  }
  const first = await withoutFault('without faults')
  if (!first) return undefined
  const { seen, durationMs } = first
  const { requests, called, findings, effects } = seen
  const cells = planOf(called, settings, contract, world)
  const baseline: SweepReport['baseline'] = {
    durationMs,
    requests,
    operations: called,
    findings,
    unsteady: [],
  }
  settings.onBaseline(baseline, cells.length)

  let second: Promise<Observed | undefined> | undefined
  const runAgain = async (): Promise<Observed | undefined> => {
    const again = await withoutFault('on its second run without faults')
    if (!again) return undefined
    baseline.findings.push(...newFindings(again, findings, effects))
    const differing = [...surplus(effects, again.seen.effects), ...surplus(again.seen.effects, effects)]
    baseline.unsteady.push(...new Set(differing.map(({ subject }) => subject)))
    return again
  }

  const limit = timeout ?? Math.max(10_000, 5 * durationMs)
  const runs = await concurrently(cells, jobs, async (cell) => {
    const { operation, fault } = cell
    const name = `${operation} ${fault.name}`
    let hasStruck = (): boolean => false
    const observed = await runTrial(settings, name, {
      env: { PROXYSIM_FAULT: name },
      timeout: limit,
      prepare: (simulation) => {
        hasStruck = strikeFirstCall(simulation, operation, fault)
      },
    })
    if (!observed) return undefined
    const isStruck = hasStruck()
    let done = judged(cell, { ...observed, isStruck }, baseline, effects)
    if (done.verdict === 'harm' || done.verdict === 'swallowed') {
      if (!(await (second ??= runAgain()))) return undefined
      done = judged(cell, { ...observed, isStruck }, baseline, effects)
    }
    done.repeat = settings.repeat(cell)
    settings.onRun(done)
    const struck = isBad(done.verdict) && struckRequest(observed.seen.records, operation)
    const repro = struck && (await reproduceRecord(observed.simulation.store, struck, ''))
    if (repro) done.repro = await settings.writeRepro(done, repro.scenario)
    return done
  })
  const notRun = cells.length - runs.length
  if (notRun > 0 && runs.length === 0) return undefined
  return {
    command: [...command],
    passed: notRun === 0 && runs.every(({ verdict }) => !isBad(verdict)),
    timeout: limit / 1000,
    baseline,
    verdicts: Object.fromEntries(
      verdicts.map((verdict) => [verdict, runs.filter((one) => one.verdict === verdict).length]),
    ) as Record<Verdict, number>,
    runs,
    notRun,
  }
}

function requireSuccess(
  { exitCode, timedOut, durationMs, printed }: Observed,
  when: string,
  { verbose }: SweepSettings,
): void {
  if (exitCode === 0 && !timedOut) return
  if (!verbose) show(printed)
  const failed = timedOut
    ? `didn't finish within ${(durationMs / 1000).toFixed(1)} s`
    : `exits with ${exitCode}`
  throw new UserError(`The command ${failed} ${when}. A sweep needs a command that succeeds.`)
}

function judged(
  { operation, fault }: Cell,
  observed: Observed & { isStruck: boolean },
  baseline: SweepReport['baseline'],
  expected: readonly Effect[],
): SweepRun {
  const { exitCode, timedOut, isStruck, seen, output, durationMs } = observed
  const findings = newFindings(observed, baseline.findings, expected)
  const linesOf = (effects: readonly Effect[]): string[] =>
    effects
      .filter(({ subject }) => !baseline.unsteady.includes(subject))
      .map(({ subject, value }) => `${subject}: ${value}`)
  const missing = linesOf(surplus(expected, seen.effects))
  const added = linesOf(surplus(seen.effects, expected))
  const isSameEnd = missing.length + added.length === 0
  const verdict = judge({ isStruck, harms: findings.length, exitCode, timedOut, isSameEnd })
  return {
    operation,
    fault: fault.name,
    verdict,
    exitCode,
    timedOut,
    durationMs,
    requests: seen.requests,
    findings,
    endState: exitCode === 0 && !timedOut ? { missing, added } : null,
    shown: isBad(verdict) ? shownOf(observed, findings, { operation, fault }) : [],
    output,
    repeat: '',
    repro: null,
  }
}

/**
 * The findings that the run without faults doesn't have. An order that was sent twice is only one too many if there are
 * more orders than without faults.
 */
function newFindings({ seen }: Observed, known: readonly Finding[], expected: readonly Effect[]): Finding[] {
  const ordersMore = addsMore(seen.effects, expected)
  return seen.findings.filter(({ finding, operation }) => {
    const { isEverywhere, isAnOrderTooMany } = findingRules[finding]
    const isKnown = known.some(
      (one) => one.finding === finding && (isEverywhere || one.operation === operation),
    )
    return !isKnown && (ordersMore || !isAnOrderTooMany)
  })
}

const maxShown = 10

/** The struck call and the requests of findings; without findings, later calls that changed the world or failed. */
function shownOf(
  { seen }: Observed,
  findings: readonly Finding[],
  { operation, fault }: Cell,
): ShownRequest[] {
  const struck = struckRequest(seen.records, operation)?.id ?? 0
  const found = new Set(findings.flatMap(({ requests }) => requests.map(({ id }) => id)))
  const telling = seen.entries.filter(
    ({ id, change, status }) =>
      id === struck ||
      found.has(id) ||
      (findings.length === 0 && id > struck && (change !== null || status === null || status >= 400)),
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
