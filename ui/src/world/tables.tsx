import type { ComponentChildren } from 'preact'
import type { Service } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useReadOnly } from '../state/pastWorld.ts'
import { go } from '../state/route.ts'
import { FieldCell, saveField } from './FieldCell.tsx'
import type { RecordKind, Records } from './fields.ts'
import type { Row } from './useRecords.ts'

/** How the records of a kind are listed. */
export interface RecordTableOptions<Kind extends RecordKind> {
  title: string
  /** Besides the id, which opens the record */
  columns: readonly Column<Row<Records[Kind]>>[]
  narrowLines: number
  empty: string
}

export const tables: { [Kind in RecordKind]: RecordTableOptions<Kind> } = {
  services: {
    title: 'Services',
    columns: [
      {
        name: 'Product',
        cell: ([, { product_name, product_type }]) => (
          <>
            {product_name} <span class="muted">{product_type}</span>
          </>
        ),
      },
      { name: 'Client', cell: cellOf('services', 'client') },
      { name: 'Status', cell: cellOf('services', 'status') },
      { name: 'Due', cell: cellOf('services', 'nextduedate') },
      { name: 'Bound address', cell: ([id, service]) => <Binding id={id} service={service} /> },
      { name: 'Price', isNumber: true, cell: cellOf('services', 'price') },
    ],
    narrowLines: 5,
    empty: 'There is no service. Order one.',
  },
  invoices: {
    title: 'Invoices',
    columns: [
      { name: 'Description', cell: cellOf('invoices', 'description') },
      { name: 'Service', cell: cellOf('invoices', 'serviceid') },
      { name: 'Status', cell: cellOf('invoices', 'status') },
      { name: 'Created', cell: cellOf('invoices', 'created_at') },
      { name: 'Paid', cell: cellOf('invoices', 'date_paid', '–') },
      { name: 'Amount', isNumber: true, cell: cellOf('invoices', 'amount') },
    ],
    narrowLines: 5,
    empty: 'There is no invoice.',
  },
  clients: {
    title: 'Clients',
    columns: [{ name: 'E-mail', cell: cellOf('clients', 'email') }],
    narrowLines: 2,
    empty: 'There is no client: an order has nobody to be for.',
  },
  products: {
    title: 'Products',
    columns: [
      { name: 'Name', cell: cellOf('products', 'productName') },
      { name: 'Group', cell: cellOf('products', 'groupName') },
      {
        name: 'Type',
        cell: ([, { product_type, product_hidden, group_hidden }]) => (
          <>
            {product_type} {(product_hidden || group_hidden) && <span class="mark">hidden</span>}
          </>
        ),
      },
      { name: 'Price', isNumber: true, cell: cellOf('products', 'price') },
      { name: 'Order', cell: ([id]) => <Order id={id} /> },
    ],
    narrowLines: 4,
    empty: 'There is no product.',
  },
}

function cellOf<Kind extends RecordKind>(
  kind: Kind,
  field: keyof Records[Kind] & string,
  placeholder?: string,
): (row: Row<Records[Kind]>) => ComponentChildren {
  return ([id, record]) => (
    <FieldCell kind={kind} id={id} record={record} field={field} {...(placeholder && { placeholder })} />
  )
}

/** A static service has at most one bound address; a rotating one has none. */
function Binding({ id, service }: { id: string; service: Service }) {
  const isReadOnly = useReadOnly()
  if (service.product_type === 'ppr') return <span class="muted">rotating</span>
  return (
    <span class="binding">
      <FieldCell kind="services" id={id} record={service} field="bindedip" placeholder="bind an address" />
      {service.bindedip && !isReadOnly && (
        <button
          type="button"
          class="small quiet"
          aria-label={`Unbind ${service.bindedip}`}
          onClick={() => void saveField('services', id, 'bindedip', '')}
        >
          Unbind
        </button>
      )}
    </span>
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
