import { ActionButton } from '../parts/ActionButton.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { patchWorld } from '../state/change.ts'
import { tell } from '../state/notices.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { go, link } from '../state/route.ts'
import { getState } from '../state/store.ts'
import { nameOf, type RecordKind, type Records } from './fields.ts'
import { newRecord } from './newRecord.ts'
import { RecordPanel } from './RecordPanel.tsx'
import { SearchField } from './SearchField.tsx'
import { tables } from './tables.tsx'
import { useRecords, type Row } from './useRecords.ts'

interface Props<Kind extends RecordKind> {
  kind: Kind
  /** Id of the record that is open */
  open: string
}

const none = {}

/** The records of a kind; one of them is open beside the table, with all its fields. */
export function RecordTable<Kind extends RecordKind>({ kind, open }: Props<Kind>) {
  const { title, columns, narrowLines, empty } = tables[kind]
  const records = useWorld((world) => world[kind] as Record<string, Records[Kind]>) ?? none
  const { rows, search, setSearch } = useRecords<Records[Kind]>(records)
  const isReadOnly = useReadOnly()
  const name = nameOf(kind)
  const idColumn: Column<Row<Records[Kind]>> = {
    name: name.charAt(0).toUpperCase() + name.slice(1),
    cell: ([id]) => (
      <a href={link('world', `${kind}/${id}`)} aria-label={`All fields of ${nameOf(kind, id)}`}>
        {id}
      </a>
    ),
  }
  return (
    <div class={`records ${open ? 'has-record' : ''}`}>
      <div>
        <SearchField what={kind} value={search} found={rows.length} onChange={setSearch}>
          {!isReadOnly && <ActionButton action={() => add(kind)}>Add a {name}</ActionButton>}
        </SearchField>
        <Table
          label={title}
          kind={kind}
          rows={rows}
          keyOf={([id]) => id}
          columns={[idColumn, ...columns]}
          narrowLines={narrowLines}
          {...(open && { narrowUpTo: 1699 })}
          empty={search ? `No ${name} matches.` : empty}
        />
      </div>
      {open && <RecordPanel key={open} kind={kind} id={open} />}
    </div>
  )
}

/** Adds a record with what it cannot do without, and opens it. */
async function add(kind: RecordKind): Promise<void> {
  const { world } = getState()
  if (!world) return
  const { id, record } = newRecord(kind, world)
  const refusal = await patchWorld({ [kind]: { [id]: record } }, `${nameOf(kind, id)} was added.`)
  if (refusal) tell('failed', refusal.text, { details: refusal.details.map(({ message }) => message) })
  else go('world', `${kind}/${id}`)
}
