import { serviceStatuses } from '../../../src/world/values.ts'
import { money } from '../lib/format.ts'
import type { Service } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { patchWorld } from '../state/change.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { SearchField } from './SearchField.tsx'
import { useRecords, type Row } from './useRecords.ts'

const none = {}

const columns: Column<Row<Service>>[] = [
  { name: 'Service', cell: ([id]) => <b>{id}</b> },
  {
    name: 'Product',
    cell: ([, { product_name, product_type }]) => (
      <>
        {product_name} <span class="muted">{product_type}</span>
      </>
    ),
  },
  { name: 'Client', cell: ([, { client }]) => client },
  {
    name: 'Status',
    cell: ([id, { status }]) => (
      <Choice
        isBare
        label={`Status of service ${id}`}
        value={status}
        options={serviceStatuses}
        onChange={(to) => void save(id, { status: to }, `Service ${id} is ${to}.`)}
      />
    ),
  },
  { name: 'Due', cell: ([, { nextduedate }]) => nextduedate },
  { name: 'Bound address', cell: ([id, service]) => <Binding id={id} service={service} /> },
  { name: 'Price', isNumber: true, cell: ([, { price }]) => money(price) },
]

export function Services() {
  const services = useWorld((world) => world.services) ?? none
  const { rows, search, setSearch } = useRecords<Service>(services)
  return (
    <>
      <SearchField what="services" value={search} found={rows.length} onChange={setSearch} />
      <Table
        label="Services"
        kind="services"
        rows={rows}
        keyOf={([id]) => id}
        columns={columns}
        narrowLines={4}
        empty={search ? 'No service is like that.' : 'There is no service. Order one.'}
      />
    </>
  )
}

/** A static service has at most one bound address; a rotating one has none. */
function Binding({ id, service }: { id: string; service: Service }) {
  const isReadOnly = useReadOnly()
  if (service.product_type === 'ppr') return <span class="muted">rotating</span>
  const bound = service.bindedip ?? ''
  const bind = (bindedip: string) =>
    save(
      id,
      { bindedip },
      bindedip ? `${bindedip} is bound to service ${id}.` : `Service ${id} has no bound address.`,
    )
  return (
    <span class="binding">
      <EditableText
        label={`Bound address of service ${id}`}
        value={bound}
        placeholder="bind an address"
        onSave={bind}
      />
      {bound !== '' && !isReadOnly && (
        <button type="button" class="small quiet" aria-label={`Free ${bound}`} onClick={() => void bind('')}>
          Free
        </button>
      )}
    </span>
  )
}

function save(id: string, change: Partial<Service>, done: string): Promise<boolean> {
  return patchWorld({ services: { [id]: change } }, done)
}
