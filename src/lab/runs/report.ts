import type { Case, Line, Section } from '../../report/Report.ts'
import type { Description } from './outcome.ts'
import { verdicts, type Verdict } from './verdict.ts'

/*
 * The parts that reports of sweep and matrix share. They describe each run in the reader's words.
 */

/** A run, as reports show it. */
export interface ReportedRun extends Description {
  /** The name of the cell: `orderService#3 lost`, `geo=object` */
  cell: string
  verdict: Verdict
  /** Why the team accepts the verdict, if it does */
  accepted: string | null
  durationMs: number
  /** The lines of the output about the first failure, and the last lines; of the last run if it failed again */
  output: readonly string[]
  /** The command that repeats this run */
  repeat: string
}

/** Whether a verdict reveals a bug of the client. */
export function isBad({ verdict }: Pick<ReportedRun, 'verdict'>): boolean {
  return verdicts[verdict] === 'bad'
}

/** Whether a run fails the command. */
export function isRejected(run: Pick<ReportedRun, 'verdict' | 'accepted'>): boolean {
  return isBad(run) && run.accepted === null
}

export function verdictLine({ verdict }: Pick<ReportedRun, 'verdict'>): Line {
  return { text: verdict, mark: verdicts[verdict] }
}

export type Group<R> = readonly [R, ...R[]]

/**
 * Sections about the rejected runs, those with the same outcome together and the worst first; about remarks on the others; and
 * about accepted runs.
 * @param namesOf names the runs of a group
 * @param repeatsOf says how to repeat them
 * @param unusedKeys keys of accepted cells that no run needed
 */
export function explainRuns<R extends ReportedRun>(
  runs: readonly R[],
  unusedKeys: readonly string[],
  namesOf: (group: Group<R>) => string[] = (group) => group.map(({ cell }) => cell),
  repeatsOf: (group: Group<R>) => string[] = (group) => group.map(({ repeat }) => `Repeat with: ${repeat}`),
): Section[] {
  const passed = runs.filter((run) => !isBad(run))
  return [
    ...groupByOutcome(runs.filter(isRejected)).flatMap((group): Section[] => {
      const [{ headline, verdict, remarks, shown, output, advice }] = group
      return [
        { heading: headline, list: [`${verdict}: ${namesOf(group).join('; ')}`, ...remarks] },
        { code: shown.map(({ text, mark }) => (mark === null ? text : { text, mark })) },
        { lines: output.length > 0 ? ['  The program printed:'] : [] },
        { code: output },
        { list: [...(advice === null ? [] : [`To do: ${advice}`]), ...repeatsOf(group)] },
      ]
    }),
    {
      heading: 'Remarks on runs that pass:',
      list: passed.flatMap((run) => run.remarks.map((remark) => `${run.cell}: ${remark}`)),
    },
    {
      heading: 'Accepted:',
      list: runs.flatMap(({ cell, verdict, accepted }) =>
        accepted === null ? [] : `${cell}: ${verdict}, because ${accepted}`,
      ),
    },
    { heading: 'Accepted, but no run needed it:', list: unusedKeys },
  ]
}

const worstFirst = Object.keys(verdicts) as Verdict[]

function groupByOutcome<R extends ReportedRun>(runs: readonly R[]): Group<R>[] {
  const groups = new Map<string, [R, ...R[]]>()
  for (const run of runs) {
    // Ids, addresses and times differ per run.
    const key = `${run.verdict} ${run.headline.replaceAll(/\d[\d.]*/g, '#')}`
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  const rank = ([{ verdict }]: Group<R>): number => worstFirst.indexOf(verdict)
  return [...groups.values()].toSorted((a, b) => rank(a) - rank(b))
}

export function toTestCase(run: ReportedRun, name = run.cell): Case {
  const { verdict, accepted, durationMs, headline, remarks, shown, output, advice, repeat } = run
  const text = [
    ...remarks,
    ...shown.map((line) => line.text),
    ...(output.length > 0 ? ['The program printed:', ...output] : []),
    ...(advice === null ? [] : [`To do: ${advice}`]),
    `Repeat with: ${repeat}`,
  ].join('\n')
  return {
    name,
    time: durationMs / 1000,
    skipped: verdicts[verdict] === 'none' ? `${headline}.` : undefined,
    failure: isRejected(run) ? { message: `${verdict}: ${headline}`, text } : undefined,
    note: accepted === null ? remarks.join('\n') || undefined : `accepted: ${accepted}`,
  }
}
