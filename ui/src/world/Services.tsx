import type { Service } from '../lib/types.ts'
import type { Column } from '../parts/Table.tsx'
import { useReadOnly } from '../state/pastWorld.ts'
import { FieldCell, saveField } from './FieldCell.tsx'
import { RecordTable } from './RecordTable.tsx'
import type { Row } from './useRecords.ts'

const cellOf =
  (field: keyof Service) =>
  ([id, record]: Row<Service>) => <FieldCell kind="services" id={id} record={record} field={field} />

const columns: Column<Row<Service>>[] = [
  {
    name: 'Product',
    cell: ([, { product_name, product_type }]) => (
      <>
        {product_name} <span class="muted">{product_type}</span>
      </>
    ),
  },
  { name: 'Client', cell: cellOf('client') },
  { name: 'Status', cell: cellOf('status') },
  { name: 'Due', cell: cellOf('nextduedate') },
  { name: 'Bound address', cell: ([id, service]) => <Binding id={id} service={service} /> },
  { name: 'Price', isNumber: true, cell: cellOf('price') },
]

export function Services({ open }: { open: string }) {
  return (
    <RecordTable
      kind="services"
      title="Services"
      columns={columns}
      narrowLines={5}
      empty="There is no service. Order one."
      open={open}
    />
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
