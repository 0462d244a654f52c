import { groupBy } from '../../lib/groups.ts'
import type { Case, Line, Section } from '../../report/Report.ts'
import { type Finding } from '../simulator.ts'
import type { Explanation } from './explain.ts'
import { explainingFindings, isRejected, listProblems, verdictText, type Judged } from './problems.ts'
import type { ShownLine } from './shown.ts'
import { describeVerdict, markOf, verdicts, type Trials } from './verdict.ts'

/*
 * The parts that reports of sweep and matrix share: problems with their evidence, then the other runs.
 */

/** A run, as reports show it. */
export interface ReportedRun extends Explanation, Judged {
  /** The name of the cell: `orderService#3 lost`, `geo=object` */
  cell: string
  durationMs: number
  findings: Finding[]
  /** For a red verdict: the requests in the order in which they were sent, with faults, wrong calls, kills and ends of runs */
  shown: ShownLine[]
  /** For a red verdict: the last lines that the command printed */
  output: readonly string[]
  /** The command that repeats this run */
  repeat: string
}

export function verdictLine(run: Pick<ReportedRun, 'verdict' | 'findings'>): Line {
  return { text: verdictText(run), mark: markOf(run.verdict) }
}

const nouns: Record<Trials, string> = { sweep: 'cell', matrix: 'interpretation' }

/** Sections about the problems: why, the first run's requests, what to do, and how to repeat it. */
export function problemSections(runs: readonly ReportedRun[], command: Trials): Section[] {
  return listProblems(runs).flatMap((problem, i): Section[] => {
    const [run] = problem
    const { why, shown, output, advice, repeat } = run
    const isSentence = run.verdict === 'stuck' || explainingFindings(run.verdict, run.findings).length > 0
    const sentence = describeVerdict(run.verdict).sentence[command]
    const [first = sentence, ...lines] = isSentence ? why : [sentence, ...why]
    const others = otherFindings(run)
    return [
      {
        heading: `${i + 1}. ${verdictText(run)}: ${first}`,
        list: [...lines, ...others, foldCells(problem, nouns[command])],
      },
      { code: shown.map(({ text, mark }) => (mark === null ? text : { text, mark })) },
      { lines: output.length > 0 ? ['  The program printed:'] : [] },
      { code: output },
      { list: [...(advice === null ? [] : [`To do: ${advice}`]), `Repeat with: ${repeat}`] },
    ]
  })
}

/** The findings besides those that explain the verdict. */
function otherFindings({ verdict, findings }: ReportedRun): string[] {
  const explaining = explainingFindings(verdict, findings)
  return findings
    .filter((one) => !explaining.includes(one))
    .map(({ finding, message }) => `also ${finding}: ${message}`)
}

const maxCells = 10

/** `3 cells: orderService lost, cut; orderService#3 lost` */
function foldCells(problem: readonly ReportedRun[], noun: string): string {
  const names = problem.slice(0, maxCells).map(({ cell }) => cell)
  // Cells of the same call share its name.
  const isSingle = (name: string): boolean => /^\S+ \S+$/.test(name)
  const folded = groupBy(names, (name) => [isSingle(name) ? name.split(' ', 1)[0] : name]).map(
    ([first, ...others]) => [first, ...others.map((name) => name.slice(name.indexOf(' ') + 1))].join(', '),
  )
  const more = problem.length > maxCells ? `; and ${problem.length - maxCells} more` : ''
  const count = problem.length === 1 ? `1 ${noun}` : `${problem.length} ${noun}s`
  return `${count}: ${folded.join('; ')}${more}`
}

/** Sections about accepted runs. */
export function acceptedSections(
  runs: readonly ReportedRun[],
  { unusedKeys, unexplainedKeys }: { unusedKeys: readonly string[]; unexplainedKeys: readonly string[] },
): Section[] {
  return [
    {
      heading: 'Accepted:',
      list: runs.flatMap(({ cell, verdict, accepted }) =>
        accepted === null ? [] : `${cell}: ${verdict}, because ${accepted}`,
      ),
    },
    { heading: 'Accepted, but without a reason of your own:', list: unexplainedKeys },
    { heading: 'Accepted, but no run needed it:', list: unusedKeys },
  ]
}

/** A sentence for each verdict that occurs. */
export function legend(runs: readonly ReportedRun[], command: Trials): string[] {
  return verdicts
    .filter((name) => runs.some(({ verdict }) => verdict === name))
    .map((name) => `${name}: ${describeVerdict(name).sentence[command]}`)
}

export function toTestCase(run: ReportedRun, command: Trials, name = run.cell): Case {
  const { verdict, accepted, durationMs, why, shown, output, advice, repeat } = run
  const sentence = describeVerdict(verdict).sentence[command]
  const text = [
    ...why,
    ...otherFindings(run),
    ...shown.map((line) => line.text),
    ...(output.length > 0 ? ['The program printed:', ...output] : []),
    ...(advice === null ? [] : [`To do: ${advice}`]),
    `Repeat with: ${repeat}`,
  ].join('\n')
  return {
    name,
    time: durationMs / 1000,
    skipped: verdict === 'not-tried' ? sentence : undefined,
    failure: isRejected(run) ? { message: `${verdictText(run)}: ${why[0] ?? sentence}`, text } : undefined,
    note: accepted === null ? undefined : `${verdict}, accepted: ${accepted}`,
  }
}
