import type { Finding, JournalEntry } from '../admin/shapes.ts'
import { mishaps } from '../faults/namedFaults.ts'
import { counted } from '../lib/text.ts'
import { filled, type Case, type Part, type Report } from '../report/Report.ts'
import { isBad, markOf, meanings, type Verdict } from './verdicts.ts'

/** The result of a sweep, as `--json` prints it and `--report FILE.json` writes it. */
export interface SweepReport {
  command: string[]
  /** Whether every fault was tried, and no verdict is `harm`, `swallowed` or `hang` */
  passed: boolean
  /** Time limit of a run, in seconds */
  timeout: number
  /** The run without faults */
  baseline: {
    durationMs: number
    requests: number
    /** The operations that the command calls, in the order of their first calls */
    operations: string[]
    findings: Finding[]
    /** Subjects that a second run without faults left otherwise, and that aren't judged */
    unsteady: string[]
  }
  verdicts: Record<Verdict, number>
  runs: SweepRun[]
  /** How many runs are missing because the sweep was interrupted */
  notRun: number
}

/** A run with one fault. */
export interface SweepRun {
  operation: string
  fault: string
  verdict: Verdict
  exitCode: number
  timedOut: boolean
  durationMs: number
  requests: number
  /** Findings that the runs without faults don't have */
  findings: Finding[]
  /** How the end state differs from the runs without faults, a line each; null if the command failed */
  endState: { missing: string[]; added: string[] } | null
  /** The requests behind a bad verdict, the oldest first: the one that was struck, and its consequences */
  shown: ShownRequest[]
  /** The last lines that the command printed */
  output: string[]
  /** The command that repeats this run */
  repeat: string
  /** File of a scenario with the world just before the struck call and the fault armed */
  repro: string | null
}

export type ShownRequest = Pick<
  JournalEntry,
  'id' | 'method' | 'path' | 'status' | 'case' | 'reason' | 'change'
> & {
  /** Whether it is the one that the fault struck */
  struck: boolean
}

/** A grid of verdicts, and why the bad ones are bad. */
export function sweepReport(data: SweepReport): Report {
  const { runs, baseline } = data
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  // Documented cases first
  const rank = (fault: string): number => mishaps.findIndex(({ name }) => name === fault)
  const faults = [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  return {
    title: 'What the client does when things go wrong',
    summary: summaryOf(data),
    parts: filled([
      {
        isGrid: true,
        head: ['fault', ...operations],
        rows: faults.map((fault) => [
          fault,
          ...operations.map((operation) => {
            const run = runs.find((one) => one.operation === operation && one.fault === fault)
            return run ? { text: run.verdict, mark: markOf(run.verdict) } : ''
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
    { code: shown.map(describe) },
    ...(output.length ? [{ lines: ['  the last lines of its output:'] }, { code: output }] : []),
    { list: [...(repro === null ? [] : [`the state just before: ${repro}`]), `again: ${repeat}`] },
  ]
}

function caseOf(run: SweepRun): Case {
  const { fault, verdict, durationMs, shown, repeat, output } = run
  return {
    name: fault,
    time: durationMs / 1000,
    ...(verdict === 'not struck' && { skipped: meanings[verdict] }),
    ...(isBad(verdict) && {
      failure: {
        message: `${verdict}: ${meanings[verdict]}`,
        text: [...reasonsOf(run), ...shown.map(describe), ...output, `again: ${repeat}`].join('\n'),
      },
    }),
  }
}

/** `#3 POST /api/product/101: 422, insufficient-funds, credit 0.50 is less than price 20.00` */
function describe({ id, method, path, status, case: name, reason, struck }: ShownRequest): string {
  const why = [status ?? 'no response', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${why}${struck ? ' ← struck' : ''}`
}

/** Why a run has its verdict, a line each. */
function reasonsOf({ verdict, findings, endState, timedOut, exitCode }: SweepRun): string[] {
  return [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(timedOut ? ['Stopped after the timeout.'] : []),
    ...(verdict === 'harm' && !timedOut ? [`Exited with ${exitCode}.`] : []),
    ...(endState?.missing ?? []).map((line) => `missing: ${line}`),
    ...(endState?.added ?? []).map((line) => `only with the fault: ${line}`),
  ]
}

/** `44 runs: 1 harm, 30 noticed, 13 survived; interrupted, 2 runs missing` */
function summaryOf({ runs, verdicts, notRun }: SweepReport): string {
  const counts = Object.entries(verdicts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
  const missing = notRun > 0 ? `; interrupted, ${counted(notRun, 'run')} missing` : ''
  return `${counted(runs.length, 'run')}: ${counts.join(', ')}${missing}`
}
