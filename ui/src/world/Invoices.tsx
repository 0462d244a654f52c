import { invoiceStatuses } from '../../../src/world/values.ts'
import { money } from '../lib/format.ts'
import type { Invoice } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { patchWorld } from '../state/change.ts'
import { useWorld } from '../state/pastWorld.ts'
import { SearchField } from './SearchField.tsx'
import { useRecords, type Row } from './useRecords.ts'

const none = {}

const columns: Column<Row<Invoice>>[] = [
  { name: 'Invoice', cell: ([id]) => <b>{id}</b> },
  { name: 'Description', cell: ([, { description }]) => description },
  { name: 'Service', cell: ([, { serviceid }]) => serviceid },
  {
    name: 'Status',
    cell: ([id, { status }]) => (
      <Choice
        isBare
        label={`Status of invoice ${id}`}
        value={status}
        options={invoiceStatuses}
        onChange={(to) => void patchWorld({ invoices: { [id]: { status: to } } }, `Invoice ${id} is ${to}.`)}
      />
    ),
  },
  { name: 'Created', cell: ([, { created_at }]) => created_at },
  { name: 'Paid', cell: ([, { date_paid }]) => date_paid ?? <span class="muted">–</span> },
  { name: 'Amount', isNumber: true, cell: ([, { amount }]) => money(amount) },
]

export function Invoices() {
  const invoices = useWorld((world) => world.invoices) ?? none
  const { rows, search, setSearch } = useRecords<Invoice>(invoices)
  return (
    <>
      <SearchField what="invoices" value={search} found={rows.length} onChange={setSearch} />
      <Table
        label="Invoices"
        kind="invoices"
        rows={rows}
        keyOf={([id]) => id}
        columns={columns}
        narrowLines={4}
        empty={search ? 'No invoice is like that.' : 'There is no invoice.'}
      />
    </>
  )
}
