import type { Contract } from '../../contract/Contract.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { getEntry, type JournalRecord, type World } from '../simulator.ts'
import type { AcceptedCells } from './accepted.ts'
import { cellName, stages, type Cell, type Stage } from './Cell.ts'
import { listUncompared } from './endState.ts'
import type { TracedCall } from './Injector.ts'
import { Judge, type EndedCell, type EndedOverlap } from './Judge.ts'
import { Hangs } from './limits.ts'
import { isRejected } from './problems.ts'
import { runAtOnce, runInTurn } from './overlap.ts'
import {
  calledOperations,
  checkSelection,
  planFirst,
  planLasting,
  planLater,
  planRecovery,
  planRerun,
  type PlanSource,
  type SweepSelection,
} from './plan.ts'
import { verdictLine } from './report.ts'
import { describeUnreached, readFirstAccount } from './runAgainstSimulator.ts'
import { hasFailed, runCell, withoutFaults, type Trial } from './runCell.ts'
import { Interrupted } from './runCommand.ts'
import { requestText } from './shown.ts'
import { sweepReport, verdictCounts, type Notes, type SweepReport, type SweepRun } from './sweepReport.ts'
import {
  interruptionMessage,
  mapConcurrently,
  markIncomplete,
  noRequestMessage,
  showOutput,
  type Result,
  type TrialSettings,
} from './trials.ts'
import { isRed } from './verdict.ts'

export interface SweepSettings extends TrialSettings, SweepSelection {
  /** Whether to run only the first stage */
  quick: boolean
  /** Whether to run the command beside itself */
  overlap: boolean
  /** Maximum number of runs with faults */
  maxRuns: number
  /** Milliseconds for which a response is held */
  hold: number
  /** Verdicts that don't fail the sweep */
  accepted?: AcceptedCells | undefined
  /** Whether a key of the accepted cells is about a selected operation */
  isTried: (key: string) => boolean
  /** Time limit of a run in milliseconds. @default five times the run without faults, at least 10 seconds */
  timeout: number | undefined
  /** The command that repeats a cell */
  repeat: (cell: string) => string
}

/** Time limit of the run without faults, in milliseconds */
const baselineTimeout = 600_000

/** The variable that gives the command the name of its run */
const variable = 'PROXYSIM_FAULT'

/**
 * Runs a command once without faults, and then once for each cell of the plan, stage by stage.
 * @throws UserError if the command fails without a fault, or no fault applies; Interrupted
 */
export async function sweep(settings: SweepSettings): Promise<Result<SweepReport>> {
  const { contract, world } = await readFirstAccount(settings.simulator)
  checkSelection(settings, contract)
  const { cells, thorough, rerun, overlap, quick } = settings
  // The plan that has all cells, of which the named ones are run.
  const plan = cells.length > 0 && {
    thorough: true,
    quick: false,
    rerun: rerun || cells.some((name) => name.includes(', rerun with ')),
    overlap: cells.some((name) => name.startsWith('overlap')),
  }
  return new Sweep({ ...settings, thorough, rerun, overlap, quick, ...plan }, contract, world).run()
}

class Sweep {
  readonly #settings: SweepSettings
  readonly #contract: Contract
  readonly #world: World
  readonly #judge: Judge
  readonly #ended: EndedCell[] = []
  readonly #overlaps: EndedOverlap[] = []
  readonly #leftOut = Object.fromEntries(stages.map((stage) => [stage, 0])) as Record<Stage, number>
  /** Why the overlap stage was left out */
  #overlapProblem: string | undefined
  /** The trials by cell */
  readonly #trials = new Map<string, Promise<Trial>>()
  /** The first cell that left a state, whose second run others with the same state share */
  readonly #leaders = new Map<string, string>()
  /** Differences that one more run without faults didn't have */
  readonly #confirmed = new Set<string>()
  readonly #hangs = new Hangs()
  #inapplicable: string[] = []
  #limit = baselineTimeout
  #runsLeft: number
  #planned = 0
  #isInterrupted = false

  constructor(settings: SweepSettings, contract: Contract, world: World) {
    this.#settings = settings
    this.#contract = contract
    this.#world = world
    this.#judge = new Judge(contract, settings.repeat)
    this.#runsLeft = settings.maxRuns
  }

  async run(): Promise<Result<SweepReport>> {
    const { timeout, quick, overlap, faults } = this.#settings
    await this.#runBaseline('without faults')
    const baseline = this.#judge.baselines[0] as Trial
    const { durationMs, own } = baseline.first
    if (own.journal.total === 0)
      throw new UserError(
        describeUnreached({ simulation: baseline.simulation, journal: own.journal }) ?? noRequestMessage,
      )
    const source: PlanSource = {
      selection: this.#settings,
      contract: this.#contract,
      world: this.#world,
      baseline: baseline.calls,
    }
    const first = planFirst(source)
    this.#inapplicable = faults.filter((name) => first.every(({ fault }) => fault.name !== name))
    this.#limit = timeout ?? Math.max(10_000, 5 * durationMs)
    const calls = `${counted(own.journal.total, 'request')} of ${calledOperations(baseline.calls).join(', ')}`
    process.stderr.write(`without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s)\n`)

    const runStage: Record<Stage, () => Promise<void>> = {
      first: () => this.#runStage(first),
      later: () => this.#runStage(planLater(source)),
      lasting: () => this.#runStage(planLasting(source, this.#endedRuns())),
      overlap: async () => (overlap ? this.#runOverlap() : undefined),
      recovery: async () => this.#runStage(await this.#planRecovery(source)),
      rerun: () => this.#runStage(planRerun(source, this.#leftStates())),
    }
    for (const stage of stages) {
      if (this.#isInterrupted || (quick && stage !== 'first' && stage !== 'overlap')) continue
      await runStage[stage]().catch((error: unknown) => {
        if (!(error instanceof Interrupted) || this.#ended.length === 0) throw error
        this.#isInterrupted = true
      })
    }
    return this.#conclude()
  }

  /** Plans second faults. Which calls are additional rests on what varies without faults, so a second run without faults shows it. */
  async #planRecovery(source: PlanSource): Promise<Cell[]> {
    const plan = () =>
      planRecovery(
        source,
        this.#endedRuns(),
        this.#judge.baselines.map(({ calls }) => calls),
      )
    if (this.#judge.baselines.length > 1 || plan().length === 0) return plan()
    await this.#runBaseline('on another run without faults')
    return plan()
  }

  #endedRuns() {
    return this.#ended.map(({ cell, trial: { calls } }) => ({ cell, calls }))
  }

  /** The states that failed runs left, with the calls of the second run. */
  #leftStates() {
    const left = this.#ended.filter(({ cell, trial }) => !cell.second && trial.more.length > 0)
    // Which of several equal states was the first one depends on timing, and names of cells must not.
    const isNamed = this.#settings.cells.length > 0
    return left
      .filter(({ trial }, i) => isNamed || i === left.findIndex((one) => one.trial.state === trial.state))
      .map(({ cell, trial }) => ({ cell, rerunCalls: trial.calls.filter(({ run }) => run === 2) }))
  }

  /** Runs the command without faults, with as many other runs at the same time as those with faults. */
  async #runBaseline(when: string): Promise<void> {
    const { timeout = baselineTimeout, verbose } = this.#settings
    const trial = await runCell({ ...this.#settings, variable, limit: timeout }, withoutFaults)
    const { first } = trial
    if (hasFailed(first)) {
      if (!verbose) showOutput(first.printed)
      const failed = first.timedOut
        ? `didn't finish within ${(first.durationMs / 1000).toFixed(1)} s`
        : `exits with ${first.exitCode}`
      const sentences = [
        `The command ${failed} ${when}. A sweep needs a command that succeeds.`,
        describeUnreached({ simulation: trial.simulation, journal: first.own.journal }),
        describeLastError(first.own.journal.records),
      ]
      throw new UserError(sentences.filter(Boolean).join(' '))
    }
    this.#judge.addBaseline(trial)
  }

  async #runStage(cells: readonly Cell[]): Promise<void> {
    this.#planned += cells.length
    const done = await mapConcurrently(cells, this.#settings.jobs, async (cell) => {
      const ended = await this.#runCell(cell)
      if (!ended) return undefined
      const run = await this.#confirm(ended)
      this.#settings.onRun(run.cell, verdictLine(run), run.durationMs, this.#planned)
      return ended
    })
    if (done.length < cells.length) this.#isInterrupted = true
    this.#ended.push(...done.flatMap((one) => one ?? []))
  }

  /** Runs a cell; returns undefined if it is left out. */
  async #runCell(cell: Cell): Promise<EndedCell | undefined> {
    if (this.#hangs.isGivenUp(cell.operation) || this.#runsLeft <= 0) {
      this.#leftOut[cell.stage]++
      this.#planned--
      return undefined
    }
    this.#runsLeft--
    const name = cellName(cell)
    const running = runCell(
      {
        ...this.#settings,
        variable,
        limit: this.#limit,
        isExtended: this.#settings.timeout === undefined,
        mayRunAgain: (state) => this.#mayRunAgain(cell, state),
      },
      name,
      cell,
    )
    this.#trials.set(name, running)
    const trial = await running
    if (trial.first.timedOut) this.#hangs.add(cell.operation, trial.calls)
    const leader = this.#leaders.get(trial.state ?? '') ?? name
    if (leader === name || cell.second?.run === 2) return { cell, trial }
    const { more, all, calls } = (await this.#trials.get(leader)) as Trial
    const joined = [...trial.calls, ...calls.filter(({ run }) => run > 1)]
    return { cell, trial: { ...trial, more, all, calls: joined } }
  }

  /** Whether a second run follows a failed one. Runs that left the same state share their second run. */
  #mayRunAgain(cell: Cell, state: string): boolean {
    const isFaulted = cell.second?.run === 2
    if (!isFaulted && (!this.#settings.rerun || this.#leaders.has(state))) return false
    if (this.#runsLeft <= 0) {
      this.#leftOut.rerun++
      return false
    }
    this.#runsLeft--
    if (!isFaulted) this.#leaders.set(state, cellName(cell))
    return true
  }

  /** Judges a run. Before a verdict that rests on a new difference, there is one more run without faults. */
  async #confirm(ended: EndedCell): Promise<SweepRun> {
    const run = this.#judge.cell(ended)
    const { verdict, findings, endState, rerun } = run
    const names = findings.map(({ finding, operation }) => [finding, operation])
    const difference = JSON.stringify([names, rerun?.endState ?? endState])
    const restsOnDifference = isRed(verdict) && verdict !== 'stuck'
    if (!restsOnDifference || this.#confirmed.has(difference)) return run
    this.#confirmed.add(difference)
    await this.#runBaseline('on another run without faults')
    return this.#judge.cell(ended)
  }

  async #runOverlap(): Promise<void> {
    const { hold } = this.#settings
    const settings = { ...this.#settings, limit: 2 * this.#limit, hold }
    const inTurn = [await runInTurn(settings)]
    const failed = inTurn[0]?.ended.findIndex(hasFailed) ?? -1
    if (failed >= 0) {
      const { exitCode = 0, timedOut } = inTurn[0]?.ended[failed] ?? {}
      const how = timedOut ? "didn't finish" : `exited with ${exitCode}`
      return this.#leaveOutOverlap(
        `Run ${failed + 1} of two in turn ${how}, so two at the same time prove nothing.`,
      )
    }
    if (!inTurn[0]?.calls.some(({ worker }) => worker === 2))
      return this.#leaveOutOverlap(
        "None of the calls used PROXYSIM_PASSWORD, so those of two runs can't be told apart.",
      )
    for (const isReset of [false, true]) {
      const name = isReset ? 'overlap reset' : 'overlap'
      if (this.#settings.cells.length > 0 && !this.#settings.cells.includes(name)) continue
      if (this.#runsLeft < 2) {
        this.#leftOut.overlap++
        continue
      }
      this.#runsLeft -= 2
      this.#planned++
      const trial = await runAtOnce(settings, isReset)
      const ended = { name, trial, inTurn }
      if (isRed(this.#judge.overlap(ended).verdict) && inTurn.length === 1)
        inTurn.push(await runInTurn(settings))
      const run = this.#judge.overlap(ended)
      this.#overlaps.push(ended)
      this.#settings.onRun(run.cell, verdictLine(run), run.durationMs, this.#planned)
    }
  }

  #leaveOutOverlap(reason: string): void {
    this.#overlapProblem = reason
    this.#leftOut.overlap += 2
  }

  #conclude(): Result<SweepReport> {
    const { cells, only, faults, accepted, quick, thorough, hold } = this.#settings
    const all = [
      ...this.#overlaps.map((ended) => this.#judge.overlap(ended)),
      ...this.#ended.map((ended) => this.#judge.cell(ended)),
    ]
    const runs = all
      .filter(({ cell }) => cells.length === 0 || cells.includes(cell))
      .toSorted((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage))
    for (const run of runs)
      if (isRed(run.verdict)) run.accepted = accepted?.reasonFor(run.cell, run.verdict) ?? null
    const held = this.#ended
      .filter(({ trial }) => trial.calls.some((call) => this.#outlastsHold(call)))
      .map(({ cell }) => cellName(cell))
    const absent = cells.filter((name) => !runs.some(({ cell }) => cell === name))
    if (runs.length === 0 && absent.length > 0)
      throw new UserError(`The command makes no call for ${absent.map((name) => `"${name}"`).join(', ')}.`, {
        advice: 'Take the names of cells from the report of a sweep.',
      })
    const interrupted = this.#isInterrupted
      ? (interruptionMessage(runs.length, this.#planned) ??
        `Interrupted after ${counted(runs.length, 'run')}, before the next stage.`)
      : undefined
    const problem = interrupted ?? findProblem(runs)
    const passed = interrupted === undefined && !runs.some(isRejected)
    const [baseline] = this.#judge.baselines as [Trial]
    const data: SweepReport = {
      command: this.#settings.command,
      passed,
      timeout: this.#limit / 1000,
      baseline: {
        durationMs: baseline.first.durationMs,
        requests: baseline.first.own.journal.total,
        operations: calledOperations(baseline.calls),
        findings: this.#judge.usual.findings,
        unstable: this.#judge.usual.facts.varying,
      },
      verdicts: verdictCounts(runs),
      leftOut: this.#leftOut,
      runs,
    }
    const notes: Notes = {
      overlapProblem: this.#overlapProblem,
      unusedKeys: accepted?.unusedKeys(this.#settings.isTried) ?? [],
      unexplainedKeys: accepted?.unexplainedKeys ?? [],
      uncompared: listUncompared(this.#judge.usual.facts),
      absent,
      hold,
      held,
      hanging: this.#hangs.givenUp,
      inapplicable: this.#inapplicable,
      mode: quick ? 'quick' : thorough ? 'thorough' : 'usual',
      isSelective: [cells, only, faults].some((names) => names.length > 0),
    }
    return { data, report: markIncomplete(sweepReport(data, notes), interrupted), passed, problem }
  }

  /** Whether the client was still waiting when the hold ended, so that its own timeout is longer. */
  #outlastsHold({ fault, record }: TracedCall): boolean {
    return fault?.name === 'no-response' && record !== undefined && record.durationMs >= this.#settings.hold
  }
}

function findProblem(runs: readonly SweepRun[]): string | undefined {
  if (runs.some(({ verdict }) => verdict !== 'not-tried')) return undefined
  return 'No call met the condition of its fault, so nothing was tested. A stale fault needs an earlier change.'
}

/** Describes the last response that was an error, because a program may not print it; undefined if there was none. */
function describeLastError(records: readonly JournalRecord[]): string | undefined {
  const last = records.findLast(({ status }) => status !== null && status >= 400)
  if (!last) return undefined
  const entry = getEntry(last)
  const details = [entry.status, entry.case, entry.reason && `(${entry.reason})`].filter(Boolean)
  return `Its last request that was refused: ${requestText(entry, 200)} → ${details.join(' ')}.`
}
