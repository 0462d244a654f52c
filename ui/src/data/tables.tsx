import type { ComponentChildren } from 'preact'
import { money, timeUntil } from '../lib/format.ts'
import { textOf } from '../lib/json.ts'
import type { Patch, World } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useNow } from '../state/useNow.ts'

export type Row = [id: string, record: Patch]

/** Per table: the text of an empty one, its widths, and after the id its columns: field and title. */
export const tables: Record<string, [empty: string, widths: string, fields: Record<string, string>]> = {
  services: [
    'No services. Order one with New request.',
    '72px minmax(112px, 3fr) minmax(96px, 2fr) minmax(88px, 2fr) minmax(112px, 2fr) minmax(56px, 1fr) minmax(48px, 1fr) 80px',
    {
      product_name: 'Product',
      status: 'Status',
      nextduedate: 'Due',
      bindedip: 'Address',
      client: 'Client',
      product_type: 'Type',
      price: 'Price',
    },
  ],
  sessions: [
    'No sticky sessions. Only rotating (ppr) services have them.',
    '88px repeat(5, minmax(80px, 1fr))',
    { session: 'Session', server: 'Server', ip: 'Address', ends: 'Ends', ttl: 'TTL, min' },
  ],
  invoices: [
    'No invoices. An order creates one.',
    '72px minmax(112px, 4fr) minmax(136px, 2fr) minmax(88px, 1fr) minmax(64px, 1fr) 80px',
    {
      description: 'Description',
      status: 'Status',
      created_at: 'Created',
      serviceid: 'Service',
      amount: 'Amount',
    },
  ],
  clients: ['No clients. Orders need one: add one in YAML.', '72px 1fr', { email: 'E-mail' }],
  products: [
    'No products. Add one in YAML.',
    '72px minmax(112px, 3fr) minmax(96px, 2fr) minmax(48px, 1fr) minmax(64px, 1fr) 80px',
    {
      productName: 'Name',
      groupName: 'Group',
      product_type: 'Type',
      product_hidden: 'Hidden',
      price: 'Price',
    },
  ],
}

const numbers = new Set(['price', 'ttl', 'amount'])
const ids = new Set(['client', 'serviceid'])

export function columnsOf(kind: string): Column<Row>[] {
  const fields = Object.entries(tables[kind]?.[2] ?? {})
  const id: Column<Row> = {
    name: kind === 'sessions' ? 'Service' : 'Id',
    cell: ([one]) => <b>{one}</b>,
    sortBy: ([one]) => Number(one),
  }
  return [
    id,
    ...fields.map(([field, name]) => ({
      name,
      isNumber: numbers.has(field),
      isLabelled: numbers.has(field) || ids.has(field),
      cell: ([, record]: Row) => cellOf(field, record[field]),
      sortBy: ([, record]: Row) =>
        numbers.has(field) || ids.has(field) ? Number(record[field]) : textOf(record[field]),
    })),
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

/** Empty where the record has no value. */
function cellOf(field: string, value: unknown): ComponentChildren {
  if (field === 'price' || field === 'amount') return money(value)
  if (field === 'status')
    return <span class={`status ${statusTones[String(value)] ?? ''}`}>{String(value)}</span>
  if (field === 'ends') return <Ends at={Number(value)} />
  if (typeof value === 'boolean') return value ? 'hidden' : ''
  return textOf(value)
}

/** The sticky sessions of the services, which are under the services' ids. */
export function sessionRows({ services }: World): Row[] {
  return Object.entries(services).flatMap(([id, { sticky }]) =>
    (sticky?.sessions ?? []).map(({ server, session, ip, since }): Row => {
      const ttl = sticky?.ttl ?? 0
      return [id, { server, session, ip, ttl, ends: Date.parse(since) + ttl * 60_000 }]
    }),
  )
}

function Ends({ at }: { at: number }) {
  const now = useNow()
  return <>{at <= now ? 'ended' : timeUntil(at - now)}</>
}
