import { useMemo } from 'preact/hooks'
import type { RecordKind, World } from '../lib/types.ts'
import { Table, type Column } from '../parts/Table.tsx'
import { go, link } from '../state/route.ts'
import { sessionRows, tables, type Row } from './tables.tsx'

interface Props {
  kind: RecordKind | 'sessions'
  world: World
  /** Id of the record that is open */
  open: string
  search: string
}

const empty: Record<Props['kind'], string> = {
  services: 'No services. Order one with New request.',
  sessions: 'No sticky sessions. Only rotating (ppr) services have them.',
  invoices: 'No invoices.',
  clients: 'No clients. Orders need one: add one in YAML.',
  products: 'No products. Add one in YAML.',
}

/** The records of a kind, the highest id first; a row opens its record, that of a session its service. */
export function RecordTable({ kind, world, open, search }: Props) {
  const records = kind === 'sessions' ? world.services : world[kind]
  const all = useMemo(
    () =>
      (kind === 'sessions'
        ? sessionRows(world)
        : Object.entries(records).toSorted(([a], [b]) => Number(b) - Number(a))) as Row<object>[],
    [records],
  )
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === ''
      ? all
      : all.filter(([id, record]) => id.includes(wanted) || textOf(record).includes(wanted))
  }, [all, search])
  return (
    <Table
      label={kind === 'sessions' ? 'Sticky sessions' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`}
      kind={kind}
      rows={rows}
      keyOf={([id, record]) => ('session' in record ? `${id} ${textOf(record)}` : id)}
      columns={tables[kind] as unknown as Column<Row<object>>[]}
      open={open}
      onOpen={([id]) => go(link('data', `${kind === 'sessions' ? 'services' : kind}/${id}`))}
      empty={search === '' ? empty[kind] : `No ${kind.slice(0, -1)} matches.`}
    />
  )
}

const texts = new WeakMap<object, string>()

function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = Object.entries(record)
    .filter(([key, value]) => key !== 'password' && (typeof value === 'string' || typeof value === 'number'))
    .map(([, value]) => String(value))
    .join('\n')
    .toLowerCase()
  texts.set(record, text)
  return text
}
