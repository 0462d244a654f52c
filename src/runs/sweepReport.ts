import { filled, type Mark, type Part, type Report } from '../report/Report.ts'
import type { SweepReport, SweepRun } from './SweepRun.ts'
import {
  describeRequest,
  faultsOf,
  isBad,
  meanings,
  operationsOf,
  reasonsOf,
  tally,
  type Verdict,
} from './verdicts.ts'

export const marks: Record<Verdict, Mark> = {
  harm: 'bad',
  swallowed: 'bad',
  hang: 'bad',
  noticed: 'good',
  survived: 'good',
  'not struck': 'none',
}

/** A grid of verdicts, and why the bad ones are bad. */
export function sweepReport(data: SweepReport): Report {
  const { runs, baseline } = data
  const operations = operationsOf(runs)
  return {
    title: 'What the client does when things go wrong',
    summary: tally(data),
    parts: filled([
      {
        isGrid: true,
        head: ['fault', ...operations],
        rows: faultsOf(runs).map((fault) => [
          fault,
          ...operations.map((operation) => {
            const run = runs.find((one) => one.operation === operation && one.fault === fault)
            return run ? { text: run.verdict, mark: marks[run.verdict] } : ''
          }),
        ]),
      },
      ...runs.filter(({ verdict }) => isBad(verdict)).flatMap(badRun),
      { heading: 'Differences between two fault-free runs, which are not judged' },
      { list: baseline.unsteady },
    ]),
    suites: operations.map((operation) => ({
      name: operation,
      cases: runs.filter((run) => run.operation === operation).map(caseOf),
    })),
    data,
  }
}

function badRun(run: SweepRun): Part[] {
  const { operation, fault, verdict, shown, output, repeat, repro } = run
  return [
    { heading: `${verdict} ${operation} × ${fault}: ${meanings[verdict]}` },
    { list: reasonsOf(run) },
    { code: shown.flatMap((request) => [describeRequest(request), ...changeOf(request)]) },
    ...(output.some((line) => line !== '')
      ? [{ lines: ['  the last lines of its output:'] }, { code: output }]
      : []),
    { list: [...(repro === null ? [] : [`the state just before: ${repro}`]), `again: ${repeat}`] },
  ]
}

/** Characters */
const maxChangeLength = 240

function changeOf({ change }: SweepRun['shown'][number]): string[] {
  if (change === null) return []
  const text = JSON.stringify(change)
  return [`   change ${text.length > maxChangeLength ? `${text.slice(0, maxChangeLength)}…` : text}`]
}

function caseOf(run: SweepRun): Report['suites'][number]['cases'][number] {
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
