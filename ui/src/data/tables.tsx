import type { ComponentChildren } from 'preact'
import { formatMoney } from '../lib/format.ts'
import { toText } from '../lib/json.ts'
import type { Patch, RecordKind } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { kinds } from './kinds.gen.ts'

export type Row = [id: string, record: Patch]

interface RecordColumn {
  field: string
  title: string
  /** The type of the field, as in `src/service/kinds/Kind.ts` */
  type: string
}

const numbers = new Set(['usd', 'count', 'addressCount'])

/** The widths of a table's first columns, as in a CSS grid. */
export function getWidths(kind: RecordKind, count: number): string {
  const widths = kinds[kind].columns.map(({ type }: RecordColumn) => {
    if (numbers.has(type)) return '80px'
    return type === 'text' || type === 'longText' ? 'minmax(112px, 3fr)' : 'minmax(88px, 2fr)'
  })
  return ['72px', ...widths].slice(0, count).join(' ')
}

export function getColumns(kind: RecordKind): Column<Row>[] {
  const id: Column<Row> = { name: 'Id', cell: ([one]) => <b>{one}</b>, sortBy: ([one]) => Number(one) }
  return [
    id,
    ...kinds[kind].columns.map((column: RecordColumn) => {
      const { field, title, type } = column
      const isNumber = numbers.has(type)
      const isLabelled = isNumber || type === 'id'
      return {
        name: title,
        isNumber,
        isLabelled,
        cell: ([, record]: Row) => renderCell(column, record[field]),
        sortBy: ([, record]: Row) => (isLabelled ? Number(record[field]) : toText(record[field])),
      }
    }),
  ]
}

const statusTones: Record<string, string> = {
  Active: 'tone-good',
  Completed: 'tone-good',
  Paid: 'tone-good',
  Pending: 'tone-warn',
  'Payment Pending': 'tone-warn',
  Unpaid: 'tone-warn',
  Suspended: 'tone-lost',
  Fraud: 'tone-bad',
  Collections: 'tone-bad',
}

/** The content of a cell, empty if the record has no value. */
function renderCell({ title, type }: RecordColumn, value: unknown): ComponentChildren {
  if (type === 'usd') return formatMoney(value)
  if (type.endsWith('Status'))
    return <span class={`status ${statusTones[String(value)] ?? ''}`}>{String(value)}</span>
  if (typeof value === 'boolean') return value ? title.toLowerCase() : ''
  return toText(value)
}
