import type { SimulatorOptions } from '../SimulatorOptions.ts'
import type { Mark, Report } from '../report/Report.ts'
import { filled } from '../report/Report.ts'
import type { Simulation } from '../Simulation.ts'
import { concurrently } from './concurrently.ts'
import { inEveryWorld } from './inEveryWorld.ts'
import { judgeReading, nameOf, readingsOf, type Reading, type ReadingVerdict } from './readings.ts'
import { firstAccount, runAgainstSimulator, type RunSettings } from './runAgainstSimulator.ts'

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
  verdict: ReadingVerdict
  exitCode: number
  timedOut: boolean
  requests: number
  /** The last lines that the command printed */
  output: string[]
  durationMs: number
}

export interface MatrixSettings extends Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  only: readonly string[]
  jobs: number
  /** Milliseconds for a run */
  timeout: number
  /** Called after each run */
  onRun: (run: MatrixRun, number: number, all: number, output: string) => void
}

/**
 * Runs a command with the scenario's own readings, and then once for each other reading of what the documentation leaves
 * open. If the first run fails or sends no request, the others would say nothing, so it is the only one.
 * @returns undefined if it was interrupted
 * @throws UserError if `only` names an unknown reading
 */
export async function matrix(settings: MatrixSettings): Promise<MatrixReport | undefined> {
  const { simulator, only, jobs, signals } = settings
  const { contract, world } = await firstAccount(simulator)
  const others = readingsOf(contract, { ...world.assumptions, ...world.limits }, only)
  let done = 0
  const run = async (reading: Reading | undefined): Promise<MatrixRun | undefined> => {
    const { result, printed } = await tryReading(reading, settings)
    if (signals.received) return undefined
    settings.onRun(result, ++done, others.length + 1, printed)
    return result
  }
  const first = await run(undefined)
  if (!first) return undefined
  if (first.verdict !== 'survives') return { survives: false, readings: [first] }
  const rest = await concurrently(others, jobs, run)
  if (rest.length < others.length) return undefined
  return {
    survives: rest.every(({ verdict }) => verdict !== 'fails'),
    readings: [first, ...rest],
  }
}

async function tryReading(
  reading: Reading | undefined,
  { command, simulator, timeout, signals }: MatrixSettings,
): Promise<{ result: MatrixRun; printed: string }> {
  let printed = ''
  const observed = await runAgainstSimulator({
    command,
    simulator: withReading(simulator, reading),
    env: { PROXYSIM_READING: nameOf(reading) },
    timeout,
    journal: 0,
    signals,
    onOutput: (text) => (printed += text),
    prepare: ({ simulation }) => reading && letTimeHelp(simulation, reading),
  })
  const { exitCode, timedOut, duration, output, seen } = observed
  const { assumption = null, value = null, meaning = null } = reading ?? {}
  const verdict = judgeReading(reading, observed)
  const durationMs = Math.round(duration)
  const { requests } = seen
  return {
    result: { assumption, value, meaning, verdict, exitCode, timedOut, requests, output, durationMs },
    printed,
  }
}

/** The limit after which what is ordered in another state becomes what it is by default */
const helpingLimits: Readonly<Record<string, 'activation' | 'payment'>> = {
  orderedService: 'activation',
  orderedInvoice: 'payment',
}

/** What is ordered as Pending or unpaid is Active or paid a second later, so that a client that polls survives. */
function letTimeHelp(simulation: Simulation, { assumption }: Reading): void {
  const limit = helpingLimits[assumption]
  if (limit !== undefined)
    inEveryWorld(simulation, ({ limits }) =>
      limits[limit] === undefined ? { limits: { [limit]: 1 } } : undefined,
    )
}

function withReading(simulator: SimulatorOptions, reading: Reading | undefined): SimulatorOptions {
  if (!reading) return simulator
  return { ...simulator, assumptions: { ...simulator.assumptions, [reading.assumption]: reading.value } }
}

export const marks: Record<ReadingVerdict, Mark> = { survives: 'good', fails: 'bad', 'not asked': 'none' }

export function matrixReport(data: MatrixReport): Report {
  const { readings } = data
  return {
    title: 'Interpretations of the documentation',
    summary: summaryOf(data),
    parts: filled([
      {
        head: ['Reading', 'Verdict', 'What it means'],
        rows: readings.map((run) => [
          nameOf(run),
          { text: describeVerdict(run), mark: marks[run.verdict] },
          run.meaning ?? 'The default reading, unless the scenario has another.',
        ]),
      },
      ...readings
        .filter(({ verdict }) => verdict === 'fails')
        .flatMap((run) => [
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
            skipped: 'It never called an operation that the reading affects.',
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

/** With the reason if it fails: `fails (exit 4)` */
function describeVerdict(run: MatrixRun): string {
  return run.verdict === 'fails' ? `fails (${whyFailed(run)})` : run.verdict
}

/** `exit 4`, or that it took too long */
export function whyFailed({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'out of time' : `exit ${exitCode}`
}

function summaryOf({ readings }: MatrixReport): string {
  const named = (wanted: ReadingVerdict): string[] =>
    readings.filter(({ verdict }) => verdict === wanted).map(nameOf)
  const failed = named('fails')
  const unasked = named('not asked').length
  return [
    failed.length
      ? `The client doesn't survive ${failed.length} of ${readings.length} readings: ${failed.join(', ')}.`
      : `The client survives ${named('survives').length} of ${readings.length} readings.`,
    ...(unasked ? [`${unasked} not tested: it never called an operation that they affect.`] : []),
  ].join(' ')
}
