import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Finding,
  findingRules,
  type JournalRecord,
  getEntry,
  reproduceRecord,
  type ScenarioDocument,
  getNoun,
  kinds,
} from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { renderEffects } from './ClientChanges.ts'
import { faultFirstCall, type FirstCallFault } from './faultFirstCall.ts'
import { checkSelection, planRuns, type Cell, type SweepSelection } from './plan.ts'
import {
  readFirstAccount,
  describeUnreached,
  type Observations,
  type ObservedRun,
} from './runAgainstSimulator.ts'
import { countVerdicts, isBad, verdictLine, sweepReport } from './sweepReport.ts'
import type { Details, EndState, SweepReport, SweepRun, Verdict } from './sweepReport.ts'
import {
  mapConcurrently,
  markIncomplete,
  interruptionMessage,
  noRequestMessage,
  runTrial,
  showOutput,
} from './trials.ts'
import { excerpt } from './Output.ts'
import type { Result, TrialSettings } from './trials.ts'
import { addsMore, compareEffects, findUsual, type UsualEffects } from './usualEffects.ts'

export interface SweepSettings extends TrialSettings, SweepSelection {
  /** Time limit of a run in milliseconds. @default five times the run without faults, at least 10 seconds */
  timeout: number | undefined
  /** The command that repeats a run */
  repeat: (cell: Cell) => string
  /** Writes the scenario of a failed run: the account just before the call, with the fault added. @returns the file */
  writeRepro: (cell: Cell, scenario: ScenarioDocument) => Promise<string | null>
}

/** Time limit of a run without faults, in milliseconds */
const baselineTimeout = 600_000

/**
 * Runs a command once without faults, and then once for each fault. The first verdict that may be due to chance triggers a second
 * run without faults. From then on, runs are compared with both (see `findUsual`).
 * @throws UserError if the command fails without a fault, or no fault applies; Interrupted
 */
export async function sweep(settings: SweepSettings): Promise<Result<SweepReport>> {
  const { jobs, command } = settings
  const { contract, world } = await readFirstAccount(settings.simulator)
  checkSelection(settings, contract)
  const first = await runWithoutFaults(settings, 'without faults')
  const { durationMs } = first
  const requests = first.journal.total
  const operations = [...first.authenticated]
  if (requests === 0) throw new UserError(describeUnreached(first) ?? noRequestMessage)
  const cells = planRuns(operations, settings, contract, world)
  const calls = `${counted(requests, 'request')} of ${operations.join(', ')}`
  const all = counted(cells.length, 'run')
  process.stderr.write(`without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s); ${all} to go\n`)

  const timeout = settings.timeout ?? Math.max(10_000, 5 * durationMs)
  let baseline = createBaseline(first)
  let again: Promise<void> | undefined
  const runAgain = async (): Promise<void> => {
    baseline = createBaseline(first, await runWithoutFaults(settings, 'on its second run without faults'))
  }
  const details = new Map<SweepRun, Details>()
  const runs = await mapConcurrently(cells, jobs, async (cell) => {
    const trial = await runWithFault(settings, cell, timeout)
    let run = toSweepRun(cell, trial, baseline)
    if (differenceVerdicts.includes(run.verdict)) {
      await (again ??= runAgain())
      run = toSweepRun(cell, trial, baseline)
    }
    settings.onRun(`${cell.operation} ${cell.fault.name}`, verdictLine(run), run.durationMs, cells.length)
    const repro = isBad(run) ? await saveRepro(settings, cell, trial) : null
    const done = { ...run, repeat: settings.repeat(cell), repro }
    const hasUnseenOrder = !!trial.rerun && findUnusualFindings(trial.rerun, baseline).some(isOrphaning)
    details.set(done, { output: excerpt(trial.printed), hasUnseenOrder })
    return done
  })
  const interrupted = interruptionMessage(runs.length, cells.length)
  const problem = interrupted ?? findProblem(runs)
  const passed = interrupted === undefined && !runs.some(isBad)
  const { findings, usual } = baseline
  const data: SweepReport = {
    command,
    passed,
    timeout: timeout / 1000,
    baseline: { durationMs, requests, operations, findings, unstable: [...usual.unstable] },
    verdicts: countVerdicts(runs),
    runs,
  }
  return { data, report: markIncomplete(sweepReport(data, details), interrupted), passed, problem }
}

function findProblem(runs: readonly SweepRun[]): string | undefined {
  if (runs.some(({ verdict }) => verdict !== 'not triggered')) return undefined
  return 'No call met the condition of its fault, so nothing was tested. A stale fault needs an earlier change.'
}

/** Verdicts based on a difference from the run without faults */
const differenceVerdicts: readonly Verdict[] = ['harm', 'orphaned', 'swallowed', 'doubled', 'diverged']

/** The result of the command without faults. */
interface Baseline extends Pick<SweepReport['baseline'], 'findings'> {
  usual: UsualEffects
}

/** @param second another run without faults, to find differences that occur by chance */
function createBaseline(first: ObservedRun, second = first): Baseline {
  const findings = first.findings.listWithIntended
  const more = newFindings(second.findings.listWithIntended, findings)
  return {
    findings: [...findings, ...more],
    usual: findUsual(first.changes.effects, second.changes.effects),
  }
}

/** @throws UserError if the command fails; Interrupted */
async function runWithoutFaults(settings: SweepSettings, when: string): Promise<ObservedRun> {
  const { timeout = baselineTimeout, verbose } = settings
  const trial = await withRunFolder((env) =>
    runTrial(settings, 'none', { env: { PROXYSIM_FAULT: 'none', ...env }, timeout }),
  )
  if (trial.exitCode === 0 && !trial.timedOut) return trial
  if (!verbose) showOutput(trial.printed)
  const failed = trial.timedOut
    ? `didn't finish within ${(trial.durationMs / 1000).toFixed(1)} s`
    : `exits with ${trial.exitCode}`
  const sentences = [
    `The command ${failed} ${when}. A sweep needs a command that succeeds.`,
    describeUnreached(trial),
  ]
  throw new UserError(sentences.filter(Boolean).join(' '))
}

/** A run with a fault, and the request on which it triggered, if any. */
type Trial = ObservedRun & { triggered: JournalRecord | undefined }

/** @throws Interrupted */
async function runWithFault(
  settings: SweepSettings,
  { operation, fault }: Cell,
  timeout: number,
): Promise<Trial> {
  const name = `${operation} ${fault.name}`
  const crash = new AbortController()
  let added: FirstCallFault | undefined
  const trial = await withRunFolder((env) =>
    runTrial(settings, name, {
      env: { PROXYSIM_FAULT: name, ...env },
      timeout,
      kill: crash.signal,
      prepare: (simulation) => {
        const kill = (): void => crash.abort()
        added = faultFirstCall(simulation, operation, fault, fault.killsClient ? kill : undefined)
      },
      rerunAfter: ({ exitCode, timedOut }) => {
        if (!settings.rerun || settings.signals.received || (exitCode === 0 && !timedOut)) return undefined
        added?.remove()
        return { PROXYSIM_FAULT: 'none' }
      },
    }),
  )
  return Object.assign(trial, { triggered: added?.request })
}

/** An empty folder for the client's data, shared by both runs of a pair. */
async function withRunFolder<T>(run: (env: { PROXYSIM_RUN_DIR: string }) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'proxysim-run-'))
  try {
    return await run({ PROXYSIM_RUN_DIR: folder })
  } finally {
    // What the client made unreadable stays; the results matter more.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

function toSweepRun({ operation, fault }: Cell, trial: Trial, baseline: Baseline): SweepRun {
  const { triggered, exitCode, timedOut, durationMs } = trial
  const after = judgeRerun(trial, baseline)
  const findings = [...findUnusualFindings(trial, baseline), ...(after?.findings ?? [])]
  const succeeded = exitCode === 0 && !timedOut
  const endState = succeeded ? compareEndState(trial, baseline) : null
  const run = {
    operation,
    fault: fault.name,
    verdict: judge({ isTriggered: !!triggered, findings, timedOut, exitCode, endState, after }),
    exitCode,
    durationMs,
    findings,
    endState,
    left: succeeded ? [] : renderEffects(trial.changes.effects),
    orphans: listOrphans(trial, findings),
    rerun: after ? after.run : null,
  }
  return {
    ...run,
    shown: isBad(run) && triggered ? selectShown(trial, triggered) : [],
    repeat: '',
    repro: null,
  }
}

/** Returns the findings that only occur with a fault. Possibly intended ones only count if the client added too many records. */
function findUnusualFindings(
  { findings, changes }: Observations,
  { findings: known, usual }: Baseline,
): Finding[] {
  const addedTooMany = addsMore(compareEffects(changes.effects, usual))
  return newFindings(addedTooMany ? findings.listWithIntended : findings.list, known)
}

function compareEndState({ changes }: Observations, { usual }: Baseline): EndState {
  const { missing, added } = compareEffects(changes.effects, usual)
  return { missing: renderEffects(missing), added: renderEffects(added) }
}

/** The second run of a pair, and whether it repaired the failure of the first run. */
interface Rerun {
  run: NonNullable<SweepRun['rerun']>
  verdict: Verdict
  /** The findings of the second run alone, except those about records that the client doesn't know about */
  findings: Finding[]
}

function judgeRerun({ rerun }: Trial, baseline: Baseline): Rerun | undefined {
  if (!rerun) return undefined
  const { exitCode, timedOut, durationMs, changes, second } = rerun
  const endState = compareEndState(rerun, baseline)
  const succeeded = exitCode === 0 && !timedOut
  const added = changes.effects.filter(({ isNew }) => isNew).length
  const isDoubled =
    added > baseline.usual.additions ||
    findUnusualFindings(rerun, baseline).some(({ finding }) => findingRules[finding].addsRecords)
  return {
    run: { exitCode, durationMs, endState },
    verdict: isDoubled
      ? 'doubled'
      : !succeeded
        ? 'stuck'
        : hasNoDifference(endState)
          ? 'recovered'
          : 'diverged',
    findings: newFindings(second.findings.list, baseline.findings).filter((one) => !isOrphaning(one)),
  }
}

function hasNoDifference({ missing, added }: EndState): boolean {
  return missing.length + added.length === 0
}

interface Evidence {
  isTriggered: boolean
  findings: readonly Finding[]
  timedOut: boolean
  exitCode: number
  endState: EndState | null
  after: Rerun | undefined
}

/** The first verdict that applies. A fault that didn't trigger proves nothing, whatever else happened. */
function judge({ isTriggered, findings, timedOut, exitCode, endState, after }: Evidence): Verdict {
  if (!isTriggered) return 'not triggered'
  if (!findings.every(isOrphaning)) return 'harm'
  if (after) return after.verdict
  if (findings.length > 0) return 'orphaned'
  if (timedOut) return 'hang'
  if (endState && !hasNoDifference(endState)) return 'swallowed'
  return exitCode === 0 ? 'survived' : 'noticed'
}

function isOrphaning({ finding }: Finding): boolean {
  return findingRules[finding].leavesOrphans === true
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

async function saveRepro(
  { writeRepro }: SweepSettings,
  cell: Cell,
  { triggered, simulation }: Trial,
): Promise<string | null> {
  const reproduced = triggered && (await reproduceRecord(simulation.store, triggered, ''))
  return reproduced ? writeRepro(cell, reproduced.scenario) : null
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

/** The request on which the fault triggered, and later requests that changed something or failed. */
function selectShown({ journal, rerun }: Trial, triggered: JournalRecord): SweepRun['shown'] {
  const later = (rerun ?? { journal }).journal.records.filter(
    ({ id, change, status }) =>
      id > triggered.id && (change !== undefined || status === null || status >= 400),
  )
  return [triggered, ...later].slice(0, maxShown).map(getEntry)
}
