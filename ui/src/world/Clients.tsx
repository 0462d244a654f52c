import type { Client } from '../../../src/world/World.ts'
import { Table, type Column } from '../parts/Table.tsx'
import { useWorld } from '../state/pastWorld.ts'
import { SearchField } from './SearchField.tsx'
import { useRecords, type Row } from './useRecords.ts'

const none = {}

const columns: Column<Row<Client>>[] = [
  { name: 'Client', cell: ([id]) => <b>{id}</b> },
  { name: 'E-mail', cell: ([, { email }]) => email },
]

export function Clients() {
  const clients = useWorld((world) => world.clients) ?? none
  const { rows, search, setSearch } = useRecords<Client>(clients)
  return (
    <>
      <SearchField what="clients" value={search} found={rows.length} onChange={setSearch} />
      <Table
        label="Clients"
        kind="clients"
        rows={rows}
        keyOf={([id]) => id}
        columns={columns}
        narrowLines={1}
        empty={search ? 'No client is like that.' : 'There is no client: an order has nobody to be for.'}
      />
    </>
  )
}
