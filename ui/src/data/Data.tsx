import { useMemo, useState } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { capitalized } from '../lib/format.ts'
import type { RecordKind, World } from '../lib/types.ts'
import { Table, type Column } from '../parts/Table.tsx'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { AccountLine } from './AccountLine.tsx'
import { Accounts } from './Accounts.tsx'
import { Drawer } from './Drawer.tsx'
import { sessionRows, tables, widths, type Row } from './tables.tsx'
import { Yaml } from './Yaml.tsx'

/** The tables, and what each says if it is empty */
const kinds = {
  services: 'No services. Order one with New request.',
  sessions: 'No sticky sessions. Only rotating (ppr) services have them.',
  invoices: 'No invoices.',
  clients: 'No clients. Orders need one: add one in YAML.',
  products: 'No products. Add one in YAML.',
}
type Kind = keyof typeof kinds

/** What the chosen account owns; for all accounts, the accounts. */
export function Data({ part }: { part: string }) {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const [name = '', open = ''] = part.split('/')
  const [search, setSearch] = useState('')
  const isYaml = name === 'yaml'
  const kind = Object.hasOwn(kinds, name) ? (name as Kind) : 'services'
  if (name === 'accounts' || (account === undefined && !isYaml)) return <Accounts />
  const tab = (one: string, title: string, count?: number) => (
    <a
      href={link('data', one)}
      key={one}
      aria-current={one === (isYaml ? 'yaml' : kind) ? 'true' : undefined}
    >
      {title} <span class="count">{count?.toLocaleString('en')}</span>
    </a>
  )
  return (
    <>
      <h1 class="unseen">Data</h1>
      {world && <AccountLine key={account} world={world} />}
      <div class="toolbar">
        <nav class="chips" aria-label="Kinds of records">
          {world && Object.keys(kinds).map((one) => tab(one, capitalized(one), countOf(one as Kind, world)))}
          {tab('yaml', 'YAML')}
        </nav>
        {!isYaml && <Search what={kind} value={search} onInput={setSearch} />}
      </div>
      {isYaml && <Yaml />}
      {world && !isYaml && <Records key={`${account} ${kind}`} {...{ kind, world, open, search }} />}
      {world && !isYaml && open && kind !== 'sessions' && (
        <Drawer key={`${kind} ${open}`} kind={kind} id={open} world={world} />
      )}
    </>
  )
}

function countOf(kind: Kind, world: World): number {
  return kind === 'sessions' ? sessionRows(world).length : Object.keys(world[kind]).length
}

/** The records of a kind, the highest id first; a row opens its record, that of a session its service. */
function Records({ kind, world, open, search }: { kind: Kind; world: World; open: string; search: string }) {
  const records: Record<string, object> = world[kind === 'sessions' ? 'services' : kind]
  const all = useMemo((): Row<object>[] => {
    if (kind === 'sessions') return sessionRows(world)
    return Object.entries(records).toSorted(([a], [b]) => Number(b) - Number(a))
  }, [records])
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === ''
      ? all
      : all.filter(([id, record]) => id.includes(wanted) || textOf(record).includes(wanted))
  }, [all, search])
  const opens: RecordKind = kind === 'sessions' ? 'services' : kind
  return (
    <Table
      label={kind === 'sessions' ? 'Sticky sessions' : capitalized(kind)}
      widths={widths[kind]}
      rows={rows}
      keyOf={([id, record]) => (kind === 'sessions' ? `${id} ${textOf(record)}` : id)}
      columns={tables[kind] as unknown as Column<Row<object>>[]}
      open={open}
      onOpen={([id]) => go(link('data', `${opens}/${id}`))}
      empty={search === '' ? kinds[kind] : `No ${kind.slice(0, -1)} matches.`}
    />
  )
}

const texts = new WeakMap<object, string>()

/** What can be searched for in a record */
function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const values = Object.entries(record).filter(
    ([key, value]) => key !== 'password' && typeof value !== 'object',
  )
  const text = values
    .map(([, value]) => String(value))
    .join('\n')
    .toLowerCase()
  texts.set(record, text)
  return text
}
