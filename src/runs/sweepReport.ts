import type { Finding, JournalEntry } from '../admin/shapes.ts'
import { genericFaults } from '../faults/namedFaults.ts'
import { counted } from '../lib/text.ts'
import type { Case, Line, Mark, Part, Report } from '../report/Report.ts'
import type { Run } from './trials.ts'

/** The verdicts on a run, the worst first, and what each means. */
const verdicts = {
  harm: { mark: 'bad', meaning: 'The client did something that does damage in production.' },
  swallowed: {
    mark: 'bad',
    meaning: 'The client exited with 0, although the end state differs from the run without faults.',
  },
  hang: { mark: 'bad', meaning: 'The client did not finish in time.' },
  noticed: { mark: 'good', meaning: 'The client exited with an error.' },
  survived: { mark: 'good', meaning: 'The client exited with 0 and reached the same end state.' },
  'not triggered': { mark: 'none', meaning: "The call wasn't made; no result." },
} satisfies Record<string, { mark: Mark; meaning: string }>

export type Verdict = keyof typeof verdicts

/** The result of a sweep, as `--json` prints it and `--report FILE.json` writes it. */
export interface SweepReport {
  command: readonly string[]
  /** Whether no verdict is `harm`, `swallowed` or `hang` */
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
}

/** A run with one fault. */
export interface SweepRun extends Run {
  operation: string
  fault: string
  verdict: Verdict
  /** Findings that the runs without faults don't have */
  findings: Finding[]
  /** How the end state differs from the runs without faults, a line each; null if the command failed */
  endState: { missing: string[]; added: string[] } | null
  /** The requests behind a bad verdict: the one that the fault struck, and those after it that changed something or failed */
  shown: JournalEntry[]
  /** The command that repeats this run */
  repeat: string
  /** File of a scenario with the account just before the struck call and the fault armed */
  repro: string | null
}

/** Whether it reveals a bug of the client. */
export function isBad({ verdict }: Pick<SweepRun, 'verdict'>): boolean {
  return verdicts[verdict].mark === 'bad'
}

export function lineOf({ verdict }: Pick<SweepRun, 'verdict'>): Line {
  return { text: verdict, mark: verdicts[verdict].mark }
}

/** How often each verdict was passed. */
export function countsOf(runs: readonly SweepRun[]): Record<Verdict, number> {
  const counts = Object.keys(verdicts).map((name) => [
    name,
    runs.filter(({ verdict }) => verdict === name).length,
  ])
  return Object.fromEntries(counts) as Record<Verdict, number>
}

/** A grid of verdicts, and why the bad ones are bad. */
export function sweepReport(data: SweepReport): Report {
  const { runs, baseline } = data
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  // Documented cases first
  const rank = (fault: string): number => genericFaults.findIndex(({ name }) => name === fault)
  const faults = [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  const cell = (operation: string, fault: string): Line => {
    const run = runs.find((one) => one.operation === operation && one.fault === fault)
    return run ? lineOf(run) : ''
  }
  return {
    title: 'What the client does when things go wrong',
    summary: summaryOf(data),
    parts: [
      {
        isGrid: true,
        head: ['fault', ...operations],
        rows: faults.map((fault) => [fault, ...operations.map((operation) => cell(operation, fault))]),
      },
      ...runs.filter(isBad).flatMap(explain),
      { heading: 'Differences between two fault-free runs, which are not judged', list: baseline.unsteady },
    ],
    suites: operations.map((operation) => ({
      name: operation,
      cases: runs.filter((run) => run.operation === operation).map(caseOf),
    })),
    data,
  }
}

function explain(run: SweepRun): Part[] {
  const { operation, fault, verdict, shown, output, repeat, repro } = run
  const heading = `${verdict} ${operation} × ${fault}: ${verdicts[verdict].meaning}`
  return [
    { heading, list: reasonsOf(run) },
    { code: shown.map(describe) },
    { lines: output.length > 0 ? ['  the last lines of its output:'] : [] },
    { code: output },
    { list: [...(repro === null ? [] : [`the state just before: ${repro}`]), `again: ${repeat}`] },
  ]
}

function caseOf(run: SweepRun): Case {
  const { fault, verdict, durationMs, shown, repeat, output } = run
  const { mark, meaning } = verdicts[verdict]
  const text = [...reasonsOf(run), ...shown.map(describe), ...output, `again: ${repeat}`].join('\n')
  return {
    name: fault,
    time: durationMs / 1000,
    skipped: mark === 'none' ? meaning : undefined,
    failure: mark === 'bad' ? { message: `${verdict}: ${meaning}`, text } : undefined,
  }
}

/** `#3 POST /api/product/101: 422, insufficient-funds, credit 0.50 is less than price 20.00`; the first was struck. */
function describe({ id, method, path, status, case: name, reason }: JournalEntry, at: number): string {
  const why = [status ?? 'no response', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${at === 0 ? why.replace(/forced by fault.*/, 'forced by this sweep') : why}`
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

/** `44 runs: 1 harm, 30 noticed, 13 survived` */
function summaryOf({ runs, verdicts: counts }: SweepReport): string {
  const passed = Object.entries(counts).filter(([, count]) => count > 0)
  return `${counted(runs.length, 'run')}: ${passed.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`
}
