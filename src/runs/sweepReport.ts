import { counted } from '../lib/text.ts'
import { mishaps } from '../faults/namedFaults.ts'
import { filled, type Mark, type Part, type Report } from '../report/Report.ts'
import type { ShownRequest, SweepReport, SweepRun } from './SweepRun.ts'
import { isBad, meanings, type Verdict } from './verdicts.ts'

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

/** `#3 POST /api/product/101: 422, insufficient-funds, credit 0.50 is less than price 20.00` */
export function describeRequest(request: ShownRequest): string {
  const { id, method, path, status, case: name, reason, struck } = request
  const why = [status ?? 'no response', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${why}${struck ? ' ← struck' : ''}`
}

/** Why a run has its verdict, a line each. */
export function reasonsOf({ verdict, findings, endState, timedOut, exitCode }: SweepRun): string[] {
  return [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(verdict === 'hang' || (verdict === 'harm' && timedOut) ? ['Stopped after the timeout.'] : []),
    ...(verdict === 'harm' && !timedOut ? [`Exited with ${exitCode}.`] : []),
    ...(endState?.missing ?? []).map((line) => `missing: ${line}`),
    ...(endState?.added ?? []).map((line) => `only with the fault: ${line}`),
  ]
}

/** `44 runs: 1 harm, 30 noticed, 13 survived; interrupted, 2 runs missing` */
export function tally({ runs, verdicts: counts, notRun }: SweepReport): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
  const missing = notRun > 0 ? `; interrupted, ${counted(notRun, 'run')} missing` : ''
  return `${counted(runs.length, 'run')}: ${parts.join(', ')}${missing}`
}

/** The operations of some runs, each once. */
export function operationsOf(runs: readonly SweepRun[]): string[] {
  return [...new Set(runs.map(({ operation }) => operation))]
}

/** The faults of some runs, each once, documented cases first. */
export function faultsOf(runs: readonly SweepRun[]): string[] {
  const rank = (fault: string): number => mishaps.findIndex(({ name }) => name === fault)
  return [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
}
