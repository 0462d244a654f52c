import { junit } from '../junit.ts'
import { markdownTable } from '../markdownTable.ts'
import { fenced } from './fenced.ts'
import { nameOf, type ReadingVerdict } from './readings.ts'
import { json, type Renderers } from './reports.ts'

/** The result of a matrix, as `--json` prints it and `--report FILE.json` writes it. */
export interface MatrixReport {
  /** Whether the client survives every reading, and sent any request at all */
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

export const matrixExtensions = ['.md', '.json', '.xml']

export function matrixReports(report: MatrixReport): Renderers {
  return {
    '.md': () => markdown(report),
    '.json': () => json(report),
    '.xml': () =>
      junit('readings of the documentation', [
        {
          name: 'matrix',
          cases: report.readings.map((reading) => ({
            name: nameOf(reading),
            time: reading.durationMs / 1000,
            ...(reading.verdict === 'not asked' && {
              skipped: 'the command never called an operation it is about',
            }),
            ...(reading.verdict === 'fails' && {
              failure: { message: whyFailed(reading), text: reading.output.join('\n') },
            }),
          })),
        },
      ]),
  }
}

function markdown({ readings }: MatrixReport): string {
  const explained = readings.filter(({ verdict, output }) => verdict === 'fails' && output.length > 0)
  return [
    '# Readings of the documentation',
    '',
    `The client survives ${readings.filter(({ verdict }) => verdict === 'survives').length} of ${readings.length}.`,
    '',
    markdownTable(
      ['', 'Reading', 'Verdict', 'What it means'],
      readings.map((reading) => [
        marks[reading.verdict],
        `\`${nameOf(reading)}\``,
        describeVerdict(reading),
        reading.meaning ?? 'As the scenario has it.',
      ]),
    ),
    '',
    ...explained.flatMap((reading) => [`## ${nameOf(reading)}`, '', ...fenced(reading.output, '')]),
  ].join('\n')
}

const marks: Record<ReadingVerdict, string> = { survives: '✅', fails: '❌', 'not asked': '➖' }

/** With the reason if it fails: `fails (exit 4)` */
export function describeVerdict(run: MatrixRun): string {
  return run.verdict === 'fails' ? `fails (${whyFailed(run)})` : run.verdict
}

/** `exit 4`, or that it took too long */
export function whyFailed({ timedOut, exitCode }: Pick<MatrixRun, 'timedOut' | 'exitCode'>): string {
  return timedOut ? 'out of time' : `exit ${exitCode}`
}
