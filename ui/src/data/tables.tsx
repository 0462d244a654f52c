import type { ComponentChildren } from 'preact'
import { formatMoney, formatTimeUntil } from '../lib/format.ts'
import { toText } from '../lib/json.ts'
import type { Patch, World } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useNow } from '../state/useNow.ts'
import { kinds } from './kinds.gen.ts'

export type Row = [id: string, record: Patch]

interface RecordColumn {
  field: string
  title: string
  /** The type of the field, as in `src/service/kinds/Kind.ts` */
  type: string
}

interface RecordTable {
  /** How to add a record, shown in an empty table */
  hint: string
  columns: readonly RecordColumn[]
}

const { services: serviceTable, ...otherKinds } = kinds

/** Tables by kind, in the order of their tabs. Sticky sessions belong to services but have their own table. */
export const tables: Readonly<Record<string, RecordTable>> = {
  services: serviceTable,
  sessions: {
    hint: 'Only rotating (ppr) services have them.',
    columns: [
      { field: 'session', title: 'Session', type: 'text' },
      { field: 'server', title: 'Server', type: 'text' },
      { field: 'ip', title: 'Address', type: 'text' },
      { field: 'ends', title: 'Ends', type: 'end' },
      { field: 'ttl', title: 'TTL (min)', type: 'count' },
    ],
  },
  ...otherKinds,
}

const numbers = new Set(['usd', 'count', 'addressCount'])

const widths: Readonly<Record<string, string>> = {
  addressCount: '64px',
  boundAddress: 'minmax(112px, 2fr)',
  count: '64px',
  date: 'minmax(88px, 2fr)',
  flag: 'minmax(64px, 1fr)',
  id: 'minmax(64px, 1fr)',
  invoiceStatus: 'minmax(136px, 2fr)',
  longText: 'minmax(112px, 5fr)',
  productType: 'minmax(48px, 1fr)',
  serviceStatus: 'minmax(96px, 2fr)',
  text: 'minmax(112px, 3fr)',
  usd: '80px',
}

/** The widths of a table's first columns, as in a CSS grid. */
export function getWidths(kind: string, count: number): string {
  if (kind === 'sessions') return '88px repeat(5, minmax(80px, 1fr))'
  const columns = tables[kind]?.columns ?? []
  return ['72px', ...columns.map(({ type }) => widths[type] ?? 'minmax(88px, 2fr)')].slice(0, count).join(' ')
}

export function getColumns(kind: string): Column<Row>[] {
  const id: Column<Row> = {
    name: kind === 'sessions' ? 'Service' : 'Id',
    cell: ([one]) => <b>{one}</b>,
    sortBy: ([one]) => Number(one),
  }
  const columns = tables[kind]?.columns ?? []
  return [
    id,
    ...columns.map((column) => {
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
  if (type === 'end') return <Ends at={Number(value)} />
  if (typeof value === 'boolean') return value ? title.toLowerCase() : ''
  return toText(value)
}

/** The sticky sessions of all services, each with its service's id. */
export function listSessions({ services }: World): Row[] {
  return Object.entries(services).flatMap(([id, { sticky }]) =>
    (sticky?.sessions ?? []).map(({ server, session, ip, since }): Row => {
      const ttl = sticky?.ttl ?? 0
      return [id, { server, session, ip, ttl, ends: Date.parse(since) + ttl * 60_000 }]
    }),
  )
}

function Ends({ at }: { at: number }) {
  const now = useNow()
  return <>{at <= now ? 'ended' : formatTimeUntil(at - now)}</>
}
