import { groupBy } from '../../lib/groups.ts'
import { isRed, verdicts, type Verdict } from './verdict.ts'

/*
 * The problems of a report, for all its forms: the red runs, grouped by what explains them.
 */

interface Found {
  finding: string
  severity: string
  operation: string | null
}

/** The parts of a run by which problems are found. */
export interface Judged {
  verdict: Verdict
  /** Why the team accepts the verdict, if it does */
  accepted: string | null
  /** Findings that the runs without faults don't have */
  findings: readonly Found[]
  /** The lines that explain a red verdict: sentences of findings, or lines of the difference */
  why: readonly string[]
}

/** Whether a run fails the command. */
export function isRejected({ verdict, accepted }: Pick<Judged, 'verdict' | 'accepted'>): boolean {
  return isRed(verdict) && accepted === null
}

/** Whether a finding has a verdict of its own. */
export function isAboutOrders(finding: string): boolean {
  return verdicts.some((verdict) => verdict === finding)
}

/** The findings that a verdict is named after or, for bad habits, all that are neither about orders nor of low severity. */
export function explainingFindings<F extends Found>(verdict: Verdict, findings: readonly F[]): F[] {
  return findings.filter(({ finding, severity }) =>
    verdict === 'bad-habit' ? !isAboutOrders(finding) && severity !== 'low' : finding === verdict,
  )
}

/** `bad-habit: retry-after-ignored` */
export function verdictText({ verdict, findings }: Pick<Judged, 'verdict' | 'findings'>): string {
  if (verdict !== 'bad-habit') return verdict
  return `${verdict}: ${[...new Set(explainingFindings(verdict, findings).map(({ finding }) => finding))].join(', ')}`
}

/** Sorts by verdict, the worst first. */
export function sortByVerdict<R extends Pick<Judged, 'verdict'>>(runs: readonly R[]): R[] {
  return runs.toSorted((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict))
}

/** The problems of a report, the worst first: red runs that aren't accepted, with the same verdict for the same reason. */
export function listProblems<R extends Judged>(runs: readonly R[]): (readonly [R, ...R[]])[] {
  return groupBy(sortByVerdict(runs.filter(isRejected)), ({ verdict, findings, why }) => {
    const explaining = explainingFindings(verdict, findings)
    return [
      verdict,
      explaining.length > 0
        ? explaining.map(({ finding, operation }) => [finding, operation])
        : // Ids, addresses and times differ per run; an exit code tells failures apart.
          why.map((line) =>
            line.replaceAll(/(exited with \d+)|\d[\d.]*/g, (_number, exit?: string) => exit ?? '#'),
          ),
    ]
  })
}

/** `12 ordered-twice, 40 reported` */
export function countVerdicts(runs: readonly Pick<Judged, 'verdict'>[]): string {
  return verdicts
    .map((name) => [runs.filter(({ verdict }) => verdict === name).length, name] as const)
    .filter(([count]) => count > 0)
    .map((parts) => parts.join(' '))
    .join(', ')
}
