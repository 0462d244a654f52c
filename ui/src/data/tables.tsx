import type { ComponentChildren } from 'preact'
import { money, timeUntil } from '../lib/format.ts'
import { textOf } from '../lib/json.ts'
import type { Patch, World } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useNow } from '../state/useNow.ts'

export type Row = [id: string, record: Patch]

/** Of each table: what an empty one says, its widths, and after the id its columns: a field's and a column's name. */
export const tables: Record<string, [empty: string, widths: string, fields: Record<string, string>]> = {
  services: [
    'No services. Order one with New request.',
    '72px minmax(96px, 2fr) 48px 64px 104px 96px minmax(96px, 1fr) 80px',
    {
      product_name: 'Product',
      product_type: 'Type',
      client: 'Client',
      status: 'Status',
      nextduedate: 'Due',
      bindedip: 'Address',
      price: 'Price',
    },
  ],
  sessions: [
    'No sticky sessions. Only rotating (ppr) services have them.',
    '72px 1fr 1fr 1fr 80px 1fr',
    { server: 'Server', session: 'Session', ip: 'Address', ttl: 'TTL, min', ends: 'Ends' },
  ],
  invoices: [
    'No invoices.',
    '72px minmax(96px, 2fr) 72px 136px 96px 80px',
    {
      description: 'Description',
      serviceid: 'Service',
      status: 'Status',
      created_at: 'Created',
      amount: 'Amount',
    },
  ],
  clients: ['No clients. Orders need one: add one in YAML.', '72px 1fr', { email: 'E-mail' }],
  products: [
    'No products. Add one in YAML.',
    '72px 2fr 1fr 48px 80px 80px',
    {
      productName: 'Name',
      groupName: 'Group',
      product_type: 'Type',
      product_hidden: 'Hidden',
      price: 'Price',
    },
  ],
}

export function columnsOf(kind: string): Column<Row>[] {
  const fields = Object.entries(tables[kind]?.[2] ?? {})
  const id = { name: kind === 'sessions' ? 'Service' : 'Id', cell: ([one]: Row) => <b>{one}</b> }
  return [
    id,
    ...fields.map(([field, name]) => ({
      name,
      isNumber: ['client', 'price', 'ttl', 'serviceid', 'amount'].includes(field),
      cell: ([, record]: Row) => cellOf(field, record[field]),
    })),
  ]
}

const calm = ['Active', 'Paid', 'Completed']

function cellOf(field: string, value: unknown): ComponentChildren {
  if (field === 'price' || field === 'amount') return money(value)
  if (field === 'status')
    return (
      <span class={calm.includes(String(value)) ? 'state tone-good' : 'state tone-warn'}>
        {String(value)}
      </span>
    )
  if (field === 'ends') return <Ends at={Number(value)} />
  if (typeof value === 'boolean') return value ? 'hidden' : ''
  return textOf(value) || '–'
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
