import type { Contract } from '../../contract/Contract.ts'
import { unknownName } from '../../lib/nearest.ts'
import { countedVerdict } from '../../lib/countedVerdict.ts'
import { shellQuote } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Line, Report } from '../../report/Report.ts'
import { createKernel } from '../replay.ts'
import {
  getEntry,
  getInterpretation,
  limitByAssumption,
  normalize,
  type Finding,
  type World,
  type WorldChange,
} from '../simulator.ts'
import type { AcceptedCells } from './accepted.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'
import { ClientChanges, type Effect } from './ClientChanges.ts'
import type { TracedCall } from './Injector.ts'
import { newFindings } from './newFindings.ts'
import { describeRun } from './outcome.ts'
import { excerpt } from './Output.ts'
import { explainRuns, isBad, isRejected, toTestCase, verdictLine, type ReportedRun } from './report.ts'
import { compareCalls, type CallDifference } from './requests.ts'
import { describeUnreached, readFirstAccount } from './runAgainstSimulator.ts'
import { hasFailed, runCell, type Trial } from './runCell.ts'
import { requestText } from './shown.ts'
import {
  interruptionMessage,
  mapConcurrently,
  markIncomplete,
  noRequestMessage,
  type Result,
  type TrialSettings,
} from './trials.ts'
import { Twins } from './Twins.ts'
import { judgeInterpretation, matrixVerdicts } from './verdict.ts'

/** The result of a matrix, as in `--json` and in `--report FILE.json`. */
export interface MatrixReport {
  command: readonly string[]
  /** Whether the client survives every interpretation that it exercises */
  survives: boolean
  interpretations: MatrixRun[]
}

/** A run with one interpretation. */
export interface MatrixRun extends ReportedRun {
  /** Null for the scenario's own interpretations */
  assumption: string | null
  value: string | number | null
  meaning: string | null
  /** Null if the run was skipped because the first run called no operation that the assumption affects */
  exitCode: number | null
  timedOut: boolean
  /** Number of requests */
  requests: number
  /** The changing requests that only one of this run and the first one made; null if both made the same */
  changes: { missing: string[]; added: string[] } | null
  /** Findings that the first run doesn't have */
  findings: Finding[]
}

/** An interpretation of a gap in the documentation. */
interface Interpretation {
  assumption: string
  value: string | number
  meaning: string
  /** The scenario's own interpretation of the same assumption */
  usual: string | number
  /** The operations that the assumption affects */
  operations: readonly string[]
}

export interface MatrixSettings extends TrialSettings {
  accepted?: AcceptedCells | undefined
  /** Assumptions (`geo`) or interpretations (`geo=object`); empty for all */
  only: readonly string[]
  /** Time limit of a run in milliseconds */
  timeout: number
}

/**
 * Runs a command with the scenario's own interpretations, and then once with each other interpretation of a gap in the documentation.
 * If the first run fails, there are no other runs, because they would prove nothing.
 * @throws UserError if `only` names an unknown interpretation, or the first run sends no request; Interrupted
 */
export async function matrix(settings: MatrixSettings): Promise<Result<MatrixReport>> {
  const { contract, world } = await readFirstAccount(settings.simulator)
  const others = listInterpretations(contract, world, settings.only)
  const report = (run: MatrixRun): MatrixRun => {
    settings.onRun(run.cell, verdictOf(run), run.durationMs, others.length + 1)
    return run
  }
  const first = await runWith(settings, undefined)
  const { own } = first.first
  const unreached = describeUnreached({ simulation: first.simulation, journal: own.journal })
  const failed = hasFailed(first.first)
  if (!failed && own.journal.total === 0) throw new UserError(unreached ?? noRequestMessage)
  const firstRun = report(toRun(settings, undefined, first))
  const isAffected = ({ operations }: Interpretation): boolean =>
    operations.some((one) => own.called.has(one))
  const tried = failed ? [] : others
  const affected = tried.filter(isAffected)
  const skipped = tried
    .filter((one) => !isAffected(one))
    .map((one) => report(toRun(settings, one, undefined)))
  const judge = createJudge(settings, contract, first)
  const ran = await mapConcurrently(affected, settings.jobs, async (one) => report(await judge(one)))
  const interrupted = interruptionMessage(ran.length, affected.length)
  const judged = [...ran, ...skipped]
  const interpretations = [
    firstRun,
    ...tried.flatMap((one) => judged.filter(({ cell }) => cell === nameOf(one))),
  ]
  const problem = failed
    ? [
        `The command fails with the default assumptions (${failureReason(firstRun)}). Fix that first.`,
        unreached,
      ]
        .filter(Boolean)
        .join(' ')
    : interrupted
  const survives = problem === undefined && !interpretations.some(isRejected)
  const data = { command: settings.command, survives, interpretations }
  const shown = matrixReport(data, settings.accepted?.unusedKeys() ?? [])
  return { data, report: markIncomplete(shown, interrupted), passed: survives, problem }
}

/** Runs the command with an interpretation, or with the scenario's own ones. */
function runWith(settings: MatrixSettings, interpretation: Interpretation | undefined): Promise<Trial> {
  const { simulator, timeout: limit } = settings
  const { assumption, value } = interpretation ?? {}
  return runCell(
    {
      ...settings,
      simulator:
        assumption === undefined
          ? simulator
          : { ...simulator, assumptions: { ...simulator.assumptions, [assumption]: value } },
      variable: 'PROXYSIM_INTERPRETATION',
      limit,
      prepare: (simulation) => {
        // Services ordered as Pending or unpaid become Active or paid a second later, so that a polling client passes.
        const name = assumption === undefined ? undefined : limitByAssumption[assumption]
        if (name !== undefined)
          applyToEveryWorld(simulation, ({ limits }) =>
            limits[name] === undefined ? { limits: { [name]: 1 } } : undefined,
          )
      },
    },
    nameOf(interpretation),
  )
}

/** Creates a function that runs the command with an interpretation, and judges it by the first run. */
function createJudge(
  settings: MatrixSettings,
  contract: Contract,
  first: Trial,
): (interpretation: Interpretation) => Promise<MatrixRun> {
  const usual: [TracedCall[]] = [changingCalls(first)]
  const known = first.first.own.findings.list
  let repeated: Promise<TracedCall[]> | undefined
  /** Compares the changes. What varies between two runs without alternatives isn't judged, so another one is made. */
  const compare = async (trial: Trial): Promise<CallDifference<TracedCall>> => {
    const difference = compareCalls(changingCalls(trial), usual)
    if (isEmpty(difference)) return difference
    const second = await (repeated ??= runWith(settings, undefined).then(changingCalls))
    return compareCalls(changingCalls(trial), [...usual, second])
  }
  return async (interpretation) => {
    const trial = await runWith(settings, interpretation)
    const isExercised = await mayDiffer(trial, contract, interpretation)
    const isJudged = isExercised && !hasFailed(trial.first)
    const findings = isJudged
      ? newFindings(trial.first.own.findings.list, known).filter(({ severity }) => severity !== 'low')
      : []
    return toRun(settings, interpretation, trial, {
      isExercised,
      findings,
      difference: isJudged ? await compare(trial) : { missing: [], added: [] },
    })
  }
}

/** The calls that changed something. */
function changingCalls({ calls }: Trial): TracedCall[] {
  return calls.filter(({ record }) => record?.change !== undefined)
}

function isEmpty({ missing, added }: CallDifference<TracedCall>): boolean {
  return missing.length + added.length === 0
}

/** Whether a request would have got another response with the scenario's own interpretation, or can no longer be replayed. */
async function mayDiffer(
  { first: { own }, simulation: { overrides } }: Trial,
  contract: Contract,
  { assumption, usual }: Interpretation,
): Promise<boolean> {
  const { total, records } = own.journal
  if (total > records.length) return true
  const settings = normalize({ assumptions: { [assumption]: usual } }) as WorldChange
  const twins = new Twins(await createKernel(contract, overrides), settings)
  return records.some((record) => record.omitted?.request !== undefined || twins.isDifferent(record))
}

/** The basis of the verdict on a run with another interpretation. */
interface Judgement {
  isExercised: boolean
  findings: Finding[]
  difference: CallDifference<TracedCall>
}

/** @param trial undefined if the interpretation can't affect the client, so that it wasn't run */
function toRun(
  { accepted, command }: MatrixSettings,
  interpretation: Interpretation | undefined,
  trial: Trial | undefined,
  { isExercised, findings, difference }: Judgement = {
    isExercised: interpretation === undefined,
    findings: [],
    difference: { missing: [], added: [] },
  },
): MatrixRun {
  const first = trial?.first ?? { exitCode: 0, timedOut: false, durationMs: 0, printed: '' }
  const { exitCode, timedOut, durationMs, printed } = first
  const differs = !isEmpty(difference)
  const verdict = judgeInterpretation({ exitCode, timedOut, findings, differs, isExercised })
  const { assumption = null, value = null, meaning = null } = interpretation ?? {}
  const cell = nameOf(interpretation)
  const calls = trial?.calls ?? []
  const differences = {
    missing: effectsOf(trial, difference.missing),
    added: effectsOf(trial, difference.added),
  }
  const description = describeRun({ verdict, findings, unseen: [], calls, first, differences }, [first])
  return {
    cell,
    assumption,
    value,
    meaning,
    verdict,
    accepted: interpretation && isBad({ verdict }) ? (accepted?.reasonFor(cell, verdict) ?? null) : null,
    exitCode: trial ? exitCode : null,
    timedOut,
    durationMs,
    requests: trial?.first.own.journal.total ?? 0,
    changes: differs
      ? { missing: difference.missing.flatMap(textsOf), added: difference.added.flatMap(textsOf) }
      : null,
    findings,
    ...description,
    headline: isBad({ verdict }) ? `${cell}: ${description.headline}` : description.headline,
    ...(!interpretation && isBad({ verdict }) && { advice: needsSuccess }),
    output: excerpt(printed),
    repeat: shellQuote(['proxysim', 'exec', ...(interpretation ? ['--assume', cell] : []), '--', ...command]),
  }
}

const needsSuccess = 'A matrix needs a command that succeeds with the default assumptions.'

function textsOf({ record }: TracedCall): string[] {
  return record ? [requestText(getEntry(record))] : []
}

/** The effects of some calls on the account. */
function effectsOf(trial: Trial | undefined, calls: readonly TracedCall[]): Effect[] {
  if (!trial) return []
  const changes = new ClientChanges(trial.simulation.contract)
  for (const { record } of calls) if (record) changes.add(record)
  return changes.effects
}

/** All interpretations except the current ones. @throws UserError */
function listInterpretations(
  { assumptions }: Contract,
  world: World,
  only: readonly string[],
): Interpretation[] {
  const all = assumptions.flatMap(({ id, default: first, alternatives, meaning, operations }) => {
    const usual = getInterpretation(world, id) ?? first
    return [first, ...alternatives]
      .filter((value) => value !== usual)
      .map((value) => ({ assumption: id, value, usual, meaning: meaning[value] ?? '', operations }))
  })
  const names = all.flatMap((one) => [one.assumption, nameOf(one)])
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(unknownName('interpretation', unknown, [...new Set(names)]))
  if (only.length === 0) return all
  return all.filter((one) => only.includes(one.assumption) || only.includes(nameOf(one)))
}

/** `productSort=desc`, or `default` for the scenario's own interpretations */
function nameOf(one: Pick<Interpretation, 'assumption' | 'value'> | undefined): string {
  return one ? `${one.assumption}=${one.value}` : 'default'
}

/** `fails (exit 4)` */
function verdictOf(run: MatrixRun): Line {
  return run.verdict === 'fails' ? { text: `fails (${failureReason(run)})`, mark: 'bad' } : verdictLine(run)
}

function failureReason({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'timed out' : `exit ${exitCode}`
}

/** @param unusedKeys keys of accepted cells that no run needed */
function matrixReport(data: MatrixReport, unusedKeys: readonly string[]): Report {
  const { interpretations } = data
  return {
    title: 'Interpretations of the documentation',
    summary: summarize(interpretations),
    sections: [
      {
        head: ['Interpretation', 'Verdict', 'Meaning'],
        rows: interpretations.map((run) => [
          run.cell,
          verdictOf(run),
          run.meaning ?? 'The defaults and the interpretations of the scenario.',
        ]),
      },
      ...explainRuns(interpretations, unusedKeys),
    ],
    suites: [{ name: 'matrix', cases: interpretations.map((run) => toTestCase(run)) }],
    data,
  }
}

/** `11 survive, 2 fail, 17 not exercised. Not survived: geo=object` */
function summarize(interpretations: readonly MatrixRun[]): string {
  const counts = matrixVerdicts.flatMap((verdict) => {
    const { length } = interpretations.filter((one) => one.verdict === verdict)
    const isOptional = verdict === 'changed' || verdict === 'harm'
    return length > 0 || !isOptional ? countedVerdict(length, verdict) : []
  })
  const bad = interpretations.filter(isRejected)
  if (bad.length === 0) return counts.join(', ')
  return `${counts.join(', ')}. Not survived: ${bad.map(({ cell }) => cell).join(', ')}`
}
