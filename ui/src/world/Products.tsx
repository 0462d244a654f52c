import { money } from '../lib/format.ts'
import type { Product } from '../lib/types.ts'
import { Table, type Column } from '../parts/Table.tsx'
import { go } from '../state/route.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { SearchField } from './SearchField.tsx'
import { useRecords, type Row } from './useRecords.ts'

const none = {}

const columns: Column<Row<Product>>[] = [
  { name: 'Product', cell: ([id]) => <b>{id}</b> },
  { name: 'Name', cell: ([, { productName }]) => productName },
  { name: 'Group', cell: ([, { groupName }]) => groupName },
  {
    name: 'Type',
    cell: ([, { product_type, product_hidden, group_hidden }]) => (
      <>
        {product_type} {(product_hidden || group_hidden) && <span class="mark">hidden</span>}
      </>
    ),
  },
  { name: 'Price', isNumber: true, cell: ([, { price }]) => money(price) },
  {
    name: 'Order',
    cell: ([id]) => <Order id={id} />,
  },
]

export function Products() {
  const products = useWorld((world) => world.products) ?? none
  const { rows, search, setSearch } = useRecords<Product>(products)
  return (
    <>
      <SearchField what="products" value={search} found={rows.length} onChange={setSearch} />
      <Table
        label="Products"
        kind="products"
        rows={rows}
        keyOf={([id]) => id}
        columns={columns}
        narrowLines={3}
        empty={search ? 'No product is like that.' : 'There is no product.'}
      />
    </>
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
