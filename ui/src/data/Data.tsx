import { useMemo, useState } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { capitalize } from '../lib/format.ts'
import { getSearchText } from '../lib/json.ts'
import type { Patch, RecordKind, World } from '../lib/types.ts'
import { Table } from '../parts/Table.tsx'
import { useMedia } from '../parts/useWindow.ts'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { AccountLine, Accounts } from './Accounts.tsx'
import { kinds } from './kinds.gen.ts'
import { RecordPane } from './RecordPane.tsx'
import { getColumns, getWidths } from './tables.tsx'
import { Yaml } from './Yaml.tsx'

/** The records of the chosen account, or the list of accounts if none is chosen. */
export function Data({ subpath }: { subpath: string }) {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const [tab = '', open = ''] = subpath.split('/')
  const [search, setSearch] = useState('')
  const isYaml = tab === 'yaml'
  const kind = Object.hasOwn(kinds, tab) ? (tab as RecordKind) : 'services'
  if (tab === 'accounts' || (account === undefined && !isYaml)) return <Accounts />
  const renderTab = (name: string, title: string, count?: number) => (
    <a
      href={link('data', name)}
      key={name}
      aria-current={name === (isYaml ? 'yaml' : kind) ? 'true' : undefined}
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
          {world && recordKinds.map((one) => renderTab(one, capitalize(one), Object.keys(world[one]).length))}
          {renderTab('yaml', 'YAML')}
        </nav>
        {!isYaml && <Search items={kind} value={search} onInput={setSearch} />}
      </div>
      {isYaml && <Yaml />}
      {world && !isYaml && (
        <div class={`split ${open ? 'is-open' : ''}`}>
          <div class="split-list">
            <Records key={`${account} ${kind}`} {...{ kind, world, open, search }} />
          </div>
          {open && <RecordPane key={`${kind} ${open}`} kind={kind} id={open} world={world} />}
        </div>
      )}
    </>
  )
}

interface RecordsProps {
  kind: RecordKind
  world: World
  open: string
  search: string
}

/** The table of a kind, highest id first. A row opens its record. */
function Records({ kind, world, open, search }: RecordsProps) {
  const all = useMemo(
    () => Object.entries<Patch>(world[kind] as never).toSorted(([a], [b]) => Number(b) - Number(a)),
    [world[kind]],
  )
  const query = search.trim().toLowerCase()
  const rows = useMemo(
    () =>
      all.filter(([id, record]) => query === '' || id.includes(query) || getRowText(record).includes(query)),
    [all, query],
  )
  // An open record leaves room for the first columns only.
  const columns = getColumns(kind).slice(0, useMedia('(max-width: 1399px)') && open !== '' ? 5 : undefined)
  return (
    <Table
      label={capitalize(kind)}
      widths={getWidths(kind, columns.length)}
      rows={rows}
      getKey={([id]) => id}
      columns={columns}
      open={open}
      onOpen={([id]) => go(link('data', `${kind}/${id}`))}
      empty={
        <>
          {query === '' ? `No ${kind}. ${kinds[kind].hint}` : `No ${kind} match.`}{' '}
          <a href="/docs/guide/scenarios">How to define records in a scenario</a>
        </>
      }
    />
  )
}

const recordKinds = Object.keys(kinds) as RecordKind[]

/** The searchable text of a record: its simple fields, without passwords */
function getRowText(record: Patch): string {
  return getSearchText(record, () =>
    Object.values({ ...record, password: '' }).filter((value) => typeof value !== 'object'),
  )
}
