import type { Client } from '../../../src/world/World.ts'
import type { Column } from '../parts/Table.tsx'
import { FieldCell } from './FieldCell.tsx'
import { RecordTable } from './RecordTable.tsx'
import type { Row } from './useRecords.ts'

const columns: Column<Row<Client>>[] = [
  {
    name: 'E-mail',
    cell: ([id, record]) => <FieldCell kind="clients" id={id} record={record} field="email" />,
  },
]

export function Clients({ open }: { open: string }) {
  return (
    <RecordTable
      kind="clients"
      title="Clients"
      columns={columns}
      narrowLines={2}
      empty="There is no client: an order has nobody to be for."
      open={open}
    />
  )
}
