import type { Judged } from '../../../src/lab/runs/problems.ts'
import { markOf, verdicts } from '../../../src/lab/runs/verdict.ts'
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

export interface ReportedRun extends Judged {
  cell: string
  stage: string
  operation: string
  exitCode: number | null
  durationMs: number
  rerun?: { exitCode: number } | null
  /** The meaning of an interpretation, in reports of `matrix` */
  meaning?: string | null
  /** How to fix a red verdict */
  advice: string | null
  shown: ShownLine[]
  output: string[]
  repeat: string
}

/** A line of what happened. That of a request also has its journal entry. */
export interface ShownLine extends Partial<Pick<JournalEntry, 'request' | 'response'>> {
  text: string
  mark: string | null
}

interface Interpretation extends Omit<ReportedRun, 'operation' | 'stage'> {
  /** Null for the scenario's own interpretations */
  assumption: string | null
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

function toRun(run: Interpretation): ReportedRun {
  return { ...run, stage: 'interpretations', operation: run.assumption ?? '' }
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

const tones = { bad: 'tone-bad', note: 'tone-warn', good: 'tone-good', none: '' }

export function getVerdictTone({ verdict, accepted }: Pick<Judged, 'verdict' | 'accepted'>): string {
  return tones[accepted === null ? markOf(verdict) : 'note']
}
