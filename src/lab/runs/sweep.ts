import type { Contract } from '../../contract/Contract.ts'
import {
  countNewRecords,
  type Finding,
  findingRules,
  type JournalRecord,
  getEntry,
  reproduceRecord,
  type ScenarioDocument,
  getNoun,
  kinds,
  type World,
} from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import type { AcceptedCells } from './accepted.ts'
import { cellName, stages, type Cell, type Stage } from './Cell.ts'
import { renderEffects } from './ClientChanges.ts'
import {
  addsMore,
  compareFacts,
  findUsual,
  hasMoreRecords,
  listVarying,
  type EndFacts,
  type Usual,
} from './endState.ts'
import type { TracedCall } from './Injector.ts'
import { excerpt } from './Output.ts'
import { Hangs } from './limits.ts'
import { runAtOnce, runInTurn, type OverlapTrial } from './overlap.ts'
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
import { readFirstAccount, describeUnreached, type Observations } from './runAgainstSimulator.ts'
import { hasFailed, runCell, type Trial, type TrialRun } from './runCell.ts'
import { describeRun, type Description, type Outcome } from './outcome.ts'
import { Interrupted } from './runCommand.ts'
import { countVerdicts, isBad, verdictLine, sweepReport } from './sweepReport.ts'
import type { Details, EndState, SweepReport, SweepRun } from './sweepReport.ts'
import {
  mapConcurrently,
  markIncomplete,
  interruptionMessage,
  noRequestMessage,
  showOutput,
} from './trials.ts'
import type { Result, TrialSettings } from './trials.ts'
import { differenceVerdicts, isOrphaning, judge, judgeOverlap, judgeRerun, type Verdict } from './verdict.ts'

/** The parts of a run that the command that repeats it depends on. */
export type RepeatedRun = Pick<SweepRun, 'stage' | 'operation' | 'fault' | 'then'>

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
  /** Time limit of a run in milliseconds. @default five times the run without faults, at least 10 seconds */
  timeout: number | undefined
  /** The command that repeats a run */
  repeat: (run: RepeatedRun) => string
  /** Writes the scenario of a failed run: the account just before the call, with the faults added. @returns the file */
  writeRepro: (run: RepeatedRun & { cell: string }, scenario: ScenarioDocument) => Promise<string | null>
}

/** Time limit of the run without faults, in milliseconds */
const baselineTimeout = 600_000

/**
 * Runs a command once without faults, and then once for each cell of the plan, stage by stage.
 * @throws UserError if the command fails without a fault, or no fault applies; Interrupted
 */
export async function sweep(settings: SweepSettings): Promise<Result<SweepReport>> {
  const { contract, world } = await readFirstAccount(settings.simulator)
  checkSelection(settings, contract)
  return new Sweep(settings, contract, world).run()
}

/** A cell that has run, or whose fault couldn't trigger. */
interface EndedCell {
  cell: Cell
  trial: Trial
  /** The state that it left, if its second run is that of another cell with the same state */
  sharedState: string | undefined
}

/** The runs of the overlap stage. */
interface EndedOverlap {
  name: string
  trial: OverlapTrial
  inTurn: OverlapTrial[]
}

class Sweep {
  readonly #settings: SweepSettings
  readonly #contract: Contract
  readonly #world: World
  readonly #baselines: Trial[] = []
  readonly #ended: EndedCell[] = []
  readonly #overlaps: EndedOverlap[] = []
  readonly #leftOut = Object.fromEntries(stages.map((stage) => [stage, 0])) as Record<Stage, number>
  /** Why the overlap stage was left out */
  #overlapProblem: string | undefined
  /** The first trial that left a state, whose second run others with the same state share */
  readonly #leaders = new Map<string, Promise<Trial>>()
  /** Differences that one more run without faults didn't have */
  readonly #confirmed = new Set<string>()
  readonly #hangs = new Hangs()
  #usual!: { facts: Usual; findings: Finding[] }
  #limit = baselineTimeout
  #runsLeft: number
  #planned = 0
  #isInterrupted = false

  constructor(settings: SweepSettings, contract: Contract, world: World) {
    this.#settings = settings
    this.#contract = contract
    this.#world = world
    this.#runsLeft = settings.maxRuns
  }

  async run(): Promise<Result<SweepReport>> {
    const { timeout, quick, overlap } = this.#settings
    await this.#runBaseline('without faults')
    const baseline = this.#baselines[0] as Trial
    const { durationMs, own } = baseline.first
    if (own.journal.total === 0)
      throw new UserError(
        describeUnreached({ simulation: baseline.simulation, journal: own.journal }) ?? noRequestMessage,
      )
    const source: PlanSource = {
      selection: this.#settings,
      contract: this.#contract,
      baseline: baseline.calls,
    }
    const first = planFirst(source, this.#world)
    this.#limit = timeout ?? Math.max(10_000, 5 * durationMs)
    const calls = `${counted(own.journal.total, 'request')} of ${calledOperations(baseline.calls).join(', ')}`
    process.stderr.write(`without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s)\n`)

    await this.#runStage(first)
    if (!quick) {
      await this.#runStage(planLater(source))
      await this.#runStage(planLasting(source, this.#endedRuns()))
      if (overlap) await this.#runOverlap()
      await this.#runStage(await this.#planRecovery(source))
      if (this.#settings.rerun) await this.#runStage(planRerun(source, this.#leftStates()))
    } else if (overlap) await this.#runOverlap()
    return this.#conclude()
  }

  /** Plans second faults. Which calls are additional rests on what varies without faults, so a second run without faults shows it. */
  async #planRecovery(source: PlanSource): Promise<Cell[]> {
    const plan = () =>
      planRecovery(
        source,
        this.#endedRuns(),
        this.#baselines.map(({ calls }) => calls),
      )
    if (this.#isInterrupted || this.#baselines.length > 1 || plan().length === 0) return plan()
    await this.#runBaseline('on another run without faults')
    return plan()
  }

  #endedRuns() {
    return this.#ended.map(({ cell, trial: { calls } }) => ({ cell, calls }))
  }

  /** The states that failed runs left, with the calls of the second run. */
  #leftStates() {
    return this.#ended
      .filter(({ cell, trial }) => !cell.second && trial.more.length > 0)
      .map(({ cell, trial }) => ({ cell, rerunCalls: trial.calls.filter(({ run }) => run === 2) }))
  }

  /** Runs the command without faults, with as many other runs at the same time as those with faults. */
  async #runBaseline(when: string): Promise<void> {
    const { timeout = baselineTimeout, verbose, hold } = this.#settings
    const settings = { ...this.#settings, limit: timeout, isExtended: false, hold, mayRunAgain: () => false }
    const trial = await runCell(settings, undefined)
    const { first } = trial
    if (hasFailed(first)) {
      if (!verbose) showOutput(first.printed)
      const failed = first.timedOut
        ? `didn't finish within ${(first.durationMs / 1000).toFixed(1)} s`
        : `exits with ${first.exitCode}`
      const sentences = [
        `The command ${failed} ${when}. A sweep needs a command that succeeds.`,
        describeUnreached({ simulation: trial.simulation, journal: first.own.journal }),
      ]
      throw new UserError(sentences.filter(Boolean).join(' '))
    }
    this.#baselines.push(trial)
    const facts = this.#baselines.map((one) => one.first.facts) as [EndFacts, ...EndFacts[]]
    const findings: Finding[] = []
    for (const { first: one } of this.#baselines)
      findings.push(...newFindings(one.own.findings.listWithIntended, findings))
    this.#usual = { facts: findUsual(facts), findings }
  }

  async #runStage(cells: readonly Cell[]): Promise<void> {
    if (this.#isInterrupted) return
    this.#planned += cells.length
    const done = await mapConcurrently(cells, this.#settings.jobs, async (cell) => {
      const ended = await this.#runCell(cell)
      if (!ended) return undefined
      const run = await this.#confirm(ended)
      this.#settings.onRun(run.cell, verdictLine(run), run.durationMs, this.#planned)
      return ended
    }).catch((error: unknown) => {
      if (!(error instanceof Interrupted) || this.#ended.length === 0) throw error
      return []
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
    let sharedState: string | undefined
    const mayRunAgain = (state: string): boolean => {
      const isRerun = cell.second?.run === 2
      if (!isRerun && !this.#settings.rerun) return false
      if (!isRerun && this.#leaders.has(state)) {
        sharedState = state
        return false
      }
      if (this.#runsLeft <= 0) {
        this.#leftOut.rerun++
        return false
      }
      this.#runsLeft--
      if (!isRerun) this.#leaders.set(state, running)
      return true
    }
    const { timeout } = this.#settings
    const settings = { ...this.#settings, limit: this.#limit, isExtended: timeout === undefined, mayRunAgain }
    const running: Promise<Trial> = runCell(settings, cell)
    const trial = await running
    if (trial.first.timedOut) this.#hangs.add(cell.operation, trial.calls)
    return { cell, trial, sharedState }
  }

  /** Judges a run. Before a verdict that rests on a new difference, there is one more run without faults. */
  async #confirm(ended: EndedCell): Promise<SweepRun> {
    const leader = ended.sharedState === undefined ? undefined : await this.#leaders.get(ended.sharedState)
    const run = this.#toSweepRun(ended, leader)
    const { verdict, findings, endState, rerun } = run
    const names = findings.map(({ finding, operation }) => [finding, operation])
    const difference = JSON.stringify([names, endState ?? rerun?.endState])
    if (!differenceVerdicts.has(verdict) || this.#confirmed.has(difference)) return run
    this.#confirmed.add(difference)
    await this.#runBaseline('on another run without faults')
    return this.#toSweepRun(ended, leader)
  }

  async #runOverlap(): Promise<void> {
    if (this.#isInterrupted) return
    const { hold } = this.#settings
    const settings = { ...this.#settings, limit: 2 * this.#limit, hold }
    const inTurn = [await runInTurn(settings)]
    const failed = inTurn[0]?.ended.findIndex(hasFailed) ?? -1
    if (failed >= 0) {
      const { exitCode = 0, timedOut } = inTurn[0]?.ended[failed] ?? {}
      const how = timedOut ? "didn't finish" : `exited with ${exitCode}`
      this.#overlapProblem = `Run ${failed + 1} of two in turn ${how}, so two at the same time prove nothing.`
      this.#leftOut.overlap += 2
      return
    }
    for (const isReset of [false, true]) {
      if (this.#runsLeft < 2) {
        this.#leftOut.overlap++
        continue
      }
      this.#runsLeft -= 2
      this.#planned++
      const trial = await runAtOnce(settings, isReset)
      const ended = { name: isReset ? 'overlap reset' : 'overlap', trial, inTurn }
      if (this.#toOverlapRun(ended).verdict === 'raced' && inTurn.length === 1)
        inTurn.push(await runInTurn(settings))
      const run = this.#toOverlapRun(ended)
      this.#overlaps.push(ended)
      this.#settings.onRun(run.cell, verdictLine(run), run.durationMs, this.#planned)
    }
  }

  async #conclude(): Promise<Result<SweepReport>> {
    const details = new Map<SweepRun, Details>()
    const runs: SweepRun[] = []
    for (const ended of this.#ended) {
      const { cell, trial, sharedState } = ended
      const leader = sharedState === undefined ? undefined : await this.#leaders.get(sharedState)
      const run = this.#toSweepRun(ended, leader)
      run.accepted = this.#accept(run)
      if (isBad(run)) run.repro = await this.#saveRepro(run, cell, trial)
      const last = (leader ?? trial).more.at(-1)
      const hasUnseenOrder = !!last && this.#findUnusual((leader ?? trial).all, last).some(isOrphaning)
      details.set(run, { output: excerpt(trial.first.printed), hasUnseenOrder, calls: trial.calls })
      runs.push(run)
    }
    for (const ended of this.#overlaps) {
      const run = this.#toOverlapRun(ended)
      run.accepted = this.#accept(run)
      const printed = ended.trial.ended.map((one) => one.printed).join('')
      details.set(run, { output: excerpt(printed), hasUnseenOrder: false, calls: ended.trial.calls })
      runs.push(run)
    }
    runs.sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage))
    const interrupted = this.#isInterrupted ? interruptionMessage(runs.length, this.#planned) : undefined
    const problem = interrupted ?? findProblem(runs)
    const passed = interrupted === undefined && !runs.some((run) => isBad(run) && run.accepted === null)
    const [baseline] = this.#baselines as [Trial]
    const data: SweepReport = {
      command: this.#settings.command,
      passed,
      timeout: this.#limit / 1000,
      baseline: {
        durationMs: baseline.first.durationMs,
        requests: baseline.first.own.journal.total,
        operations: calledOperations(baseline.calls),
        findings: this.#usual.findings,
        unstable: listVarying(this.#usual.facts),
      },
      verdicts: countVerdicts(runs),
      leftOut: this.#leftOut,
      runs,
    }
    const notes = {
      overlapProblem: this.#overlapProblem,
      unusedKeys: this.#settings.accepted?.unusedKeys() ?? [],
      hold: this.#settings.hold,
      hanging: this.#hangs.givenUp,
    }
    return { data, report: markIncomplete(sweepReport(data, details, notes), interrupted), passed, problem }
  }

  #accept(run: SweepRun): string | null {
    return isBad(run) ? (this.#settings.accepted?.reasonFor(run.cell, run.verdict) ?? null) : null
  }

  /** @param leader the trial whose second run is also this one's */
  #toSweepRun({ cell, trial }: EndedCell, leader: Trial | undefined): SweepRun {
    const { first, calls } = trial
    const { exitCode, timedOut, durationMs, own } = first
    const more = (leader ?? trial).more
    const last = more.at(-1)
    const rerun = last && this.#judgeRerun(leader ?? trial, last)
    const later = more.flatMap((one) =>
      this.#findUnusual(one.own, one).filter((finding) => !isOrphaning(finding)),
    )
    const findings = [...this.#findUnusual(own, first), ...later]
    const succeeded = !hasFailed(first)
    const endState = succeeded ? this.#compare(first.facts) : null
    const index = cell.second ? 1 : 0
    const triggered = calls.find(({ injected }) => injected === index)
    const verdict = judge({
      stage: cell.stage,
      isTriggered: triggered !== undefined,
      exitCode,
      timedOut,
      findings,
      differs: endState !== null && !hasNoDifference(endState),
      rerun: rerun?.verdict,
    })
    const { operation, call, fault, second } = cell
    const pair = second
      ? { operation: second.operation, call: second.call, fault: second.fault.name, run: second.run }
      : null
    const run = { stage: cell.stage, operation, call, fault: fault.name, ...withSecond(pair), verdict }
    return {
      cell: cellName(cell),
      ...run,
      accepted: null,
      exitCode,
      durationMs,
      findings,
      endState,
      left: succeeded ? [] : renderEffects(first.facts.effects),
      orphans: listOrphans(own, findings),
      rerun: last
        ? { exitCode: last.exitCode, durationMs: last.durationMs, endState: this.#compare(last.facts) }
        : null,
      shown: isBad(run) ? selectShown(calls) : [],
      ...this.#describe({ cell, trial, leader, verdict, findings }),
      repeat: this.#settings.repeat(run),
      repro: null,
    }
  }

  /** Says what happened in a run. */
  #describe(run: {
    cell: Cell
    trial: Trial
    leader: Trial | undefined
    verdict: Verdict
    findings: readonly Finding[]
  }): Description {
    const { cell, trial, leader, verdict, findings } = run
    const { facts: usual } = this.#usual
    const more = (leader ?? trial).more
    const last = more.at(-1)
    const calls = leader
      ? [...trial.calls.filter((one) => one.run === 1), ...leader.calls.filter((one) => one.run > 1)]
      : trial.calls
    const { facts } = last ?? trial.first
    const outcome: Outcome = {
      verdict,
      fault: cell.fault.name,
      findings,
      calls,
      first: trial.first,
      last,
      differences: compareFacts(facts, usual),
      additions: {
        got: countNewRecords(facts.effects),
        expected: countNewRecords(usual.facts.effects),
      },
    }
    const isKilled = (number: number): boolean =>
      calls.some((one) => one.run === number && one.record !== undefined && one.fault?.killsClient === true)
    const runs = [trial.first, ...more].map((one, i) => ({ ...one, isKilled: isKilled(i + 1) }))
    return describeRun(outcome, runs)
  }

  #judgeRerun({ all }: Trial, last: TrialRun): { verdict: Verdict } {
    const { facts } = this.#usual
    const repeats = this.#findUnusual(all, last).some(({ finding }) => findingRules[finding].addsRecords)
    const verdict = judgeRerun({
      ...last,
      differs: !hasNoDifference(this.#compare(last.facts)),
      addsMore: hasMoreRecords(last.facts, facts) || repeats,
    })
    return { verdict }
  }

  #toOverlapRun({ name, trial, inTurn }: EndedOverlap): SweepRun {
    const usual = findUsual(inTurn.map(({ facts }) => facts) as [EndFacts, ...EndFacts[]])
    const { missing, added } = compareFacts({ ...trial.facts, files: usual.facts.files }, usual)
    const endState = { missing: renderEffects(missing), added: renderEffects(added) }
    const succeeded = !trial.ended.some(hasFailed)
    const differs = !hasNoDifference(endState)
    const verdict = judgeOverlap(trial.ended, { hasWritten: trial.hasWritten, differs })
    const stage = 'overlap'
    const first = trial.ended.find(hasFailed) ??
      trial.ended[0] ?? { exitCode: 0, timedOut: false, durationMs: 0 }
    const write = trial.calls.find(({ operation }) => this.#contract.operation(operation)?.changesState)
    const run = {
      stage,
      operation: write?.operation ?? '',
      call: 1,
      fault: name,
      ...withSecond(null),
      verdict,
    } as const
    return {
      cell: name,
      ...run,
      accepted: null,
      exitCode: trial.ended.find(hasFailed)?.exitCode ?? 0,
      durationMs: Math.max(...trial.ended.map(({ durationMs }) => durationMs)),
      findings: [],
      endState: succeeded ? endState : null,
      left: succeeded ? [] : renderEffects(trial.facts.effects),
      orphans: [],
      rerun: null,
      shown: isBad(run) ? selectShown(trial.calls) : [],
      ...describeRun(
        { verdict, fault: name, findings: [], calls: trial.calls, first, differences: { missing, added } },
        trial.ended,
        true,
      ),
      repeat: this.#settings.repeat(run),
      repro: null,
    }
  }

  #compare(facts: EndFacts): EndState {
    const { missing, added } = compareFacts(facts, this.#usual.facts)
    return { missing: renderEffects(missing), added: renderEffects(added) }
  }

  /**
   * The findings that the runs without faults don't have. An order that the client may have repeated on purpose only counts if it
   * added too many records. In a run that failed, the same goes for any repeated order, and of early calls only repetitions of
   * the same request count.
   */
  #findUnusual({ findings, journal }: Observations, ended: TrialRun): Finding[] {
    const { facts, findings: known } = this.#usual
    const addedTooMany = addsMore(ended.facts, facts)
    const found = newFindings(addedTooMany ? findings.listWithIntended : findings.list, known)
    if (!hasFailed(ended)) return found
    const records = new Map(journal.records.map((record) => [record.id, record]))
    return found.filter(({ finding, requests }) => {
      const { addsRecords, isEarlyCall } = findingRules[finding]
      if (isEarlyCall) return hasRepetition(requests.map(({ id }) => records.get(id)))
      return !addsRecords || addedTooMany
    })
  }

  /** Writes the scenario just before the first fault, with both faults. */
  async #saveRepro(run: SweepRun, { fault, isLasting, second }: Cell, trial: Trial): Promise<string | null> {
    const { calls, simulation } = trial
    const trigger = calls.findIndex(({ injected }) => injected === 0)
    const { operation, record } = calls[trigger] ?? {}
    const reproduced = record && (await reproduceRecord(simulation.store, record, ''))
    const account = reproduced && record?.account ? reproduced.scenario.accounts?.[record.account] : undefined
    if (!reproduced || !account) return null
    const once = { times: 1 }
    const faults = [{ operation, ...fault.fault, ...(!isLasting && once) }]
    if (second) {
      // In the second run, the calls of the first one come before.
      const before = calls
        .slice(trigger + 1)
        .filter((one) => one.run < second.run && one.operation === second.operation)
      const after = (second.run === 2 ? before.length : 0) + second.call - 1
      faults.push({
        operation: second.operation,
        ...second.fault.fault,
        ...(after > 0 && { after }),
        ...once,
      })
    }
    Object.assign(account, { faults: [...faults, ...Object.values(account.faults ?? [])] })
    return this.#settings.writeRepro(run, reproduced.scenario)
  }
}

/** Sets the field `then` of the JSON. */
function withSecond(then: SweepRun['then']): Pick<SweepRun, 'then'> {
  // oxlint-disable-next-line unicorn/no-thenable -- a value, not a function, so that nothing awaits it
  return { then }
}

function findProblem(runs: readonly SweepRun[]): string | undefined {
  if (runs.some(({ verdict }) => verdict !== 'not triggered')) return undefined
  return 'No call met the condition of its fault, so nothing was tested. A stale fault needs an earlier change.'
}

function hasNoDifference({ missing, added }: EndState): boolean {
  return missing.length + added.length === 0
}

/** Whether a request among these was sent again. */
function hasRepetition(records: readonly (JournalRecord | undefined)[]): boolean {
  const texts = records.map((record) => [record?.method, record?.path, record?.requestBody].join(' '))
  return new Set(texts).size < texts.length
}

/** The records that the client doesn't know about, and the requests that created them. */
function listOrphans({ findings }: Observations, found: readonly Finding[]): SweepRun['orphans'] {
  const requests = found.filter(isOrphaning).flatMap((one) => one.requests.map(({ id }) => id))
  return findings.orphaningRequests
    .filter(({ id }) => requests.includes(id))
    .flatMap(({ id: request, change = {} }) => {
      const [record] = kinds.flatMap((kind) =>
        Object.keys(change[kind] ?? {}).map((id) => `${getNoun(kind)} ${id}`),
      )
      return record === undefined ? [] : [{ record, request }]
    })
}

/** Returns the findings beyond the known ones of the same kind. Findings about known paths count as known first. */
function newFindings(findings: readonly Finding[], known: readonly Finding[]): Finding[] {
  const paths = new Set(known.flatMap(({ requests }) => requests.map(({ path }) => path)))
  const isElsewhere = ({ requests }: Finding): boolean => requests.some(({ path }) => !paths.has(path))
  const left = [...known]
  const isNew = ({ finding, operation }: Finding): boolean => {
    const { isPerClient } = findingRules[finding]
    const at = left.findIndex(
      (one) => one.finding === finding && (isPerClient || one.operation === operation),
    )
    if (at >= 0 && !isPerClient) left.splice(at, 1)
    return at < 0
  }
  const found = findings.toSorted((a, b) => Number(isElsewhere(a)) - Number(isElsewhere(b))).filter(isNew)
  return findings.filter((one) => found.includes(one))
}

const maxShown = 10

/** The requests on which faults triggered, and those after the first one that changed something or failed, in the order in which they were sent. */
function selectShown(calls: readonly TracedCall[]): SweepRun['shown'] {
  const trigger = Math.max(
    0,
    calls.findIndex(({ injected }) => injected !== undefined),
  )
  return calls
    .slice(trigger)
    .flatMap(({ record, injected }) =>
      record &&
      (injected !== undefined ||
        record.change !== undefined ||
        record.status === null ||
        record.status >= 400)
        ? [record]
        : [],
    )
    .slice(0, maxShown)
    .map(getEntry)
}
