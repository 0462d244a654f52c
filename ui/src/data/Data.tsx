import { useMemo, useState } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { capitalized } from '../lib/format.ts'
import { searchText } from '../lib/json.ts'
import type { Patch, RecordKind, World } from '../lib/types.ts'
import { Table } from '../parts/Table.tsx'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { AccountLine, Accounts } from './Accounts.tsx'
import { Drawer } from './Drawer.tsx'
import { columnsOf, sessionRows, tables, widthsOf, type Row } from './tables.tsx'
import { Yaml } from './Yaml.tsx'

/** The records of the chosen account; for all accounts, the accounts. */
export function Data({ part }: { part: string }) {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const [name = '', open = ''] = part.split('/')
  const [search, setSearch] = useState('')
  const isYaml = name === 'yaml'
  const kind = Object.hasOwn(tables, name) ? name : 'services'
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
          {world && Object.keys(tables).map((one) => tab(one, capitalized(one), rowsOf(one, world).length))}
          {tab('yaml', 'YAML')}
        </nav>
        {!isYaml && <Search what={kind} value={search} onInput={setSearch} />}
      </div>
      {isYaml && <Yaml />}
      {world && !isYaml && <Records key={`${account} ${kind}`} {...{ kind, world, open, search }} />}
      {world && !isYaml && open && kind !== 'sessions' && (
        <Drawer key={`${kind} ${open}`} kind={kind as RecordKind} id={open} world={world} />
      )}
    </>
  )
}

/** The records of a kind, the highest id first. */
function rowsOf(kind: string, world: World): Row[] {
  if (kind === 'sessions') return sessionRows(world)
  return Object.entries<Patch>(world[kind as RecordKind] as never).toSorted(
    ([a], [b]) => Number(b) - Number(a),
  )
}

interface RecordsProps {
  kind: string
  world: World
  open: string
  search: string
}

/** A row opens its record; that of a session, its service. */
function Records({ kind, world, open, search }: RecordsProps) {
  const of = kind === 'sessions' ? 'services' : (kind as RecordKind)
  const all = useMemo(() => rowsOf(kind, world), [world[of]])
  const wanted = search.trim().toLowerCase()
  const rows = useMemo(
    () =>
      all.filter(([id, record]) => wanted === '' || id.includes(wanted) || textOf(record).includes(wanted)),
    [all, wanted],
  )
  const { noun = '', hint = '' } = tables[kind] ?? {}
  const label = kind === 'sessions' ? 'Sticky sessions' : capitalized(kind)
  return (
    <Table
      label={label}
      widths={widthsOf(kind)}
      rows={rows}
      keyOf={([id, record]) => (kind === 'sessions' ? `${id} ${textOf(record)}` : id)}
      columns={columnsOf(kind)}
      open={open}
      onOpen={([id]) => go(link('data', `${of}/${id}`))}
      empty={
        <>
          {wanted === '' ? `No ${label.toLowerCase()}. ${hint}` : `No ${noun} matches.`}{' '}
          <a href="/docs/guide/scenarios">How to start with other records</a>
        </>
      }
    />
  )
}

/** The displayed fields of a record, without passwords */
function textOf(record: Patch): string {
  return searchText(record, () =>
    Object.values({ ...record, password: '' }).filter((value) => typeof value !== 'object'),
  )
}
