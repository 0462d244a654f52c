import { money, timeUntil } from '../lib/format.ts'
import type { RecordKind, Records, World } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useNow } from '../state/useNow.ts'

export type Row<T> = [id: string, record: T]

export interface SessionRow {
  server: string
  session: string
  ip: string
  /** Minutes */
  ttl: number
  /** ms since 1970 */
  ends: number
}

export interface Rows extends Records {
  sessions: SessionRow
}

/** The id is the service's. */
export function sessionRows({ services }: World): Row<SessionRow>[] {
  return Object.entries(services).flatMap(([id, { sticky }]) =>
    (sticky?.sessions ?? []).map(({ server, session, ip, since }): Row<SessionRow> => {
      const ttl = sticky?.ttl ?? 0
      return [id, { server, session, ip, ttl, ends: Date.parse(since) + ttl * 60_000 }]
    }),
  )
}

/** Of the columns of each table */
export const widths: Record<keyof Rows, string> = {
  services: '72px minmax(96px, 2fr) 48px 64px 104px 96px minmax(96px, 1fr) 80px',
  sessions: '72px 1fr 1fr 80px 1fr',
  invoices: '72px minmax(96px, 2fr) 72px 136px 96px 80px',
  clients: '72px 1fr',
  products: '72px 2fr 1fr 48px 64px 80px',
}

/** The columns of each table. */
export const tables: { [Kind in keyof Rows]: Column<Row<Rows[Kind]>>[] } = {
  services: [
    { name: 'Service', cell: ([id]) => <b>{id}</b> },
    { name: 'Product', cell: ([, { product_name: name }]) => name },
    { name: 'Type', cell: ([, { product_type: type }]) => type },
    { name: 'Client', isNumber: true, cell: ([, { client }]) => client },
    { name: 'Status', cell: ([, { status }]) => <State status={status} /> },
    { name: 'Due', cell: ([, { nextduedate }]) => nextduedate },
    {
      name: 'Address',
      cell: ([, { bindedip, product_type: type }]) => (type === 'ppr' ? 'rotating' : bindedip || '–'),
    },
    { name: 'Price', isNumber: true, cell: ([, { price }]) => money(price) },
  ],
  sessions: [
    { name: 'Service', cell: ([id]) => <b>{id}</b> },
    { name: 'Session', cell: ([, { server, session }]) => `${server}/${session}` },
    { name: 'Address', cell: ([, { ip }]) => ip },
    { name: 'TTL, min', isNumber: true, cell: ([, { ttl }]) => ttl },
    { name: 'Ends', cell: ([, { ends }]) => <Ends at={ends} /> },
  ],
  invoices: [
    { name: 'Invoice', cell: ([id]) => <b>{id}</b> },
    { name: 'Description', cell: ([, { description }]) => description },
    { name: 'Service', isNumber: true, cell: ([, { serviceid }]) => serviceid },
    { name: 'Status', cell: ([, { status }]) => <State status={status} /> },
    { name: 'Created', cell: ([, { created_at: date }]) => date },
    { name: 'Amount', isNumber: true, cell: ([, { amount }]) => money(amount) },
  ],
  clients: [
    { name: 'Client', cell: ([id]) => <b>{id}</b> },
    { name: 'E-mail', cell: ([, { email }]) => email },
  ],
  products: [
    { name: 'Product', cell: ([id]) => <b>{id}</b> },
    { name: 'Name', cell: ([, { productName }]) => productName },
    { name: 'Group', cell: ([, { groupName }]) => groupName },
    { name: 'Type', cell: ([, { product_type: type }]) => type },
    {
      name: 'Hidden',
      cell: ([, { product_hidden: isHidden, group_hidden: isGroupHidden }]) =>
        isHidden || isGroupHidden ? 'hidden' : '',
    },
    { name: 'Price', isNumber: true, cell: ([, { price }]) => money(price) },
  ],
}

const calm = new Set(['Active', 'Paid', 'Completed'])

function State({ status }: { status: string }) {
  return <span class={calm.has(status) ? 'state' : 'state is-off'}>{status}</span>
}

function Ends({ at }: { at: number }) {
  const now = useNow()
  return <>{at <= now ? 'ended' : timeUntil(at - now)}</>
}
