import { junit, type JunitCase } from '../junit.ts'
import { markdownTable } from '../markdownTable.ts'
import { describeChange, describeRequest, meanings, reasonsOf, tally } from '../sweep/describeRun.ts'
import { gridOf, operationsOf } from '../sweep/gridOf.ts'
import { isBad, type Verdict } from '../sweep/judge.ts'
import type { SweepReport, SweepRun } from '../sweep/SweepReport.ts'
import { fenced } from './fenced.ts'
import { json, type Renderers } from './reports.ts'
import { shellQuote } from './shellQuote.ts'

export const sweepExtensions = ['.md', '.json', '.xml']

export function sweepReports(report: SweepReport): Renderers {
  return {
    '.md': () => markdown(report),
    '.json': () => json(report),
    '.xml': () =>
      junit(
        'sweep',
        operationsOf(report.runs).map((operation) => ({
          name: operation,
          cases: report.runs.filter((run) => run.operation === operation).map(junitCase),
        })),
      ),
  }
}

function junitCase(run: SweepRun): JunitCase {
  const { fault, verdict, durationMs, shown, repeat, output } = run
  return {
    name: fault,
    time: durationMs / 1000,
    ...(verdict === 'not struck' && { skipped: meanings[verdict] }),
    ...(isBad(verdict) && {
      failure: {
        message: `${verdict}: ${meanings[verdict]}`,
        text: [...reasonsOf(run), ...shown.map(describeRequest), ...output, `again: ${repeat}`].join('\n'),
      },
    }),
  }
}

const marks: Record<Verdict, string> = {
  harm: '❌ harm',
  swallowed: '❌ swallowed',
  hang: '❌ hang',
  noticed: '✅ noticed',
  survived: '✅ survived',
  'not struck': '➖ not struck',
}

function markdown(report: SweepReport): string {
  const { runs, command, baseline } = report
  const { head, rows } = gridOf(runs, operationsOf(runs), (verdict) => marks[verdict])
  return [
    '# What the client does when things go wrong',
    '',
    `\`${shellQuote(command)}\`, ${tally(report)}.`,
    '',
    markdownTable(head, rows),
    '',
    ...(baseline.unsteady.length
      ? ['Not judged, as it differs from run to run without any fault:', '', ...list(baseline.unsteady), '']
      : []),
    ...runs.filter(({ verdict }) => isBad(verdict)).flatMap(badRun),
  ].join('\n')
}

function badRun(run: SweepRun): string[] {
  const { operation, fault, verdict, shown, output, repeat, repro } = run
  return [
    `## ${verdict}: ${operation} × ${fault}`,
    '',
    meanings[verdict],
    '',
    ...list(reasonsOf(run)),
    '',
    ...fenced(
      shown.flatMap((request) => {
        const change = describeChange(request)
        return [describeRequest(request), ...(change === undefined ? [] : [`   change ${change}`])]
      }),
    ),
    ...(output.some((line) => line !== '') ? ['The last lines of its output:', '', ...fenced(output)] : []),
    ...(repro === null ? [] : [`Its world just before, as a scenario: \`${repro}\``, '']),
    'Again:',
    '',
    ...fenced([repeat], 'sh'),
  ]
}

function list(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`)
}
