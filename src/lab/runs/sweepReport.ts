import { type Finding } from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import { groupBy } from '../../lib/groups.ts'
import type { Report } from '../../report/Report.ts'
import { stages, type Stage } from './Cell.ts'
import { countVerdicts, listProblems } from './problems.ts'
import { rareFaults } from './plan.ts'
import { acceptedSections, legend, problemSections, toTestCase, type ReportedRun } from './report.ts'
import { isRed, verdicts, type Verdict } from './verdict.ts'

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
    /** Fields and records that differ between runs without faults. Only how many there are is judged */
    unstable: string[]
  }
  verdicts: Record<Verdict, number>
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
  /** Null if the command failed */
  endState: EndState | null
  /** The client's changes before it failed, one line each; empty if it didn't fail */
  left: string[]
  /** Records that the client doesn't know about, and the ids of the requests that created them */
  orphans: { record: string; request: number }[]
  /** The second run, with `--rerun`. Its result is that of both runs together */
  rerun: { exitCode: number; durationMs: number; endState: EndState } | null
}

/** Parts of a sweep that weren't tried or needed. */
export interface Notes {
  /** Why the overlap stage was left out */
  overlapProblem: string | undefined
  /** Keys of accepted cells that no run needed, and those without a reason */
  unusedKeys: readonly string[]
  unexplainedKeys: readonly string[]
  /** Files of which nothing but the number of lines or values is judged */
  uncompared: readonly string[]
  /** Named cells for which the command makes no call */
  absent: readonly string[]
  /** Milliseconds for which a response was held */
  hold: number
  /** The cells in which the client was still waiting for a held response at its end */
  held: readonly string[]
  /** Operations whose remaining faults were left out after hangs */
  hanging: readonly string[]
  /** Faults that were named, and apply to none of the calls */
  inapplicable: readonly string[]
  mode: 'quick' | 'usual' | 'thorough'
  /** Whether cells, operations or faults were named */
  isSelective: boolean
}

/** The number of runs with each verdict. */
export function verdictCounts(runs: readonly SweepRun[]): SweepReport['verdicts'] {
  const counts = verdicts.map((name) => [name, runs.filter(({ verdict }) => verdict === name).length])
  return Object.fromEntries(counts) as SweepReport['verdicts']
}

/** Renders the problems with their evidence, and then the verdicts of all cells. */
export function sweepReport(data: SweepReport, notes: Notes): Report {
  const { baseline, runs } = data
  const groups = groupBy(runs, ({ stage, operation }) => [stage, operation]).map((all) => ({
    stage: all[0].stage,
    operation: all[0].operation,
    all,
  }))
  return {
    title: 'Behavior of the client under faults',
    summary: summarize(data),
    sections: [
      ...problemSections(runs, 'sweep'),
      {
        head: ['stage', 'operation', 'verdicts'],
        rows: groups.map(({ stage, operation, all }) => [stage, operation, listCells(all)]),
      },
      ...acceptedSections(runs, notes),
      { heading: 'Not tried:', list: listUntried(data, notes) },
      {
        heading: 'Differs between runs without faults, so only how many there are is judged:',
        list: baseline.unstable,
      },
      { heading: 'Files whose content is not judged:', list: notes.uncompared },
      { heading: 'Verdicts:', list: legend(runs, 'sweep') },
    ],
    suites: groups.map(({ stage, operation, all }) => ({
      name: stage === 'first' ? operation : `${operation} ${stage}`,
      cases: all.map((run) => toTestCase(run, 'sweep', stage === 'first' ? run.fault : run.cell)),
      note: legend(all, 'sweep').join('\n'),
    })),
    data,
  }
}

const maxNames = 12

/** `ordered-twice: lost, cut. reported: 503, reset. ok: stale`: faults in the first stage, otherwise cells, whose names have commas */
function listCells(runs: readonly SweepRun[]): string {
  const separator = runs.some(({ cell }) => cell.includes(',')) ? '; ' : ', '
  return verdicts
    .flatMap((verdict) => {
      const names = runs
        .filter((run) => run.verdict === verdict)
        .map(({ stage, fault, cell, operation }) =>
          stage === 'first' ? fault : cell.replace(operation, '').trim(),
        )
      const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
      return names.length > 0 ? `${verdict}: ${names.slice(0, maxNames).join(separator)}${more}` : []
    })
    .join('. ')
}

/** Parts of the plan that only another mode tries */
const rarely = `${rareFaults.join(', ')}: their verdicts never differed from those of unauthenticated, reset and 503; sweep --thorough tries them`
const untried: Readonly<Record<Notes['mode'], string[]>> = {
  quick: ['all stages after the first calls, because of --quick'],
  usual: [
    'calls between the second and the last of an operation; on these two and in a recovery, other faults than 503, lost and stale; in a rerun, other faults than 503 and lost; a second failure on a call that the first one did not cause; a second run after more than ten states: sweep --thorough tries them',
  ],
  thorough: [],
}

function listUntried({ leftOut }: SweepReport, notes: Notes): string[] {
  const { absent, hanging, held, hold, inapplicable, isSelective, mode, overlapProblem } = notes
  const counts = stages.filter((stage) => leftOut[stage] > 0).map((stage) => `${stage}: ${leftOut[stage]}`)
  return [
    ...(counts.length > 0 ? [`cells left out: ${counts.join(', ')}`] : []),
    ...(hanging.length > 0
      ? [`more faults on ${hanging.join(', ')}, after three hangs with the same last request`]
      : []),
    ...inapplicable.map((fault) => `${fault}: it applies to no operation that was tried`),
    ...absent.map((cell) => `${cell}: the command makes no such call`),
    ...(overlapProblem === undefined ? [] : [`overlap: ${overlapProblem}`]),
    ...(held.length > 0
      ? [
          `the program's own timeout: it was still waiting after ${hold / 1000} s (${held.join('; ')}); use --hold`,
        ]
      : []),
    ...(isSelective ? ['what --cell, --only or --faults leave out'] : mode === 'thorough' ? [] : [rarely]),
    ...untried[mode],
    'by any sweep: three failures in one run; more than two workers; what the program prints; binary files, *.log, *.pid, *.lock and *.tmp',
  ]
}

/** `3 problems. 92 runs: 12 ordered-twice, 40 reported, 40 ok` */
function summarize({ runs }: SweepReport): string {
  const { length } = listProblems(runs)
  const accepted = runs.filter((run) => isRed(run.verdict) && run.accepted !== null).length
  const found = length === 0 ? 'No problem' : counted(length, 'problem')
  return `${found}. ${counted(runs.length, 'run')}: ${countVerdicts(runs)}${accepted > 0 ? ` (${accepted} accepted)` : ''}`
}
