import type { Finding } from '../admin/shapes.ts'
import { findingRules } from '../findings/findings.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { entryOf } from '../journal/redaction/redactRecord.ts'
import { counted } from '../lib/text.ts'
import type { Mark } from '../report/Report.ts'
import { UserError } from '../lib/UserError.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { addsMore, subjectOf, surplus } from './Effects.ts'
import { checkWanted, planOf, type Cell, type Wanted } from './plan.ts'
import { strikeFirstCall, struckRequest } from './strikeFirstCall.ts'
import { countsOf, markOf, sweepReport, verdictOn } from './sweepReport.ts'
import type { SweepReport, SweepRun } from './sweepReport.ts'
import { concurrently, firstAccount, runTrial, show } from './trials.ts'
import type { Result, Trial, TrialSettings } from './trials.ts'

export interface SweepSettings extends TrialSettings, Wanted {
  /** Milliseconds; undefined derives it from the run without faults */
  timeout: number | undefined
  /** The command that repeats a run */
  repeat: (cell: Cell) => string
  /** Writes the scenario of a bad run: the account just before the call, with the fault armed. @returns the file */
  writeRepro: (cell: Cell, scenario: ScenarioDocument) => Promise<string | null>
}

/** Milliseconds for a run without faults */
const baselineTimeout = 600_000

/** What the command does without faults. */
type Baseline = SweepReport['baseline'] & { effects: readonly string[] }

/**
 * Runs a command once without faults, and then once for each fault that it can meet. At the first verdict that would
 * blame a fault for what the command did, it runs once more without faults: what differs then isn't judged.
 * @returns undefined if it was interrupted
 * @throws UserError if the command fails without a fault, or there is nothing to try
 */
export async function sweep(settings: SweepSettings): Promise<Result<SweepReport> | undefined> {
  const { jobs, command } = settings
  const { contract, world } = await firstAccount(settings.simulator)
  checkWanted(settings, contract)
  const first = await runWithoutFaults(settings, 'without faults')
  if (!first) return undefined
  const { seen, durationMs } = first
  const operations = [...seen.letIn]
  const cells = planOf(operations, settings, contract, world)
  const calls = `${counted(seen.journal.total, 'request')} of ${operations.join(', ')}`
  const all = counted(cells.length, 'run')
  process.stderr.write(`without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s); ${all} to go\n`)

  const told = { durationMs, requests: seen.journal.total, operations, findings: seen.findings.list }
  const baseline: Baseline = { ...told, unsteady: [], effects: seen.effects.lines }
  const timeout = settings.timeout ?? Math.max(10_000, 5 * durationMs)
  let second: Promise<boolean> | undefined
  const runs = await concurrently(cells, jobs, async (cell) => {
    const trial = await runWithFault(settings, cell, timeout)
    if (!trial) return undefined
    let run = judge(cell, trial, baseline)
    if (run.verdict === 'harm' || run.verdict === 'swallowed') {
      if (!(await (second ??= runAgain(settings, baseline)))) return undefined
      run = judge(cell, trial, baseline)
    }
    const { operation, fault, verdict } = run
    const mark = markOf(verdict)
    settings.onRun(`${operation} ${fault}`, { text: verdict, mark }, run.durationMs, cells.length)
    return { ...run, repeat: settings.repeat(cell), repro: await reproOf(settings, cell, trial, mark) }
  })
  if (!runs) return undefined
  const passed = runs.every(({ verdict }) => markOf(verdict) !== 'bad')
  const { effects: _effects, ...shown } = baseline
  const data = { command, passed, timeout: timeout / 1000, baseline: shown, verdicts: countsOf(runs), runs }
  return { data, report: sweepReport(data), passed }
}

/** @throws UserError if the command fails */
async function runWithoutFaults(settings: SweepSettings, when: string): Promise<Trial | undefined> {
  const { timeout = baselineTimeout, verbose } = settings
  const trial = await runTrial(settings, 'none', { env: { PROXYSIM_FAULT: 'none' }, timeout })
  if (!trial || (trial.exitCode === 0 && !trial.timedOut)) return trial
  if (!verbose) show(trial.printed)
  const failed = trial.timedOut
    ? `didn't finish within ${(trial.durationMs / 1000).toFixed(1)} s`
    : `exits with ${trial.exitCode}`
  throw new UserError(`The command ${failed} ${when}. A sweep needs a command that succeeds.`)
}

/** Notes what differs from the first run without faults. @returns false if it was interrupted */
async function runAgain(settings: SweepSettings, baseline: Baseline): Promise<boolean> {
  const again = await runWithoutFaults(settings, 'on its second run without faults')
  if (!again) return false
  const { findings, unsteady, effects } = baseline
  const lines = again.seen.effects.lines
  findings.push(...newFindings(again.seen.findings.list, baseline, true))
  unsteady.push(...new Set([...surplus(effects, lines), ...surplus(lines, effects)].map(subjectOf)))
  return true
}

interface FaultyTrial extends Trial {
  /** The fault struck, although the journal may have dropped the request */
  isStruck: boolean
  struck: JournalRecord | undefined
}

async function runWithFault(
  settings: SweepSettings,
  { operation, fault }: Cell,
  timeout: number,
): Promise<FaultyTrial | undefined> {
  const name = `${operation} ${fault.name}`
  let hasStruck = (): boolean => false
  const trial = await runTrial(settings, name, {
    env: { PROXYSIM_FAULT: name },
    timeout,
    prepare: (simulation) => {
      hasStruck = strikeFirstCall(simulation, operation, fault)
    },
  })
  const struck = trial && struckRequest(trial.seen.journal.records, operation)
  return trial && { ...trial, isStruck: hasStruck(), struck }
}

function judge({ operation, fault }: Cell, trial: FaultyTrial, baseline: Baseline): SweepRun {
  const { seen, run, isStruck, struck } = trial
  const effects = seen.effects.lines
  const steady = (lines: string[]): string[] =>
    lines.filter((line) => !baseline.unsteady.includes(subjectOf(line)))
  const missing = steady(surplus(baseline.effects, effects))
  const added = steady(surplus(effects, baseline.effects))
  const isSameEnd = missing.length + added.length === 0
  const findings = newFindings(seen.findings.list, baseline, addsMore(effects, baseline.effects))
  const verdict = verdictOn({ isStruck, harms: findings.length, ...run, isSameEnd })
  const endState = run.exitCode === 0 && !run.timedOut ? { missing, added } : null
  const shown = markOf(verdict) === 'bad' ? shownOf(seen.journal.records, struck) : []
  const name = fault.name
  return { operation, fault: name, verdict, ...run, findings, endState, shown, repeat: '', repro: null }
}

async function reproOf(
  { writeRepro }: SweepSettings,
  cell: Cell,
  { struck, simulation }: FaultyTrial,
  mark: Mark,
): Promise<string | null> {
  const made = mark === 'bad' && struck && (await reproduceRecord(simulation.store, struck, ''))
  return made ? writeRepro(cell, made.scenario) : null
}

/**
 * The findings that the runs without faults don't have. An order that was sent twice is only one too many if there are
 * more orders than without faults.
 */
function newFindings(findings: readonly Finding[], baseline: Baseline, ordersMore: boolean): Finding[] {
  return findings.filter(({ finding, operation }) => {
    const { isEverywhere, isAnOrderTooMany } = findingRules[finding]
    const isKnown = baseline.findings.some(
      (one) => one.finding === finding && (isEverywhere || one.operation === operation),
    )
    return !isKnown && (ordersMore || !isAnOrderTooMany)
  })
}

const maxShown = 10

function shownOf(records: readonly JournalRecord[], struck: JournalRecord | undefined): SweepRun['shown'] {
  const from = struck?.id ?? Infinity
  const telling = records.filter(
    ({ id, change, status }) =>
      id === from || (id > from && (change !== undefined || status === null || status >= 400)),
  )
  return telling.slice(0, maxShown).map(entryOf)
}
