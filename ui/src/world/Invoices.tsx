import type { Invoice } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { FieldCell } from './FieldCell.tsx'
import { RecordTable } from './RecordTable.tsx'
import type { Row } from './useRecords.ts'

const cellOf =
  (field: keyof Invoice, placeholder?: string) =>
  ([id, record]: Row<Invoice>) => (
    <FieldCell kind="invoices" id={id} record={record} field={field} {...(placeholder && { placeholder })} />
  )

const columns: Column<Row<Invoice>>[] = [
  { name: 'Description', cell: cellOf('description') },
  { name: 'Service', cell: cellOf('serviceid') },
  { name: 'Status', cell: cellOf('status') },
  { name: 'Created', cell: cellOf('created_at') },
  { name: 'Paid', cell: cellOf('date_paid', '–') },
  { name: 'Amount', isNumber: true, cell: cellOf('amount') },
]

export function Invoices({ open }: { open: string }) {
  return (
    <RecordTable
      kind="invoices"
      title="Invoices"
      columns={columns}
      narrowLines={5}
      empty="There is no invoice."
      open={open}
    />
  )
}
