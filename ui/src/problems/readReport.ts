import { isObject, parseJson, toText } from '../lib/json.ts'
import type { Patch } from '../lib/types.ts'

/** A report of `proxysim sweep` or `proxysim calibrate`. Each list is a table with the worst rows first. */
export interface Report {
  summary: string
  tables: { title: string; head: string[]; rows: ReportRow[] }[]
}

export interface ReportRow {
  cells: string[]
  isBad: boolean
  /** Values that don't fit into a cell, by field */
  details: Patch
}

/** Parses a JSON report. Returns undefined if the text isn't one. */
export function readReport(text: string): Report | undefined {
  const json = parseJson(text)
  if (!isObject(json) || !(Array.isArray(json['runs']) || isObject(json['behaviour']))) return undefined
  const { exchanges, verdicts, behaviour, ...parts } = json
  const totals = [exchanges, verdicts, behaviour].filter(isObject)
  const fields = { ...parts, ...(isObject(behaviour) ? behaviour : {}) }
  const lists = Object.entries(fields).filter(
    (entry): entry is [string, Patch[]] => Array.isArray(entry[1]) && entry[1].every(isObject),
  )
  return {
    summary: [...totals.flatMap(Object.entries), ...Object.entries(parts)]
      .filter(([, value]) => typeof value === 'number')
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    tables: lists.map(([title, list]) => toTable(title, list)),
  }
}

/** Verdicts of sweeps and calibrations, worst first */
const verdictNames =
  'harm doubled orphaned swallowed diverged stuck hang contradicts other undecided noticed recovered survived holds'
const verdictOrder = verdictNames.split(' ')
const badVerdictCount = 8 // the first 8 verdicts are marked as bad

function toTable(title: string, list: Patch[]): Report['tables'][number] {
  const names = [...new Set(list.flatMap(Object.keys))]
  const head = names.filter((name) => list.some((one) => isShort(one[name])))
  const rank = ({ verdict }: Patch) => (verdictOrder.indexOf(String(verdict)) + 99) % 99
  const rows = list
    .toSorted((a, b) => rank(a) - rank(b))
    .map((one) => ({
      cells: head.map((name) => (isShort(one[name]) ? toText(one[name]) : '')),
      isBad: rank(one) < badVerdictCount,
      details: Object.fromEntries(
        Object.entries(one).filter(([, value]) => !isShort(value) && !isEmpty(value)),
      ),
    }))
  return { title, head, rows }
}

/** Whether a value fits into a cell. Lists of numbers, such as exchanges, do. */
function isShort(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => typeof one === 'number')
  return typeof value !== 'object' || value === null
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
