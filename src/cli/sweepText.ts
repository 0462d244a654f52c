import { describeChange, describeRequest, meanings, reasonsOf, tally } from '../sweep/describeRun.ts'
import { gridOf, operationsOf } from '../sweep/gridOf.ts'
import { isBad, type Verdict } from '../sweep/judge.ts'
import type { SweepReport, SweepRun } from '../sweep/SweepReport.ts'
import { painter } from './paint.ts'
import { table } from './table.ts'

export function sweepText(report: SweepReport): string {
  const { runs, baseline } = report
  return [
    ...grids(runs),
    '',
    ...runs.filter(({ verdict }) => isBad(verdict)).flatMap((run) => [badRun(run), '']),
    ...(baseline.unsteady.length
      ? [`Not judged, as it differs from run to run without any fault: ${baseline.unsteady.join('; ')}`, '']
      : []),
    tally(report),
  ].join('\n')
}

const colours = {
  harm: 'red',
  swallowed: 'red',
  hang: 'red',
  noticed: 'green',
  survived: 'green',
  'not struck': 'yellow',
} as const satisfies Record<Verdict, string>

/** A verdict in its colour. */
export function verdictWord(verdict: Verdict, stream: NodeJS.WriteStream): string {
  return painter(stream)(colours[verdict], verdict)
}

/** Grids with as many operations side by side as fit into the terminal. */
function grids(runs: readonly SweepRun[]): string[] {
  const width = process.stdout.columns || 120
  const first = Math.max(...runs.map(({ fault }) => fault.length))
  const blocks: string[][] = [[]]
  let used = first
  for (const operation of operationsOf(runs)) {
    used += 2 + Math.max(operation.length, 'not struck'.length)
    const isFull = used > width && blocks.at(-1)?.length
    if (isFull) blocks.push([])
    if (isFull) used = first + 2 + operation.length
    blocks.at(-1)?.push(operation)
  }
  const paint = painter(process.stdout)
  return blocks.map((operations) => {
    const { head, rows } = gridOf(runs, operations, (verdict) => verdict)
    // Coloured after layout, as tables count the escape codes as characters.
    return `\n${table([head, ...rows]).replace(/\b(harm|swallowed|hang)\b/g, (word) => paint('red', word))}`
  })
}

function badRun(run: SweepRun): string {
  const paint = painter(process.stdout)
  const { operation, fault, verdict, shown, output, repeat, repro } = run
  return [
    `${verdictWord(verdict, process.stdout)} ${paint('bold', `${operation} × ${fault}`)}: ${meanings[verdict]}`,
    ...reasonsOf(run).map((line) => `  ${line}`),
    ...shown.flatMap((request) => {
      const change = describeChange(request)
      return [`  ${describeRequest(request)}`, ...(change === undefined ? [] : [`     change ${change}`])]
    }),
    ...(output.some((line) => line !== '')
      ? ['  the last lines of its output:', ...output.map((line) => `    ${line}`)]
      : []),
    ...(repro === null ? [] : [`  its world just before: ${repro}`]),
    `  again: ${repeat}`,
  ].join('\n')
}
