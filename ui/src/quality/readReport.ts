import { isObject, parseJson, textOf } from '../lib/json.ts'
import type { Patch } from '../lib/types.ts'

/** A report of `proxysim sweep` or `proxysim calibrate`: its lists as tables, the worst rows first. */
export interface Report {
  summary: string
  tables: { title: string; head: string[]; rows: ReportRow[] }[]
}

export interface ReportRow {
  cells: string[]
  isBad: boolean
  /** A value that doesn't fit into a cell */
  more: Patch
}

/** Its JSON; undefined if a text is neither. */
export function readReport(text: string): Report | undefined {
  const json = parseJson(text)
  if (!isObject(json) || !(Array.isArray(json['runs']) || isObject(json['behaviour']))) return undefined
  const { exchanges, verdicts, behaviour, ...parts } = json
  const sums = [exchanges, verdicts, behaviour].filter(isObject)
  const all = { ...parts, ...(isObject(behaviour) ? behaviour : {}) }
  const lists = Object.entries(all).filter(
    (entry): entry is [string, Patch[]] => Array.isArray(entry[1]) && entry[1].every(isObject),
  )
  return {
    summary: [...sums.flatMap(Object.entries), ...Object.entries(parts)]
      .filter(([, value]) => typeof value === 'number')
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    tables: lists.map(([title, list]) => tableOf(title, list)),
  }
}

/** The worst first, those of a sweep and those of a calibration */
const verdicts =
  'harm doubled orphaned swallowed diverged stuck hang contradicts other undecided noticed recovered survived holds'
const verdictOrder = verdicts.split(' ')
const bad = 8

function tableOf(title: string, list: Patch[]): Report['tables'][number] {
  const names = [...new Set(list.flatMap(Object.keys))]
  const head = names.filter((name) => list.some((one) => isShort(one[name])))
  const rank = ({ verdict }: Patch) => (verdictOrder.indexOf(String(verdict)) + 99) % 99
  const rows = list
    .toSorted((a, b) => rank(a) - rank(b))
    .map((one) => ({
      cells: head.map((name) => (isShort(one[name]) ? textOf(one[name]) : '')),
      isBad: rank(one) < bad,
      more: Object.fromEntries(Object.entries(one).filter(([, value]) => !isShort(value) && !isEmpty(value))),
    }))
  return { title, head, rows }
}

/** Whether a value fits into a cell; a list of numbers, such as exchanges, does. */
function isShort(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => typeof one === 'number')
  return typeof value !== 'object' || value === null
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
