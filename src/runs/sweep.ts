import type { Finding } from '../admin/shapes.ts'
import { findingRules } from '../findings/findings.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { entryOf } from '../journal/redaction/redactRecord.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { addsMore, subjectOf, surplus } from './Effects.ts'
import { checkWanted, planOf, type Cell, type Wanted } from './plan.ts'
import { firstAccount, type Observed } from './runAgainstSimulator.ts'
import { strikeFirstCall } from './strikeFirstCall.ts'
import { countsOf, isBad, lineOf, sweepReport } from './sweepReport.ts'
import type { SweepReport, SweepRun, Verdict } from './sweepReport.ts'
import { concurrently, incomplete, interruptedAfter, runOf, runTrial, show } from './trials.ts'
import type { Result, TrialSettings } from './trials.ts'

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

/**
 * Runs a command once without faults, and then once for each fault that it can meet. At the first verdict that would
 * blame a fault for what the command did, it runs once more without faults: what differs then isn't judged.
 * @throws UserError if the command fails without a fault, or there is nothing to try; Interrupted
 */
export async function sweep(settings: SweepSettings): Promise<Result<SweepReport>> {
  const { jobs, command } = settings
  const { contract, world } = await firstAccount(settings.simulator)
  checkWanted(settings, contract)
  const first = await runWithoutFaults(settings, 'without faults')
  const { durationMs } = first
  const requests = first.journal.total
  const operations = [...first.letIn]
  const cells = planOf(operations, settings, contract, world)
  const calls = `${counted(requests, 'request')} of ${operations.join(', ')}`
  const all = counted(cells.length, 'run')
  process.stderr.write(`without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s); ${all} to go\n`)

  const timeout = settings.timeout ?? Math.max(10_000, 5 * durationMs)
  let baseline = baselineOf(first)
  let again: Promise<void> | undefined
  const runAgain = async (): Promise<void> => {
    baseline = baselineOf(first, await runWithoutFaults(settings, 'on its second run without faults'))
  }
  const runs = await concurrently(cells, jobs, async (cell) => {
    const trial = await runWithFault(settings, cell, timeout)
    let run = sweepRunOf(cell, trial, baseline)
    if (run.verdict === 'harm' || run.verdict === 'swallowed') {
      await (again ??= runAgain())
      run = sweepRunOf(cell, trial, baseline)
    }
    settings.onRun(`${cell.operation} ${cell.fault.name}`, lineOf(run), run.durationMs, cells.length)
    const repro = isBad(run) ? await reproOf(settings, cell, trial) : null
    return { ...run, repeat: settings.repeat(cell), repro }
  })
  const problem = interruptedAfter(runs.length, cells.length)
  const passed = problem === undefined && !runs.some(isBad)
  const { findings, unsteady } = baseline
  const data: SweepReport = {
    command,
    passed,
    timeout: timeout / 1000,
    baseline: { durationMs, requests, operations, findings, unsteady },
    verdicts: countsOf(runs),
    runs,
  }
  return { data, report: incomplete(sweepReport(data), problem), passed, problem }
}

/** What the command does without faults. */
interface Baseline extends Pick<SweepReport['baseline'], 'findings' | 'unsteady'> {
  effects: readonly string[]
}

/** @param second another run without faults: what differs is unsteady */
function baselineOf(first: Observed, second = first): Baseline {
  const [effects, others] = [first.effects.lines, second.effects.lines]
  const differing = [...surplus(effects, others), ...surplus(others, effects)].map(subjectOf)
  const findings = first.findings.list
  const more = newFindings(second.findings.list, findings, true)
  return { effects, findings: [...findings, ...more], unsteady: [...new Set(differing)] }
}

/** @throws UserError if the command fails; Interrupted */
async function runWithoutFaults(settings: SweepSettings, when: string): Promise<Observed> {
  const { timeout = baselineTimeout, verbose } = settings
  const trial = await runTrial(settings, 'none', { env: { PROXYSIM_FAULT: 'none' }, timeout })
  if (trial.exitCode === 0 && !trial.timedOut) return trial
  if (!verbose) show(trial.printed)
  const failed = trial.timedOut
    ? `didn't finish within ${(trial.durationMs / 1000).toFixed(1)} s`
    : `exits with ${trial.exitCode}`
  throw new UserError(`The command ${failed} ${when}. A sweep needs a command that succeeds.`)
}

/** @throws Interrupted */
function runWithFault(
  settings: SweepSettings,
  { operation, fault }: Cell,
  timeout: number,
): Promise<Observed> {
  const name = `${operation} ${fault.name}`
  return runTrial(settings, name, {
    env: { PROXYSIM_FAULT: name },
    timeout,
    prepare: (simulation) => strikeFirstCall(simulation, operation, fault),
  })
}

function sweepRunOf({ operation, fault }: Cell, trial: Observed, baseline: Baseline): SweepRun {
  const { struck, exitCode, timedOut } = trial
  const effects = trial.effects.lines
  const steady = (lines: string[]): string[] =>
    lines.filter((line) => !baseline.unsteady.includes(subjectOf(line)))
  const missing = steady(surplus(baseline.effects, effects))
  const added = steady(surplus(effects, baseline.effects))
  const findings = newFindings(trial.findings.list, baseline.findings, addsMore(effects, baseline.effects))
  /** The first that holds. A fault that never struck proves nothing, whatever else happened. */
  const verdict = (): Verdict => {
    if (!struck) return 'not triggered'
    if (findings.length > 0) return 'harm'
    if (timedOut) return 'hang'
    if (exitCode !== 0) return 'noticed'
    return missing.length + added.length === 0 ? 'survived' : 'swallowed'
  }
  const run = { operation, fault: fault.name, verdict: verdict(), ...runOf(trial), findings }
  return {
    ...run,
    endState: exitCode === 0 && !timedOut ? { missing, added } : null,
    shown: isBad(run) && struck ? shownOf(trial.journal.records, struck) : [],
    repeat: '',
    repro: null,
  }
}

async function reproOf(
  { writeRepro }: SweepSettings,
  cell: Cell,
  { struck, simulation }: Observed,
): Promise<string | null> {
  const made = struck && (await reproduceRecord(simulation.store, struck, ''))
  return made ? writeRepro(cell, made.scenario) : null
}

/**
 * The findings that others don't have. An order that was sent twice is only one too many if there are more orders than
 * without faults.
 */
function newFindings(
  findings: readonly Finding[],
  known: readonly Finding[],
  ordersMore: boolean,
): Finding[] {
  return findings.filter(({ finding, operation }) => {
    const { isEverywhere, isAnOrderTooMany } = findingRules[finding]
    const isKnown = known.some(
      (one) => one.finding === finding && (isEverywhere || one.operation === operation),
    )
    return !isKnown && (ordersMore || !isAnOrderTooMany)
  })
}

const maxShown = 10

/** The struck request, and those after it that changed something or failed. */
function shownOf(records: readonly JournalRecord[], struck: JournalRecord): SweepRun['shown'] {
  const telling = records.filter(
    ({ id, change, status }) =>
      id === struck.id || (id > struck.id && (change !== undefined || status === null || status >= 400)),
  )
  return telling.slice(0, maxShown).map(entryOf)
}
