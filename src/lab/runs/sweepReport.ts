import { type Finding, crash, genericFaults } from '../simulator.ts'
import type { JournalEntry } from '../../contract/shapes.ts'
import { counted } from '../../lib/text.ts'
import type { Case, Line, Mark, Section, Report } from '../../report/Report.ts'
import { getLineSubject } from './ClientChanges.ts'

/** The verdicts on a run, the worst first, with their meanings. */
const verdicts = {
  harm: { mark: 'bad', meaning: 'The client did something that would cause damage in production.' },
  doubled: { mark: 'bad', meaning: 'The two runs together added more records than one run without faults.' },
  orphaned: { mark: 'bad', meaning: 'An order is paid for, and the client never learned of it.' },
  swallowed: {
    mark: 'bad',
    meaning: 'The client exited with 0, although the end state differs from the run without faults.',
  },
  diverged: {
    mark: 'bad',
    meaning: 'The second run exited with 0, although the end state differs from one run without faults.',
  },
  stuck: { mark: 'bad', meaning: 'The second run failed too.' },
  hang: { mark: 'bad', meaning: 'The client did not finish in time.' },
  noticed: { mark: 'good', meaning: 'The client exited with an error.' },
  recovered: { mark: 'good', meaning: 'The second run reached the end state of one run without faults.' },
  survived: { mark: 'good', meaning: 'The client exited with 0 and reached the same end state.' },
  'not triggered': { mark: 'none', meaning: "The call wasn't made, so there is no result." },
} satisfies Record<string, { mark: Mark; meaning: string }>

export type Verdict = keyof typeof verdicts

/** The result of a sweep, as in `--json` and in `--report FILE.json`. */
export interface SweepReport {
  command: readonly string[]
  /** Whether no verdict is bad */
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
    /** Fields and records that differ between two runs without faults. They aren't judged, but a field that both set must be set */
    unstable: string[]
  }
  verdicts: Record<Verdict, number>
  runs: SweepRun[]
}

/** The differences of an end state from the run without faults, one line each. */
export interface EndState {
  missing: string[]
  added: string[]
}

/** A run with one fault. */
export interface SweepRun {
  operation: string
  fault: string
  verdict: Verdict
  exitCode: number
  durationMs: number
  /** Findings that the runs without faults don't have */
  findings: Finding[]
  /** Null if the command failed */
  endState: EndState | null
  /** The client's changes before it failed, one line each; empty if it didn't fail */
  left: string[]
  /** Records that the client doesn't know about, and the ids of the requests that created them */
  orphans: { record: string; request: number }[]
  /** The second run, with `--rerun`. Its end state is that of both runs together */
  rerun: { exitCode: number; durationMs: number; endState: EndState } | null
  /** The requests behind a bad verdict: the one on which the fault triggered, and later ones that changed something or failed */
  shown: JournalEntry[]
  /** The command that repeats this run */
  repeat: string
  /** File of a scenario with the account just before the call, with the fault added */
  repro: string | null
}

/** Details of a run that the JSON report leaves out. */
export interface Details {
  /** The output of the command */
  output: readonly string[]
  /** Whether there is an order that no response of either run showed */
  hasUnseenOrder: boolean
}

type DetailsByRun = ReadonlyMap<SweepRun, Details>

/** Whether a verdict reveals a bug of the client. */
export function isBad({ verdict }: Pick<SweepRun, 'verdict'>): boolean {
  return verdicts[verdict].mark === 'bad'
}

export function verdictLine({ verdict }: Pick<SweepRun, 'verdict'>): Line {
  return { text: verdict, mark: verdicts[verdict].mark }
}

const worstFirst = Object.keys(verdicts) as Verdict[]

/** The number of runs with each verdict. */
export function countVerdicts(runs: readonly SweepRun[]): Record<Verdict, number> {
  const counts = worstFirst.map((name) => [name, runs.filter(({ verdict }) => verdict === name).length])
  return Object.fromEntries(counts) as Record<Verdict, number>
}

/** Renders a grid of verdicts, and the reasons for bad verdicts. */
export function sweepReport(data: SweepReport, details: DetailsByRun): Report {
  const { runs, baseline } = data
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  // Documented cases come first.
  const rank = (fault: string): number => [...genericFaults, crash].findIndex(({ name }) => name === fault)
  const faults = [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  const cell = (operation: string, fault: string): Line => {
    const run = runs.find((one) => one.operation === operation && one.fault === fault)
    return run ? verdictLine(run) : ''
  }
  return {
    title: 'Behavior of the client under faults',
    summary: summarize(data),
    sections: [
      {
        isGrid: true,
        head: ['fault', ...operations],
        rows: faults.map((fault) => [fault, ...operations.map((operation) => cell(operation, fault))]),
      },
      ...groupByOutcome(runs).flatMap((group) => explain(group, details)),
      {
        heading: 'Recovered, but no response showed the order to the client:',
        list: runs
          .filter((run) => run.verdict === 'recovered' && details.get(run)?.hasUnseenOrder)
          .map(
            ({ operation, fault, orphans }) =>
              `${operation} × ${fault}: ${orphans.map((one) => one.record).join(', ')}`,
          ),
      },
      {
        heading: 'Differs between two runs without faults, so any value is accepted:',
        list: baseline.unstable,
      },
    ],
    suites: operations.map((operation) => ({
      name: operation,
      cases: runs.filter((run) => run.operation === operation).map((run) => toTestCase(run, details)),
    })),
    data,
  }
}

type Group = [SweepRun, ...SweepRun[]]

/** The bad runs, grouped by outcome, the worst first. */
function groupByOutcome(runs: readonly SweepRun[]): Group[] {
  const groups = new Map<string, Group>()
  for (const run of runs.filter(isBad)) {
    const { verdict, findings, endState, left, orphans, rerun } = run
    const exitCode = endState || verdict === 'hang' ? null : run.exitCode
    const names = findings.map(({ finding, operation }) => [finding, operation])
    const outcome = [
      verdict,
      exitCode,
      names,
      endState,
      left,
      orphans.length,
      rerun?.endState,
      rerun?.exitCode,
    ]
    const key = JSON.stringify(outcome)
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  const rank = ([{ verdict }]: Group): number => worstFirst.indexOf(verdict)
  return [...groups.values()].toSorted((a, b) => rank(a) - rank(b))
}

function explain(group: Group, details: DetailsByRun): Section[] {
  const [first] = group
  const { verdict, shown } = first
  const cells: string[] = []
  const repeatCommands: string[] = []
  for (const { operation, fault, repeat } of firstRunPerOperation(group)) {
    const faults = group.filter((run) => run.operation === operation).map((run) => run.fault)
    cells.push(`${operation} × ${faults.join(', ')}`)
    repeatCommands.push(`repeat with: ${repeat.replace(`--faults ${fault}`, `--faults ${faults.join(' ')}`)}`)
  }
  const output = details.get(first)?.output ?? []
  return [
    { heading: `${verdict} ${cells.join('; ')}: ${verdicts[verdict].meaning}`, list: explainVerdict(first) },
    { code: shown.map(describeCall) },
    { lines: output.length > 0 ? ['  the command printed:'] : [] },
    { code: output },
    {
      list: [
        ...group.flatMap(({ repro }) => (repro === null ? [] : [`state before the call: ${repro}`])),
        ...repeatCommands,
      ],
    },
  ]
}

/** The first run of each operation */
function firstRunPerOperation(group: Group): SweepRun[] {
  return group.filter((run, i) => i === group.findIndex(({ operation }) => operation === run.operation))
}

function toTestCase(run: SweepRun, details: DetailsByRun): Case {
  const { fault, verdict, durationMs, shown, repeat } = run
  const { mark, meaning } = verdicts[verdict]
  const { output = [], hasUnseenOrder } = details.get(run) ?? {}
  const text = [...explainVerdict(run), ...shown.map(describeCall), ...output, `repeat with: ${repeat}`].join(
    '\n',
  )
  return {
    name: fault,
    time: durationMs / 1000,
    skipped: mark === 'none' ? meaning : undefined,
    failure: mark === 'bad' ? { message: `${verdict}: ${meaning}`, text } : undefined,
    note:
      verdict === 'recovered' && hasUnseenOrder ? 'No response showed the order to the client.' : undefined,
  }
}

/**
 * `#3 POST /api/product/101: 422, insufficient-funds, credit 0.50 is less than price 20.00`. In the first request, which
 * triggered the fault, the fault's reason is shortened.
 */
function describeCall({ id, method, path, status, case: name, reason }: JournalEntry, index: number): string {
  const why = [status ?? 'no response', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${index === 0 ? why.replace(/(?:forced by )?fault \d+ \(.*/, 'forced by this sweep') : why}`
}

/** The reasons for a verdict, one line each. */
function explainVerdict({ verdict, findings, endState, left, exitCode, rerun }: SweepRun): string[] {
  const difference = rerun && verdict !== 'harm' ? rerun.endState : endState
  return [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(endState ? [] : [verdict === 'hang' ? 'Stopped after the timeout.' : `Exited with ${exitCode}.`]),
    ...(rerun ? [`The second run exited with ${rerun.exitCode}.`] : []),
    ...(difference ? renderDifferences(difference) : left.map((line) => `changed before that: ${line}`)),
  ]
}

/** `reseller: credit: expected 230.00, got no change`; `reseller: new invoice (amount 20): expected, but not added` */
function renderDifferences({ missing, added }: EndState): string[] {
  const getValues = (lines: readonly string[], subject: string): string[] =>
    lines.filter((line) => getLineSubject(line) === subject).map((line) => line.slice(subject.length + 2))
  return [...new Set([...missing, ...added].map(getLineSubject))].map((subject) => {
    const [missingValues, addedValues] = [missing, added].map((lines) => getValues(lines, subject))
    if (missingValues?.includes('added')) return `${subject}: expected, but not added`
    if (addedValues?.includes('added')) return `${subject}: added, but not expected`
    const [expected, got] = [missingValues, addedValues].map((values) => values?.join(' and ') || 'no change')
    return `${subject}: expected ${expected}, got ${got}`
  })
}

/** `44 runs: 1 harm, 30 noticed, 13 survived` */
function summarize({ runs, verdicts: counts }: SweepReport): string {
  const occurring = Object.entries(counts).filter(([, count]) => count > 0)
  return `${counted(runs.length, 'run')}: ${occurring.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`
}
