import type { Contract } from '../../contract/Contract.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Line, Mark, Report, Section } from '../../report/Report.ts'
import {
  normalize,
  limitByAssumption,
  type Finding,
  getInterpretation,
  type World,
  type WorldChange,
} from '../simulator.ts'
import { unknownName } from '../../lib/nearest.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'
import type { AcceptedCells } from './accepted.ts'
import type { ChangeDifference, ChangingRequests } from './ChangingRequests.ts'
import {
  type Observations,
  type ObservedRun,
  readFirstAccount,
  describeUnreached,
} from './runAgainstSimulator.ts'
import { createKernel } from '../replay.ts'
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
  /** Whether the client survives every interpretation that it exercises */
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
  verdict: Verdict
  /** The changing requests that only one of this run and the first one made; null if both made the same */
  changes: ChangeDifference | null
  /** Findings that the first run doesn't have */
  findings: Finding[]
  /** Why the team accepts the verdict, if it does */
  accepted: string | null
}

const marks = {
  survives: 'good',
  changed: 'bad',
  harm: 'bad',
  fails: 'bad',
  'not exercised': 'none',
} satisfies Record<string, Mark>

type Verdict = keyof typeof marks

export const badVerdicts = ['changed', 'harm', 'fails'] as const satisfies Verdict[]

function isBad({ verdict }: Pick<MatrixRun, 'verdict'>): boolean {
  return marks[verdict] === 'bad'
}

/** The bad runs, as the cells that `--write-accepted` writes. */
export function badCells({ interpretations }: MatrixReport): { cell: string; verdict: string }[] {
  const bad = interpretations.filter((run) => isBad(run) && run.assumption !== null)
  return bad.map((run) => ({ cell: interpretationName(run), verdict: run.verdict }))
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
  const report = (run: MatrixRun): void =>
    settings.onRun(interpretationName(run), verdictLine(run), run.durationMs, others.length + 1)
  const first = await runDefault(settings)
  const unreached = describeUnreached(first)
  const firstRun = createFirstRun(first)
  if (firstRun.verdict === 'not exercised') throw new UserError(unreached ?? noRequestMessage)
  report(firstRun)
  const usual = new Usual(first, async () => (await runDefault(settings)).changingRequests)
  const run = async (interpretation: Interpretation): Promise<MatrixRun> => {
    const done = await runInterpretation(settings, contract, interpretation, usual)
    if (isBad(done))
      done.accepted = settings.accepted?.reasonFor(interpretationName(done), done.verdict) ?? null
    report(done)
    return done
  }
  const [affected, unaffected] = partition(firstRun.verdict === 'survives' ? others : [], ({ operations }) =>
    operations.some((one) => first.called.has(one)),
  )
  const skipped = unaffected.map(createSkippedRun)
  for (const one of skipped) report(one)
  const ran = await mapConcurrently(affected, settings.jobs, run)
  const interrupted = interruptionMessage(ran.length, affected.length)
  const order = others.map(interpretationName)
  const getPosition = (one: MatrixRun): number => order.indexOf(interpretationName(one))
  const judged = [...ran, ...skipped].toSorted((a, b) => getPosition(a) - getPosition(b))
  const interpretations = [firstRun, ...judged]
  const problem = findProblem(firstRun, unreached) ?? interrupted
  const survives = problem === undefined && !interpretations.some(isRejected)
  const data = { survives, interpretations }
  const shown = matrixReport(data, settings.accepted?.unusedKeys() ?? [])
  return { data, report: markIncomplete(shown, interrupted), passed: survives, problem }
}

/** The changes and findings of runs with the scenario's own interpretations. */
class Usual {
  readonly #first: Observations
  readonly #repeat: () => Promise<ChangingRequests>
  #second: Promise<ChangingRequests> | undefined

  /** @param repeat runs the command once more */
  constructor(first: Observations, repeat: () => Promise<ChangingRequests>) {
    this.#first = first
    this.#repeat = repeat
  }

  /** Compares the changes of a run. What varies between two runs without alternatives isn't judged, so another one is made. */
  async findChanges({ changingRequests: changing }: Observations): Promise<ChangeDifference | null> {
    const { changingRequests: first } = this.#first
    const found = changing.compare(first)
    if (isEmpty(found)) return null
    const second = await (this.#second ??= this.#repeat())
    if (isEmpty(second.compare(first))) return found
    if (!isEmpty(second.compare(first, 'operation'))) return null
    const byOperation = changing.compare(first, 'operation')
    return isEmpty(byOperation) ? null : byOperation
  }

  findNewFindings({ findings: { list } }: Observations): Finding[] {
    const known = this.#first.findings.list.map(({ finding }) => finding)
    return list.filter(({ finding, severity }) => severity !== 'low' && !known.includes(finding))
  }
}

function isEmpty({ missing, added }: ChangeDifference): boolean {
  return missing.length === 0 && added.length === 0
}

function isRejected(run: MatrixRun): boolean {
  return isBad(run) && run.accepted === null
}

/** Splits items into those that meet a condition, and the others. */
function partition<T>(all: readonly T[], condition: (one: T) => boolean): [T[], T[]] {
  return [all.filter(condition), all.filter((one) => !condition(one))]
}

/** Creates the result for an interpretation that can't affect the client. */
function createSkippedRun({ assumption, value, meaning }: Interpretation): MatrixRun {
  const none = { exitCode: null, timedOut: false, durationMs: 0, requests: 0, output: [] }
  return { assumption, value, meaning, verdict: 'not exercised', ...nothing, ...none }
}

const nothing = { changes: null, findings: [], accepted: null }

const defaultName = 'default'

/** Runs the command with the scenario's own interpretations. */
function runDefault(settings: MatrixSettings): Promise<ObservedRun> {
  const env = { PROXYSIM_INTERPRETATION: defaultName }
  return runTrial(settings, defaultName, { env, timeout: settings.timeout })
}

function createFirstRun(trial: ObservedRun): MatrixRun {
  const run = toRun(trial)
  const verdict = hasFailed(run) ? 'fails' : run.requests > 0 ? 'survives' : 'not exercised'
  return { assumption: null, value: null, meaning: null, verdict, ...nothing, ...run }
}

function hasFailed({ exitCode, timedOut }: Pick<MatrixRun, 'exitCode' | 'timedOut'>): boolean {
  return exitCode !== 0 || timedOut
}

async function runInterpretation(
  settings: MatrixSettings,
  contract: Contract,
  { operations, usual: usualValue, assumption, value, meaning }: Interpretation,
  usual: Usual,
): Promise<MatrixRun> {
  const { simulator, timeout } = settings
  const name = interpretationName({ assumption, value })
  const trial = await runTrial(settings, name, {
    simulator: { ...simulator, assumptions: { ...simulator.assumptions, [assumption]: value } },
    env: { PROXYSIM_INTERPRETATION: name },
    timeout,
    prepare: (simulation) => {
      // Services ordered as Pending or unpaid become Active or paid a second later, so that a polling client passes.
      const limit = limitByAssumption[assumption]
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
      contract.operation(one)?.authOptionalWhen?.[assumption] !== undefined,
  )
  const isExercised = isUnauthenticated || (await findDifference(trial, { [assumption]: usualValue }))
  const isJudged = isExercised && !hasFailed(run)
  const changes = isJudged ? await usual.findChanges(trial) : null
  const findings = isJudged ? usual.findNewFindings(trial) : []
  const verdict = hasFailed(run)
    ? 'fails'
    : findings.length > 0
      ? 'harm'
      : changes
        ? 'changed'
        : isExercised
          ? 'survives'
          : 'not exercised'
  return { assumption, value, meaning, verdict, changes, findings, accepted: null, ...run }
}

/** Whether a request would have got another response with other interpretations, or can't be replayed any more. */
async function findDifference(
  { simulation: { contract, overrides }, journal: { total, records } }: ObservedRun,
  assumptions: object,
): Promise<boolean> {
  if (total > records.length) return true
  const twins = new Twins(await createKernel(contract, overrides), normalize({ assumptions }) as WorldChange)
  return records.some((record) => record.omitted?.request !== undefined || twins.isDifferent(record))
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
function interpretationName({ assumption, value }: Pick<MatrixRun, 'assumption' | 'value'>): string {
  return assumption === null ? defaultName : `${assumption}=${value}`
}

/** `fails (exit 4)` */
function verdictLine({ verdict, ...run }: MatrixRun): Line {
  return { text: verdict === 'fails' ? `fails (${failureReason(run)})` : verdict, mark: marks[verdict] }
}

function failureReason({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'timed out' : `exit ${exitCode}`
}

/**
 * Returns the reason why the runs prove nothing, if the first run failed.
 * @param unreached describes the requests that were refused before they reached the API
 */
function findProblem(first: MatrixRun, unreached: string | undefined): string | undefined {
  if (first.verdict === 'survives') return undefined
  const failed = `The command fails with the default assumptions (${failureReason(first)}). Fix that first.`
  return unreached === undefined ? failed : `${failed} ${unreached}`
}

/** @param unusedKeys keys of accepted cells that no run needed */
function matrixReport(data: MatrixReport, unusedKeys: readonly string[]): Report {
  const { interpretations } = data
  const bad = interpretations.filter(isRejected)
  const cases = interpretations.map((run) => ({
    name: interpretationName(run),
    time: run.durationMs / 1000,
    skipped: run.verdict === 'not exercised' ? 'All responses would have been the same.' : undefined,
    failure: isRejected(run) ? describeFailure(run) : undefined,
    note: run.accepted === null ? undefined : `accepted: ${run.accepted}`,
  }))
  return {
    title: 'Interpretations of the documentation',
    summary: summarize(interpretations),
    sections: [
      {
        head: ['Interpretation', 'Verdict', 'Meaning'],
        rows: interpretations.map((run) => [
          interpretationName(run),
          verdictLine(run),
          run.meaning ?? 'The defaults and the interpretations of the scenario.',
        ]),
      },
      ...bad.flatMap((run): Section[] => {
        const name = interpretationName(run)
        if (run.verdict === 'fails')
          return [{ heading: `${name}: last lines of the output`, code: run.output }]
        return [{ heading: `${name}: exit 0, but it acted differently`, list: describeBehaviour(run) }]
      }),
      {
        heading: 'Accepted:',
        list: interpretations.flatMap((run) =>
          run.accepted === null ? [] : `${interpretationName(run)}: ${run.verdict}, because ${run.accepted}`,
        ),
      },
      { heading: 'Accepted, but no run needed it:', list: unusedKeys },
    ],
    suites: [{ name: 'matrix', cases }],
    data,
  }
}

function describeFailure(run: MatrixRun): { message: string; text: string } {
  return run.verdict === 'fails'
    ? { message: failureReason(run), text: run.output.join('\n') }
    : { message: run.verdict, text: describeBehaviour(run).join('\n') }
}

/** The findings of a run, and the changes that only it or only the first run made. */
function describeBehaviour({ findings, changes }: MatrixRun): string[] {
  const { missing = [], added = [] } = changes ?? {}
  return [
    ...findings.map(({ message }) => message),
    ...added.map((request) => `only with this interpretation: ${request}`),
    ...missing.map((request) => `only without it: ${request}`),
  ]
}

/** `11 survive, 2 fail, 17 not exercised. Changed: geo=object` */
function summarize(interpretations: readonly MatrixRun[]): string {
  const of = (verdict: Verdict): MatrixRun[] => interpretations.filter((one) => one.verdict === verdict)
  const counts: [Verdict, string, always?: boolean][] = [
    ['survives', 'survive', true],
    ['changed', 'changed'],
    ['harm', 'harm'],
    ['fails', 'fail', true],
    ['not exercised', 'not exercised', true],
  ]
  const total = counts
    .flatMap(([verdict, word, always]) => {
      const { length } = of(verdict)
      return length > 0 || always ? `${length} ${word}` : []
    })
    .join(', ')
  const bad = interpretations.filter(isRejected)
  if (bad.length === 0) return total
  return `${total}. Not survived: ${bad.map(interpretationName).join(', ')}`
}
