import { isRed, markOf, verdicts, type Verdict } from '../../../src/lab/runs/verdict.ts'
import { isObject } from '../lib/json.ts'
import type { CoverageReport, Finding, JournalEntry } from '../lib/types.ts'

/** A JSON report of a command that judges a client or the simulator. The types name the fields that the page shows. */
export type Report =
  | { kind: 'runs'; data: Runs }
  | { kind: 'exec'; data: Exec }
  | { kind: 'calibrate'; data: Calibration }

/** A report of `sweep`, or of `matrix`, whose interpretations are one more stage */
export interface Runs {
  command?: string[]
  runs: ReportedRun[]
  /** Numbers of cells that weren't tried, by stage */
  leftOut?: Record<string, number>
}

export interface ReportedRun {
  cell: string
  stage: string
  operation: string
  verdict: Verdict
  accepted?: string | null
  exitCode?: number | null
  durationMs?: number
  findings?: Finding[]
  endState?: Difference | null
  rerun?: { exitCode: number; endState?: Difference | null } | null
  /** Set in reports of `matrix`: how the changes differ, and what the interpretation means */
  changes?: Difference | null
  meaning?: string | null
  /** The lines that explain a red verdict, and how to fix it */
  why?: string[]
  advice?: string | null
  shown?: ShownLine[]
  output?: string[]
  repeat?: string
}

/** A line of what happened. That of a request also has its journal entry. */
export interface ShownLine extends Partial<Pick<JournalEntry, 'request' | 'response'>> {
  text: string
  mark: string | null
}

interface Difference {
  missing: string[]
  added: string[]
}

interface Interpretation extends Omit<ReportedRun, 'cell' | 'operation' | 'stage'> {
  /** Null for the scenario's own interpretations */
  assumption: string | null
  value: unknown
}

export interface Exec extends Pick<CoverageReport, 'covered' | 'total' | 'percent'> {
  exitCode: number
  requests: number
  findings: Finding[]
  refusals?: JournalEntry[]
  assumptions?: { id: string; value: unknown; confirmed: boolean }[]
}

export interface Calibration {
  exchanges: { read: number; judged: number }
  assumptions: {
    id: string
    verdict: string
    interpretation: unknown
    default: unknown
    evidence?: number[]
    needs?: { call?: string; effect?: string; reason?: string }[]
  }[]
  violations: { operation: string; status: number; message: string; exchanges: number[] }[]
  behaviour: {
    same: number
    differ: number
    firstObservation?: number
    fidelity: number | null
    differences: { exchange: number; operation: string; real: unknown; ours: unknown }[]
  }
}

/** Recognizes a report by its fields. Returns undefined if the value isn't one. */
export function readReport(json: unknown): Report | undefined {
  if (!isObject(json)) return undefined
  const { command, runs, interpretations, behaviour, assumptions, findings, exitCode } = json
  const data = json as never
  if (isRuns(runs)) return { kind: 'runs', data }
  if (isRuns(interpretations))
    return { kind: 'runs', data: { command, runs: (interpretations as Interpretation[]).map(toRun) } as Runs }
  if (isObject(behaviour) && isList(assumptions, 'verdict')) return { kind: 'calibrate', data }
  if (typeof exitCode === 'number' && isList(findings, 'message')) return { kind: 'exec', data }
  return undefined
}

function toRun({ assumption, value, ...run }: Interpretation): ReportedRun {
  const cell = assumption === null ? 'as in the scenario' : `${assumption}=${String(value)}`
  return { ...run, cell, stage: 'interpretations', operation: assumption ?? '' }
}

/** Whether a value is a list of objects with this field. */
function isList(value: unknown, field: string): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && field in one)
}

/** Whether a value is a list of runs, of this version. */
function isRuns(value: unknown): boolean {
  return (
    isList(value, 'verdict') && (value as ReportedRun[]).every(({ verdict }) => verdicts.includes(verdict))
  )
}

type Judged = Pick<ReportedRun, 'verdict' | 'accepted'>

const tones = { bad: 'tone-bad', note: 'tone-warn', good: 'tone-good', none: '' }

export function getVerdictTone({ verdict, accepted }: Judged): string {
  return tones[accepted ? 'note' : markOf(verdict)]
}

/** Whether a run reveals a problem that is not accepted. */
export function isProblem({ verdict, accepted }: Judged): boolean {
  return isRed(verdict) && !accepted
}

/** `2 stuck, 30 ok` */
export function countVerdicts(runs: readonly Judged[]): string {
  const counts = verdicts.map(
    (name) => [runs.filter(({ verdict }) => verdict === name).length, name] as const,
  )
  return counts
    .filter(([count]) => count > 0)
    .map((parts) => parts.join(' '))
    .join(', ')
}

/** Sorts by verdict, the worst first. */
export function sortByVerdict<T extends Judged>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict))
}

/** The findings that explain a verdict. */
export function explainingFindings({ verdict, findings = [] }: ReportedRun): Finding[] {
  if (verdict === 'bad-habit') return findings.filter(({ severity }) => severity === 'medium')
  return findings.filter(({ finding }) => finding === verdict)
}

/** The lines that explain a verdict: findings, or else how the result differs. */
export function explain(run: ReportedRun): string[] {
  const { missing = [], added = [] } = run.rerun?.endState ?? run.endState ?? run.changes ?? {}
  const findings = explainingFindings(run).map(({ message }) => message)
  if (run.why || findings.length > 0) return run.why ?? findings
  return [...missing.map((line) => `missing: ${line}`), ...added.map((line) => `added: ${line}`)]
}

/** Groups runs by their verdict and what explains it, the worst first: one bug shows in many cells. */
export function listProblems(runs: readonly ReportedRun[]): ReportedRun[][] {
  const groups = new Map<string, ReportedRun[]>()
  for (const run of sortByVerdict(runs.filter(isProblem))) {
    const findings = explainingFindings(run).map(({ finding, operation }) => [finding, operation])
    // Ids, addresses and times differ from cell to cell.
    const lines = explain(run).map((line) => line.replaceAll(/\d[\d.]*/g, '#'))
    const cause = JSON.stringify([run.verdict, findings.length > 0 ? findings : lines])
    groups.set(cause, [...(groups.get(cause) ?? []), run])
  }
  return [...groups.values()]
}
