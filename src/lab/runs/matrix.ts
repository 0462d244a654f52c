import type { Contract } from '../../contract/Contract.ts'
import { unknownName } from '../../lib/nearest.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Report } from '../../report/Report.ts'
import { createKernel } from '../replay.ts'
import {
  getEntry,
  getInterpretation,
  limitByAssumption,
  normalize,
  findingRules,
  type Finding,
  type World,
  type WorldChange,
} from '../simulator.ts'
import type { AcceptedCells } from './accepted.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'
import { ClientChanges, type Effect } from './ClientChanges.ts'
import type { TracedCall } from './Injector.ts'
import { newFindings } from './newFindings.ts'
import { explain, wrongCalls } from './explain.ts'
import { excerpt } from './Output.ts'
import {
  acceptedSections,
  legend,
  problemSections,
  toTestCase,
  verdictLine,
  type ReportedRun,
} from './report.ts'
import { countVerdicts, isAboutOrders, isRejected } from './problems.ts'
import { compareCalls, type CallDifference } from './requests.ts'
import { describeUnreached, readFirstAccount } from './runAgainstSimulator.ts'
import { hasFailed, runCell, withoutAlternatives, type Trial } from './runCell.ts'
import { requestText, showCalls } from './shown.ts'
import {
  interruptionMessage,
  mapConcurrently,
  markIncomplete,
  noRequestMessage,
  type Result,
  type TrialSettings,
} from './trials.ts'
import { Twins } from './Twins.ts'
import { isRed, judge } from './verdict.ts'

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
  /** Whether a key of the accepted cells is about a selected interpretation */
  isTried: (key: string) => boolean
  /** The command that repeats a run. @param cell an interpretation, or undefined for the scenario's own ones */
  repeat: (cell: string | undefined) => string
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
    settings.onRun(run.cell, verdictLine(run), run.durationMs, others.length + 1)
    return run
  }
  const first = await runWith(settings, undefined)
  const { own } = first.first
  const unreached = describeUnreached({ simulation: first.simulation, journal: own.journal })
  const failed = hasFailed(first.first)
  if (!failed && own.journal.total === 0) throw new UserError(unreached ?? noRequestMessage)
  const firstRun = report(toRun(settings, undefined, first))
  const { exitCode, timedOut } = first.first
  const isAffected = ({ operations }: Interpretation): boolean =>
    operations.some((one) => own.called.has(one))
  const tried = failed ? [] : others
  const affected = tried.filter(isAffected)
  const skipped = tried
    .filter((one) => !isAffected(one))
    .map((one) => report(toRun(settings, one, undefined)))
  const runAndJudge = createJudge(settings, contract, first)
  const ran = await mapConcurrently(affected, settings.jobs, async (one) => report(await runAndJudge(one)))
  const interrupted = interruptionMessage(ran.length, affected.length)
  const judged = [...ran, ...skipped]
  const interpretations = [
    firstRun,
    ...tried.flatMap((one) => judged.filter(({ cell }) => cell === nameOf(one))),
  ]
  const problem = failed
    ? [
        `The command fails with the default assumptions (${timedOut ? 'timed out' : `exit ${exitCode}`}). Fix that first.`,
        unreached,
      ]
        .filter(Boolean)
        .join(' ')
    : interrupted
  const survives = problem === undefined && !interpretations.some(isRejected)
  const data = { command: settings.command, survives, interpretations }
  const shown = matrixReport(data, {
    unusedKeys: settings.accepted?.unusedKeys(settings.isTried) ?? [],
    unexplainedKeys: settings.accepted?.unexplainedKeys ?? [],
  })
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
  { accepted, repeat }: MatrixSettings,
  interpretation: Interpretation | undefined,
  trial: Trial | undefined,
  { isExercised, findings, difference }: Judgement = {
    isExercised: interpretation === undefined,
    findings: [],
    difference: { missing: [], added: [] },
  },
): MatrixRun {
  const last = trial?.first ?? { exitCode: 0, timedOut: false, durationMs: 0, printed: '' }
  const failed = hasFailed(last)
  const differs = !isEmpty(difference)
  const [missing, added] = [difference.missing, difference.added].map((some) => effectsOf(trial, some)) as [
    Effect[],
    Effect[],
  ]
  const isFound = (is: 'addsRecords' | 'leavesOrphans'): boolean =>
    findings.some(({ finding }) => findingRules[finding][is] === true)
  const verdict = judge({
    isTried: isExercised || failed,
    isOrderedTwice: isFound('addsRecords') || countNew(added) > countNew(missing),
    isOrderLost: isFound('leavesOrphans'),
    hasFailed: failed,
    differs,
    isStuck: failed,
    hasBadHabit: findings.some(({ finding }) => !isAboutOrders(finding)),
  })
  const { assumption = null, value = null, meaning = null } = interpretation ?? {}
  const cell = nameOf(interpretation)
  const calls = trial?.calls ?? []
  const basis = { verdict, findings, differences: { missing, added }, calls, last, run: 1 }
  const { why, advice } = explain(basis)
  return {
    cell,
    assumption,
    value,
    meaning,
    verdict,
    accepted: interpretation && isRed(verdict) ? (accepted?.reasonFor(cell, verdict) ?? null) : null,
    exitCode: trial ? last.exitCode : null,
    timedOut: last.timedOut,
    durationMs: last.durationMs,
    requests: trial?.first.own.journal.total ?? 0,
    changes: differs
      ? { missing: difference.missing.flatMap(textsOf), added: difference.added.flatMap(textsOf) }
      : null,
    findings,
    why,
    advice: !isRed(verdict) || verdict === 'bad-habit' ? advice : interpretation ? askOrAccept : needsSuccess,
    shown: isRed(verdict) ? showCalls(calls, { runs: [last], wrong: wrongCalls(basis) }) : [],
    output: excerpt(last.printed),
    repeat: repeat(interpretation && cell),
  }
}

const needsSuccess = 'A matrix needs a command that succeeds with the default assumptions.'

const askOrAccept =
  'The documentation leaves this open: make the program accept both, or ask the provider (proxysim questions).'

function countNew(effects: readonly Effect[]): number {
  return effects.filter(({ isNew }) => isNew).length
}

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
  return one ? `${one.assumption}=${one.value}` : withoutAlternatives
}

function matrixReport(data: MatrixReport, keys: Parameters<typeof acceptedSections>[1]): Report {
  const { interpretations } = data
  const tried = interpretations.filter(({ verdict }) => verdict !== 'not-tried')
  const untried = interpretations.filter(({ verdict }) => verdict === 'not-tried')
  return {
    title: 'Interpretations of the documentation',
    summary: summarize(interpretations),
    sections: [
      ...problemSections(interpretations, 'matrix'),
      {
        head: ['Interpretation', 'Verdict', 'Meaning'],
        rows: tried.map((run) => [
          run.cell,
          verdictLine(run),
          run.meaning ?? 'The defaults and the interpretations of the scenario.',
        ]),
      },
      {
        lines:
          untried.length > 0
            ? [`Not tried, as no response differs: ${untried.map(({ cell }) => cell).join(', ')}`]
            : [],
      },
      ...acceptedSections(interpretations, keys),
      { heading: 'Verdicts:', list: legend(interpretations, 'matrix') },
    ],
    suites: [
      {
        name: 'matrix',
        cases: interpretations.map((run) => toTestCase(run, 'matrix')),
        note: legend(interpretations, 'matrix').join('\n'),
      },
    ],
    data,
  }
}

/** `11 ok, 2 stuck, 17 not-tried. Open questions to the provider: geo=object` */
function summarize(interpretations: readonly MatrixRun[]): string {
  const open = interpretations.filter((run) => isRejected(run) && run.assumption !== null)
  const counts = countVerdicts(interpretations)
  return open.length === 0
    ? counts
    : `${counts}. Open questions to the provider: ${open.map(({ cell }) => cell).join(', ')}`
}
