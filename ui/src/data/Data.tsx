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
import { getColumns, sessionRows, tables, getWidths, type Row } from './tables.tsx'
import { Yaml } from './Yaml.tsx'

/** The records of the chosen account, or the list of accounts if none is chosen. */
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
        <nav class="chips" aria-label="Record kinds">
          {world && Object.keys(tables).map((one) => tab(one, capitalized(one), getRows(one, world).length))}
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

/** The records of a kind, highest id first. */
function getRows(kind: string, world: World): Row[] {
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

/** The table of a kind. A row opens its record; a session's row opens its service. */
function Records({ kind, world, open, search }: RecordsProps) {
  const of = kind === 'sessions' ? 'services' : (kind as RecordKind)
  const all = useMemo(() => getRows(kind, world), [world[of]])
  const query = search.trim().toLowerCase()
  const rows = useMemo(
    () => all.filter(([id, record]) => query === '' || id.includes(query) || rowText(record).includes(query)),
    [all, query],
  )
  const hint = tables[kind]?.hint ?? ''
  const label = kind === 'sessions' ? 'sticky sessions' : kind
  return (
    <Table
      label={capitalized(label)}
      widths={getWidths(kind)}
      rows={rows}
      getKey={([id, record]) => (kind === 'sessions' ? `${id} ${rowText(record)}` : id)}
      columns={getColumns(kind)}
      open={open}
      onOpen={([id]) => go(link('data', `${of}/${id}`))}
      empty={
        <>
          {query === '' ? `No ${label}. ${hint}` : `No ${label} match.`}{' '}
          <a href="/docs/guide/scenarios">How to define records in a scenario</a>
        </>
      }
    />
  )
}

/** The searchable text of a record: its simple fields, without passwords */
function rowText(record: Patch): string {
  return searchText(record, () =>
    Object.values({ ...record, password: '' }).filter((value) => typeof value !== 'object'),
  )
}
