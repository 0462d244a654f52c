import type { Product } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useReadOnly } from '../state/pastWorld.ts'
import { go } from '../state/route.ts'
import { FieldCell } from './FieldCell.tsx'
import { RecordTable } from './RecordTable.tsx'
import type { Row } from './useRecords.ts'

const cellOf =
  (field: keyof Product) =>
  ([id, record]: Row<Product>) => <FieldCell kind="products" id={id} record={record} field={field} />

const columns: Column<Row<Product>>[] = [
  { name: 'Name', cell: cellOf('productName') },
  { name: 'Group', cell: cellOf('groupName') },
  {
    name: 'Type',
    cell: ([, { product_type, product_hidden, group_hidden }]) => (
      <>
        {product_type} {(product_hidden || group_hidden) && <span class="mark">hidden</span>}
      </>
    ),
  },
  { name: 'Price', isNumber: true, cell: cellOf('price') },
  { name: 'Order', cell: ([id]) => <Order id={id} /> },
]

export function Products({ open }: { open: string }) {
  return (
    <RecordTable
      kind="products"
      title="Products"
      columns={columns}
      narrowLines={4}
      empty="There is no product."
      open={open}
    />
  )
}

function Order({ id }: { id: string }) {
  return (
    <button
      type="button"
      class="small quiet"
      aria-label={`Order product ${id}`}
      disabled={useReadOnly()}
      onClick={() => go('try', 'orderService', { pid: id })}
    >
      Order
    </button>
  )
}
