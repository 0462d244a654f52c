import { type Finding, crash, genericFaults } from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import type { Line, Report } from '../../report/Report.ts'
import { stages, type Stage } from './Cell.ts'
import { explainRuns, toTestCase, verdictLine, type Group, type ReportedRun } from './report.ts'
import { sweepVerdicts, type Verdict } from './verdict.ts'

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
  verdicts: Partial<Record<Verdict, number>>
  /** The number of cells that weren't tried; for `rerun`, also plain second runs */
  leftOut: Record<Stage, number>
  runs: SweepRun[]
}

/** The differences between a result and that of the run without faults, one line each. */
export interface EndState {
  missing: string[]
  added: string[]
}

/** A run with one or two faults. */
export interface SweepRun extends ReportedRun {
  stage: Stage
  operation: string
  /** Position among the calls of the operation, from 1 */
  call: number
  fault: string
  /** The second fault; its call counts from the first fault, or in the second run */
  then: { operation: string; call: number; fault: string; run: 1 | 2 } | null
  exitCode: number
  /** Findings that the runs without faults don't have */
  findings: Finding[]
  /** Null if the command failed */
  endState: EndState | null
  /** The client's changes before it failed, one line each; empty if it didn't fail */
  left: string[]
  /** Records that the client doesn't know about, and the ids of the requests that created them */
  orphans: { record: string; request: number }[]
  /** The second run, with `--rerun`. Its result is that of both runs together */
  rerun: { exitCode: number; durationMs: number; endState: EndState } | null
  /** File of a scenario with the account just before the call, with the faults added */
  repro: string | null
}

/** Parts of a sweep that weren't tried or needed. */
export interface Notes {
  /** Why the overlap stage was left out */
  overlapProblem: string | undefined
  /** Keys of accepted cells that no run needed */
  unusedKeys: readonly string[]
  /** Milliseconds for which a response was held */
  hold: number
  /** The cells in which the client was still waiting for a held response at its end */
  held: readonly string[]
  /** Operations whose remaining faults were left out after hangs */
  hanging: readonly string[]
  /** Faults that were named, and apply to none of the calls */
  inapplicable: readonly string[]
  mode: 'quick' | 'usual' | 'thorough'
}

/** The number of runs with each verdict. */
export function countVerdicts(runs: readonly SweepRun[]): SweepReport['verdicts'] {
  const counts = sweepVerdicts.map((name) => [name, runs.filter(({ verdict }) => verdict === name).length])
  return Object.fromEntries(counts) as SweepReport['verdicts']
}

/** Renders a grid of verdicts, and the reasons for bad verdicts. */
export function sweepReport(data: SweepReport, notes: Notes): Report {
  const { baseline, runs } = data
  const first = runs.filter(({ stage }) => stage === 'first')
  const operations = [...new Set(first.map(({ operation }) => operation))]
  // Documented cases come first.
  const rank = (fault: string): number => [...genericFaults, crash].findIndex(({ name }) => name === fault)
  const faults = [...new Set(first.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
  const cell = (operation: string, fault: string): Line => {
    const run = first.find((one) => one.operation === operation && one.fault === fault)
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
      ...stages.slice(1).map((stage) => ({
        head: [stage, 'verdict'],
        rows: runs.filter((run) => run.stage === stage).map((run) => [run.cell, verdictLine(run)]),
      })),
      ...explainRuns(runs, notes.unusedKeys, listCells, listRepeats),
      { heading: 'Not tried:', list: listUntried(data, notes) },
      {
        heading: 'Differs between runs without faults, so it is not judged:',
        list: baseline.unstable,
      },
    ],
    suites: stages.flatMap((stage) => {
      const all = runs.filter((run) => run.stage === stage)
      return [...new Set(all.map(({ operation }) => operation))].map((operation) => ({
        name: stage === 'first' ? operation : `${operation} ${stage}`,
        cases: all
          .filter((run) => run.operation === operation)
          .map((run) => toTestCase(run, stage === 'first' ? run.fault : run.cell)),
      }))
    }),
    data,
  }
}

/** Parts of the plan that only another mode tries */
const untried: Readonly<Record<Notes['mode'], string[]>> = {
  quick: ['all stages after the first calls, because of --quick'],
  usual: [
    'calls between the second and the last of an operation; on these two, in a recovery and in a rerun, other faults than 503, lost and stale (no refusal, no crash); a second failure on a call that the first one did not cause; a second run after more than ten states: sweep --thorough tries them',
  ],
  thorough: [],
}

function listUntried({ leftOut }: SweepReport, notes: Notes): string[] {
  const { hanging, held, hold, inapplicable, mode, overlapProblem } = notes
  const counts = stages.filter((stage) => leftOut[stage] > 0).map((stage) => `${stage}: ${leftOut[stage]}`)
  return [
    ...(counts.length > 0 ? [`cells left out: ${counts.join(', ')}`] : []),
    ...(hanging.length > 0
      ? [`more faults on ${hanging.join(', ')}, after three hangs with the same last request`]
      : []),
    ...inapplicable.map((fault) => `${fault}: it applies to no operation that was tried`),
    ...(overlapProblem === undefined ? [] : [`overlap: ${overlapProblem}`]),
    ...(held.length > 0
      ? [
          `the program's own timeout: it was still waiting after ${hold / 1000} s (${held.join(', ')}); use --hold`,
        ]
      : []),
    ...untried[mode],
    'by any sweep: other faults than 503, lost and stale on calls between the second and the last of an operation; a second failure on other calls than the first and the last of an operation; three failures in one run; more than two workers; what the program prints; binary files, *.log, *.pid and *.lock',
  ]
}

/** With --thorough, a group may have a hundred runs. The tables and the JSON have all of them. */
const [maxCells, maxCommands] = [10, 3]

/** `orderService × lost, cut`, `orderService#3 lost` */
function listCells(group: Group<SweepRun>): string[] {
  const cells = firstRunPerOperation(group).map(({ cell, stage, operation }) =>
    stage === 'first' ? `${operation} × ${firstFaults(group, operation).join(', ')}` : cell,
  )
  return abridge(cells, maxCells, (count) => `and ${count} more`)
}

function abridge(texts: string[], max: number, describeRest: (count: number) => string): string[] {
  return texts.length > max ? [...texts.slice(0, max), describeRest(texts.length - max)] : texts
}

/** How to repeat a group: one command for all faults on the first call of an operation. */
function listRepeats(group: Group<SweepRun>): string[] {
  const commands = firstRunPerOperation(group).map(({ stage, operation, fault, repeat }) => {
    const names = stage === 'first' ? firstFaults(group, operation).join(' ') : fault
    return `Repeat with: ${repeat.replace(`--faults ${fault}`, `--faults ${names}`)}`
  })
  const [state, ...others] = group.flatMap(({ repro }) => repro ?? [])
  const more =
    others.length === 0 ? '' : `, and for the other cells ${counted(others.length, 'file')} beside it`
  return [
    ...(state === undefined ? [] : [`State before the call: ${state}${more}`]),
    ...abridge(
      [...new Set(commands)],
      maxCommands,
      (count) => `The JSON (--json) has the commands for the others: ${count} more`,
    ),
  ]
}

function firstFaults(group: Group<SweepRun>, operation: string): string[] {
  return group.filter((run) => run.stage === 'first' && run.operation === operation).map(({ fault }) => fault)
}

/** The runs of the later stages, and of the first stage the first run of each operation */
function firstRunPerOperation(group: Group<SweepRun>): SweepRun[] {
  return group.filter(
    ({ stage, operation }, i) =>
      stage !== 'first' ||
      i === group.findIndex((one) => one.stage === 'first' && one.operation === operation),
  )
}

/** `44 runs: 1 harm, 30 noticed, 13 survived` */
function summarize({ runs, verdicts: counts }: SweepReport): string {
  const occurring = Object.entries(counts).filter(([, count]) => count > 0)
  return `${counted(runs.length, 'run')}: ${occurring.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`
}
