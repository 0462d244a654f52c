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
  cell?: string
  stage?: string
  operation: string
  fault: string
  verdict: string
  accepted?: string | null
  exitCode?: number | null
  durationMs?: number
  findings?: Finding[]
  /** Set in reports of `matrix` */
  changes?: Difference | null
  rerun?: { exitCode: number } | null
  headline?: string
  remarks?: string[]
  advice?: string | null
  shown?: { text: string; mark: string | null }[]
  output?: string[]
  repeat?: string
  repro?: string | null
}

interface Difference {
  missing: string[]
  added: string[]
}

interface Interpretation extends Omit<ReportedRun, 'operation' | 'fault'> {
  /** Null for the scenario's own interpretations */
  assumption: string | null
  value: unknown
  meaning: string | null
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
  if (isList(runs, 'verdict')) return { kind: 'runs', data }
  if (isList(interpretations, 'verdict'))
    return { kind: 'runs', data: { command, runs: (interpretations as Interpretation[]).map(toRun) } as Runs }
  if (isObject(behaviour) && isList(assumptions, 'verdict')) return { kind: 'calibrate', data }
  if (typeof exitCode === 'number' && isList(findings, 'message')) return { kind: 'exec', data }
  return undefined
}

function toRun({ assumption, value, meaning, ...run }: Interpretation): ReportedRun {
  const name = assumption === null ? 'as in the scenario' : `${assumption}=${String(value)}`
  return {
    ...run,
    cell: name,
    stage: 'interpretations',
    operation: name,
    fault: '',
    remarks: [...(meaning === null ? [] : [meaning]), ...(run.remarks ?? [])],
  }
}

/** Whether a value is a list of objects with this field. */
function isList(value: unknown, field: string): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && field in one)
}

/** Verdicts of all commands, the worst first, with their tones */
const tones: Record<string, string> = {
  'ordered-twice': 'tone-bad',
  'order-lost': 'tone-bad',
  'wrong-result': 'tone-bad',
  stuck: 'tone-bad',
  'bad-habit': 'tone-bad',
  contradicts: 'tone-bad',
  other: 'tone-warn',
  undecided: '',
  reported: 'tone-good',
  ok: 'tone-good',
  holds: 'tone-good',
}
const order = Object.keys(tones)

interface Judged {
  verdict: string
  accepted?: string | null
}

/** The tone of a verdict; amber if the team accepts a bad one. */
export function getVerdictTone({ verdict, accepted }: Judged): string {
  return accepted ? 'tone-warn' : (tones[verdict] ?? '')
}

export function isBad(one: Judged): boolean {
  return getVerdictTone(one) === 'tone-bad'
}

/** Sorts by verdict, the worst first. */
export function sortByVerdict<T extends Judged>(list: readonly T[]): T[] {
  const rank = ({ verdict }: Judged) => (order.includes(verdict) ? order.indexOf(verdict) : order.length)
  return list.toSorted((a, b) => rank(a) - rank(b))
}

/** `2 harm, 30 survived`, as on the terminal */
export function countVerdicts(list: readonly Judged[]): string {
  const names = new Set(sortByVerdict(list).map(({ verdict }) => verdict))
  return [...names]
    .map((name) => `${list.filter(({ verdict }) => verdict === name).length} ${name}`)
    .join(', ')
}
