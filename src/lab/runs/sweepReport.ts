import { type Finding, crash, genericFaults } from '../simulator.ts'
import type { JournalEntry } from '../../contract/shapes.ts'
import { counted } from '../../lib/text.ts'
import type { Case, Line, Section, Report } from '../../report/Report.ts'
import { stages, type Stage } from './Cell.ts'
import type { TracedCall } from './Injector.ts'
import type { Description } from './outcome.ts'
import type { TraceLine } from './trace.ts'
import { verdicts, type Verdict } from './verdict.ts'

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
    /** Fields and records that differ between runs without faults. They aren't judged */
    unstable: string[]
  }
  verdicts: Record<Verdict, number>
  /** The number of cells that weren't tried; for `rerun`, also plain second runs */
  leftOut: Record<Stage, number>
  runs: SweepRun[]
}

/** The differences of an end state from the run without faults, one line each. */
export interface EndState {
  missing: string[]
  added: string[]
}

/** A run with one or two faults. */
export interface SweepRun extends Description {
  /** The name of the cell: `orderService#3 lost` */
  cell: string
  stage: Stage
  operation: string
  /** Position among the calls of the operation, from 1 */
  call: number
  fault: string
  /** The second fault; its call counts from the first fault, or in the second run */
  then: { operation: string; call: number; fault: string; run: 1 | 2 } | null
  verdict: Verdict
  /** Why the team accepts the verdict, if it does */
  accepted: string | null
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
  /** File of a scenario with the account just before the call, with the faults added */
  repro: string | null
}

/** Details of a run that the JSON report leaves out. */
export interface Details {
  /** The output of the command */
  output: readonly string[]
  /** Whether there is an order that no response of either run showed */
  hasUnseenOrder: boolean
  /** The calls of all runs, in the order in which they arrived, with the faults that triggered on them */
  calls: readonly TracedCall[]
}

/** Parts of a sweep that weren't tried or needed. */
export interface Notes {
  /** Why the overlap stage was left out */
  overlapProblem: string | undefined
  /** Keys of accepted cells that no run needed */
  unusedKeys: readonly string[]
  /** Milliseconds for which a response was held */
  hold: number
  /** Operations of which the rest was left out after hangs */
  hanging: readonly string[]
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
export function sweepReport(data: SweepReport, details: DetailsByRun, notes: Notes): Report {
  const { baseline } = data
  const runs = data.runs.filter(({ stage }) => stage === 'first')
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
      ...listStages(data.runs),
      ...groupByOutcome(data.runs).flatMap((group) => explain(group, details)),
      {
        heading: 'Recovered, but no response showed the order to the client:',
        list: data.runs
          .filter((run) => run.verdict === 'recovered' && details.get(run)?.hasUnseenOrder)
          .map(({ cell: name, orphans }) => `${name}: ${orphans.map((one) => one.record).join(', ')}`),
      },
      {
        heading: 'Remarks on runs that pass:',
        list: data.runs
          .filter((run) => !isBad(run))
          .flatMap((run) => run.remarks.map((remark) => `${run.cell}: ${remark}`)),
      },
      {
        heading: 'Accepted:',
        list: data.runs.flatMap((run) =>
          run.accepted === null ? [] : [`${run.cell}: ${run.headline} (${run.accepted})`],
        ),
      },
      { heading: 'Accepted, but no run needed it:', list: notes.unusedKeys },
      { heading: 'Not tried:', list: listUntried(data, details, notes) },
      {
        heading: 'Differs between runs without faults, so it is not judged:',
        list: baseline.unstable,
      },
    ],
    suites: stages.flatMap((stage) => {
      const all = data.runs.filter((run) => run.stage === stage)
      return [...new Set(all.map(({ operation }) => operation))].map((operation) => ({
        name: stage === 'first' ? operation : `${operation} ${stage}`,
        cases: all.filter((run) => run.operation === operation).map((run) => toTestCase(run, details)),
      }))
    }),
    data,
  }
}

/** The verdicts of the stages after the first. */
function listStages(runs: readonly SweepRun[]): Section[] {
  return stages.slice(1).map((stage) => ({
    head: [stage, 'verdict'],
    rows: runs.filter((run) => run.stage === stage).map((run) => [run.cell, verdictLine(run)]),
  }))
}

function listUntried({ runs, leftOut }: SweepReport, details: DetailsByRun, notes: Notes): string[] {
  const counts = stages.filter((stage) => leftOut[stage] > 0).map((stage) => `${stage}: ${leftOut[stage]}`)
  // A client that is still waiting when the connection is reset would wait longer.
  const held = runs.filter((run) =>
    details
      .get(run)
      ?.calls.some(
        ({ fault, record }) => fault?.name === 'no-response' && record && record.durationMs >= notes.hold,
      ),
  )
  return [
    ...(counts.length > 0 ? [`cells left out: ${counts.join(', ')}`] : []),
    ...(notes.hanging.length > 0
      ? [`the rest of ${notes.hanging.join(', ')}, after three hangs with the same last request`]
      : []),
    ...(notes.overlapProblem === undefined ? [] : [`overlap: ${notes.overlapProblem}`]),
    ...(held.length > 0
      ? [
          `the client's own timeout: it was still waiting after ${notes.hold / 1000} s (${held.map(({ cell }) => cell).join(', ')}); use --hold`,
        ]
      : []),
    'three failures in one run, more than two workers, what the program prints; binary files, *.log, *.pid and *.lock',
  ]
}

type Group = [SweepRun, ...SweepRun[]]

/** The bad runs that aren't accepted, grouped by outcome, the worst first. */
function groupByOutcome(runs: readonly SweepRun[]): Group[] {
  const groups = new Map<string, Group>()
  for (const run of runs.filter((one) => isBad(one) && one.accepted === null)) {
    // Ids, addresses and times differ per run.
    const key = `${run.verdict} ${run.headline.replaceAll(/\d[\d.]*/g, '#')}`
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  const rank = ([{ verdict }]: Group): number => worstFirst.indexOf(verdict)
  return [...groups.values()].toSorted((a, b) => rank(a) - rank(b))
}

function explain(group: Group, details: DetailsByRun): Section[] {
  const [first] = group
  const cells: string[] = []
  const repeatCommands: string[] = []
  for (const { cell, stage, operation, fault, repeat } of firstRunPerOperation(group)) {
    const faults = group
      .filter((run) => run.stage === 'first' && run.operation === operation)
      .map((run) => run.fault)
    cells.push(stage === 'first' ? `${operation} × ${faults.join(', ')}` : cell)
    const names = stage === 'first' ? faults.join(' ') : fault
    repeatCommands.push(`Repeat with: ${repeat.replace(`--faults ${fault}`, `--faults ${names}`)}`)
  }
  const output = details.get(first)?.output ?? []
  return [
    {
      heading: first.headline,
      list: [`${first.verdict}: ${cells.join('; ')}`, ...first.remarks],
    },
    { code: first.trace.map(toLine) },
    { lines: output.length > 0 ? ['  The program printed:'] : [] },
    { code: output },
    {
      list: [
        ...(first.advice === null ? [] : [`To do: ${first.advice}`]),
        ...group.flatMap(({ repro }) => (repro === null ? [] : [`State before the call: ${repro}`])),
        ...new Set(repeatCommands),
      ],
    },
  ]
}

function toLine({ text, mark }: TraceLine): Line {
  return mark === null ? text : { text, mark }
}

/** The runs of the later stages, and of the first stage the first run of each operation */
function firstRunPerOperation(group: Group): SweepRun[] {
  return group.filter(
    ({ stage, operation }, i) =>
      stage !== 'first' ||
      i === group.findIndex((one) => one.stage === 'first' && one.operation === operation),
  )
}

function toTestCase(run: SweepRun, details: DetailsByRun): Case {
  const { cell, stage, fault, verdict, accepted, durationMs, headline, advice, trace, repeat } = run
  const { mark, meaning } = verdicts[verdict]
  const { output = [], hasUnseenOrder } = details.get(run) ?? {}
  const text = [
    ...run.remarks,
    ...trace.map((line) => line.text),
    ...(output.length > 0 ? ['The program printed:', ...output] : []),
    ...(advice === null ? [] : [`To do: ${advice}`]),
    `Repeat with: ${repeat}`,
  ].join('\n')
  return {
    name: stage === 'first' ? fault : cell,
    time: durationMs / 1000,
    skipped: mark === 'none' ? meaning : undefined,
    failure: mark === 'bad' && accepted === null ? { message: `${verdict}: ${headline}`, text } : undefined,
    note:
      accepted !== null
        ? `accepted: ${accepted}`
        : verdict === 'recovered' && hasUnseenOrder
          ? 'No response showed the order to the client.'
          : undefined,
  }
}

/** `44 runs: 1 harm, 30 noticed, 13 survived` */
function summarize({ runs, verdicts: counts }: SweepReport): string {
  const occurring = Object.entries(counts).filter(([, count]) => count > 0)
  return `${counted(runs.length, 'run')}: ${occurring.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`
}
