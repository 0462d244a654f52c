import type { Contract } from '../../contract/Contract.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Line, Mark, Report } from '../../report/Report.ts'
import {
  normalize,
  limitByAssumption,
  getInterpretation,
  type World,
  type WorldChange,
} from '../simulator.ts'
import { unknownName } from '../../lib/nearest.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'
import { readFirstAccount, describeUnreached } from './runAgainstSimulator.ts'
import { Twins } from './Twins.ts'
import {
  mapConcurrently,
  markIncomplete,
  interruptionMessage,
  noRequestMessage,
  toRun,
  runTrial,
} from './trials.ts'
import type { Result, Run, TrialSettings } from './trials.ts'

/** The result of a matrix, as in `--json` and in `--report FILE.json`. */
export interface MatrixReport {
  /** Whether the client passes with every interpretation */
  survives: boolean
  interpretations: MatrixRun[]
}

/** A run with one interpretation. */
export interface MatrixRun extends Omit<Run, 'exitCode'> {
  /** Null if the run was skipped because the first run called no operation that the assumption affects */
  exitCode: number | null
  /** Null for the scenario's own interpretations */
  assumption: string | null
  value: string | number | null
  meaning: string | null
  verdict: keyof typeof marks
}

const marks = { survives: 'good', fails: 'bad', 'not exercised': 'none' } satisfies Record<string, Mark>

/** An interpretation of a gap in the documentation. */
interface Interpretation extends Pick<MatrixRun, 'assumption' | 'value' | 'meaning'> {
  /** The scenario's own interpretation of the same assumption */
  usual?: string | number
  /** The operations that the assumption affects; undefined for all operations */
  operations?: readonly string[]
}

export interface MatrixSettings extends TrialSettings {
  /** Assumptions (`geo`) or interpretations (`geo=object`); empty for all */
  only: readonly string[]
  /** Time limit of a run in milliseconds */
  timeout: number
}

/**
 * Runs a command with the scenario's own interpretations, and then once with each other interpretation of a gap in the documentation.
 * If the first run fails or sends no request, there are no other runs, because they would prove nothing.
 * @throws UserError if `only` names an unknown interpretation; Interrupted
 */
export async function matrix(settings: MatrixSettings): Promise<Result<MatrixReport>> {
  const { contract, world } = await readFirstAccount(settings.simulator)
  const others = listInterpretations(contract, world, settings.only)
  const report = (run: MatrixRun): void =>
    settings.onRun(interpretationName(run), verdictLine(run), run.durationMs, others.length + 1)
  const run = async (interpretation: Interpretation): Promise<CompletedRun> => {
    const done = await runInterpretation(settings, contract, interpretation)
    report(done.run)
    return done
  }
  const { run: first, called, unreached } = await run({ assumption: null, value: null, meaning: null })
  const firstSurvives = first.verdict === 'survives'
  const [affected, unaffected] = partition(firstSurvives ? others : [], ({ operations = [] }) =>
    operations.some((one) => called.has(one)),
  )
  const skipped = unaffected.map(createSkippedRun)
  for (const one of skipped) report(one)
  const ran = (await mapConcurrently(affected, settings.jobs, run)).map((one) => one.run)
  const interrupted = interruptionMessage(ran.length, affected.length)
  const order = others.map(interpretationName)
  const getPosition = (one: MatrixRun): number => order.indexOf(interpretationName(one))
  const judged = [...ran, ...skipped].toSorted((a, b) => getPosition(a) - getPosition(b))
  const interpretations = [first, ...judged]
  const problem = findProblem(first, unreached) ?? interrupted
  const survives = problem === undefined && interpretations.every(({ verdict }) => verdict !== 'fails')
  const data = { survives, interpretations }
  return { data, report: markIncomplete(matrixReport(data), interrupted), passed: survives, problem }
}

interface CompletedRun {
  run: MatrixRun
  /** The operations that the command called */
  called: ReadonlySet<string>
  /** Describes the requests that were refused before they reached the API, if any */
  unreached: string | undefined
}

/** Splits items into those that meet a condition, and the others. */
function partition<T>(all: readonly T[], condition: (one: T) => boolean): [T[], T[]] {
  return [all.filter(condition), all.filter((one) => !condition(one))]
}

/** Creates the result for an interpretation that can't affect the client. */
function createSkippedRun({ assumption, value, meaning }: Interpretation): MatrixRun {
  const none = { exitCode: null, timedOut: false, durationMs: 0, requests: 0, output: [] }
  return { assumption, value, meaning, verdict: 'not exercised', ...none }
}

async function runInterpretation(
  settings: MatrixSettings,
  contract: Contract,
  { operations = [], usual, ...interpretation }: Interpretation,
): Promise<CompletedRun> {
  const { simulator, timeout } = settings
  const { assumption, value } = interpretation
  const name = interpretationName(interpretation)
  const assumptions = { ...simulator.assumptions, ...(assumption !== null && { [assumption]: value ?? '' }) }
  const twins =
    assumption === null
      ? undefined
      : new Twins(normalize({ assumptions: { [assumption]: usual } }) as WorldChange)
  const trial = await runTrial(settings, name, {
    simulator: { ...simulator, assumptions },
    env: { PROXYSIM_INTERPRETATION: name },
    timeout,
    prepare: (simulation) => {
      if (twins) simulation.onResponse = twins.compare
      // Services ordered as Pending or unpaid become Active or paid a second later, so that a polling client passes.
      const limit = limitByAssumption[assumption ?? '']
      if (limit !== undefined)
        applyToEveryWorld(simulation, ({ limits }) =>
          limits[limit] === undefined ? { limits: { [limit]: 1 } } : undefined,
        )
    },
  })
  const run = toRun(trial)
  // Twins don't see calls without valid credentials, because these don't reach an account.
  const isUnauthenticated = operations.some(
    (one) =>
      trial.called.has(one) &&
      !trial.authenticated.has(one) &&
      contract.operation(one)?.authOptionalWhen?.[assumption ?? ''] !== undefined,
  )
  const isExercised = twins ? twins.differingCount > 0 || isUnauthenticated : run.requests > 0
  const verdict = run.exitCode !== 0 || run.timedOut ? 'fails' : isExercised ? 'survives' : 'not exercised'
  return {
    run: { ...interpretation, verdict, ...run },
    called: trial.called,
    unreached: describeUnreached(trial),
  }
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
  const names = all.flatMap((interpretation) => [
    interpretation.assumption,
    interpretationName(interpretation),
  ])
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(unknownName('interpretation', unknown, [...new Set(names)]))
  if (only.length === 0) return all
  return all.filter(
    (interpretation) =>
      only.includes(interpretation.assumption) || only.includes(interpretationName(interpretation)),
  )
}

/** `productSort=desc`, or `default` for the scenario's own interpretations */
function interpretationName({ assumption, value }: Pick<Interpretation, 'assumption' | 'value'>): string {
  return assumption === null ? 'default' : `${assumption}=${value}`
}

/** `fails (exit 4)` */
function verdictLine({ verdict, ...run }: MatrixRun): Line {
  return { text: verdict === 'fails' ? `fails (${failureReason(run)})` : verdict, mark: marks[verdict] }
}

function failureReason({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'timed out' : `exit ${exitCode}`
}

/**
 * Returns the reason why the runs prove nothing, if the first run failed or sent no request.
 * @param unreached describes the requests that were refused before they reached the API
 */
function findProblem(first: MatrixRun, unreached: string | undefined): string | undefined {
  if (first.verdict === 'survives') return undefined
  if (first.verdict === 'not exercised') return unreached ?? noRequestMessage
  const failed = `The command fails with the default assumptions (${failureReason(first)}). Fix that first.`
  return unreached === undefined ? failed : `${failed} ${unreached}`
}

function matrixReport(data: MatrixReport): Report {
  const { interpretations } = data
  const failed = interpretations.filter(({ verdict }) => verdict === 'fails')
  const cases = interpretations.map((run) => ({
    name: interpretationName(run),
    time: run.durationMs / 1000,
    skipped: run.verdict === 'not exercised' ? 'All responses would have been the same.' : undefined,
    failure: failed.includes(run) ? { message: failureReason(run), text: run.output.join('\n') } : undefined,
  }))
  return {
    title: 'Interpretations of the documentation',
    summary: summarize(interpretations, failed),
    sections: [
      {
        head: ['Interpretation', 'Verdict', 'Meaning'],
        rows: interpretations.map((run) => [
          interpretationName(run),
          verdictLine(run),
          run.meaning ?? 'The defaults and the interpretations of the scenario.',
        ]),
      },
      ...failed.map((run) => ({
        heading: `${interpretationName(run)}: last lines of the output`,
        code: run.output,
      })),
    ],
    suites: [{ name: 'matrix', cases }],
    data,
  }
}

function summarize(interpretations: readonly MatrixRun[], failed: readonly MatrixRun[]): string {
  const notExercised = interpretations.filter(({ verdict }) => verdict === 'not exercised').length
  const survived = interpretations.length - failed.length - notExercised
  const counts = `${survived} passed, ${failed.length} failed, ${notExercised} not applicable`
  return failed.length > 0 ? `${counts}. Failed: ${failed.map(interpretationName).join(', ')}` : counts
}
