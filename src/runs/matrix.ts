import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../lib/UserError.ts'
import { filled, type Mark, type Report } from '../report/Report.ts'
import type { Simulation } from '../Simulation.ts'
import { noSuch } from '../world/nearest.ts'
import { inEveryWorld } from './inEveryWorld.ts'
import { firstAccount } from './runAgainstSimulator.ts'
import { concurrently, runTrial, type TrialSettings } from './trials.ts'

/** The result of a matrix, as `--json` prints it and `--report FILE.json` writes it. */
export interface MatrixReport {
  /** Whether the client survives every reading */
  survives: boolean
  readings: MatrixRun[]
}

/** A run with one reading. */
export interface MatrixRun {
  /** null: the scenario's own reading */
  assumption: string | null
  value: string | number | null
  meaning: string | null
  verdict: keyof typeof marks
  exitCode: number
  timedOut: boolean
  requests: number
  /** The last lines that the command printed */
  output: string[]
  durationMs: number
}

export const marks = { survives: 'good', fails: 'bad', 'not asked': 'none' } satisfies Record<string, Mark>

/** A possible reading of something the documentation leaves open. */
interface Reading extends Record<'assumption' | 'meaning', string> {
  value: string | number
  /** The operations that it affects */
  operations: readonly string[]
}

export interface MatrixSettings extends TrialSettings {
  /** Assumptions (`geo`) or readings (`geo=object`); empty: all */
  only: readonly string[]
  /** Milliseconds for a run */
  timeout: number
  onRun: (run: MatrixRun, all: number) => void
}

/**
 * Runs a command with the scenario's own readings, and then once for each other reading of what the documentation leaves
 * open. If the first run fails or sends no request, the others would say nothing, so it is the only one.
 * @returns undefined if it was interrupted
 * @throws UserError if `only` names an unknown reading
 */
export async function matrix(settings: MatrixSettings): Promise<MatrixReport | undefined> {
  const { simulator, only, jobs, timeout } = settings
  const { contract, world } = await firstAccount(simulator)
  const others = readingsOf(contract, { ...world.assumptions, ...world.limits }, only)
  const run = async (reading?: Reading): Promise<MatrixRun | undefined> => {
    const { assumption = null, value = null, meaning = null, operations } = reading ?? {}
    const name = nameOf({ assumption, value })
    const assumptions = {
      ...simulator.assumptions,
      ...(assumption !== null && { [assumption]: value ?? '' }),
    }
    const observed = await runTrial(settings, name, {
      simulator: { ...simulator, assumptions },
      env: { PROXYSIM_READING: name },
      timeout,
      prepare: (simulation) => letTimeHelp(simulation, assumption),
    })
    if (!observed) return undefined
    const { exitCode, timedOut, output, durationMs, seen } = observed
    const { requests } = seen
    const isAsked = operations ? operations.some((operation) => seen.isAsked(operation)) : requests > 0
    const verdict = exitCode !== 0 || timedOut ? 'fails' : isAsked ? 'survives' : 'not asked'
    const done = {
      assumption,
      value,
      meaning,
      verdict,
      exitCode,
      timedOut,
      requests,
      output,
      durationMs,
    } as const
    settings.onRun(done, others.length + 1)
    return done
  }
  const first = await run()
  if (!first) return undefined
  if (first.verdict !== 'survives') return { survives: false, readings: [first] }
  const rest = await concurrently(others, jobs, run)
  if (rest.length < others.length) return undefined
  return { survives: rest.every(({ verdict }) => verdict !== 'fails'), readings: [first, ...rest] }
}

/** All readings except the present ones. @throws UserError */
function readingsOf(
  { assumptions }: Contract,
  present: Readonly<Record<string, unknown>>,
  only: readonly string[],
): Reading[] {
  const all = assumptions.flatMap(({ id, default: usual, alternatives, meaning, operations }) =>
    [usual, ...alternatives]
      .filter((value) => value !== (present[id] ?? usual))
      .map((value) => ({ assumption: id, value, meaning: meaning[value] ?? '', operations })),
  )
  const names = all.flatMap((reading) => [reading.assumption, nameOf(reading)])
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(noSuch('interpretation', unknown, [...new Set(names)]))
  if (only.length === 0) return all
  return all.filter((reading) => only.includes(reading.assumption) || only.includes(nameOf(reading)))
}

/** `productSort=desc`, or `default`: the scenario's own readings */
export function nameOf({ assumption, value }: Pick<MatrixRun, 'assumption' | 'value'>): string {
  return assumption === null ? 'default' : `${assumption}=${value}`
}

/** The limit after which what is ordered in another state becomes what it is by default */
const helpingLimits: Readonly<Record<string, 'activation' | 'payment'>> = {
  orderedService: 'activation',
  orderedInvoice: 'payment',
}

/** What is ordered as Pending or unpaid is Active or paid a second later, so that a client that polls survives. */
function letTimeHelp(simulation: Simulation, assumption: string | null): void {
  const limit = helpingLimits[assumption ?? '']
  if (limit !== undefined)
    inEveryWorld(simulation, ({ limits }) =>
      limits[limit] === undefined ? { limits: { [limit]: 1 } } : undefined,
    )
}

export function matrixReport(data: MatrixReport): Report {
  const { readings } = data
  const failed = readings.filter(({ verdict }) => verdict === 'fails')
  return {
    title: 'Interpretations of the documentation',
    summary: summaryOf(readings),
    parts: filled([
      {
        head: ['Interpretation', 'Verdict', 'What it means'],
        rows: readings.map((run) => [
          nameOf(run),
          {
            text: run.verdict === 'fails' ? `fails (${whyFailed(run)})` : run.verdict,
            mark: marks[run.verdict],
          },
          run.meaning ?? 'The defaults, and what the scenario sets.',
        ]),
      },
      ...failed.flatMap((run) => [
        { heading: `${nameOf(run)}: the last lines of its output` },
        { code: run.output },
      ]),
    ]),
    suites: [
      {
        name: 'matrix',
        cases: readings.map((run) => ({
          name: nameOf(run),
          time: run.durationMs / 1000,
          ...(run.verdict === 'not asked' && {
            skipped: 'It never called an operation that this affects.',
          }),
          ...(run.verdict === 'fails' && {
            failure: { message: whyFailed(run), text: run.output.join('\n') },
          }),
        })),
      },
    ],
    data,
  }
}

/** `exit 4`, or that it took too long */
export function whyFailed({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'out of time' : `exit ${exitCode}`
}

function summaryOf(readings: readonly MatrixRun[]): string {
  const named = (wanted: MatrixRun['verdict']): string[] =>
    readings.filter(({ verdict }) => verdict === wanted).map(nameOf)
  const failed = named('fails')
  const unasked = named('not asked').length
  return [
    failed.length
      ? `The client doesn't survive ${failed.length} of ${readings.length} interpretations: ${failed.join(', ')}.`
      : `The client survives ${named('survives').length} of ${readings.length} interpretations.`,
    ...(unasked ? [`${unasked} not tested: it never called an operation that they affect.`] : []),
  ].join(' ')
}
