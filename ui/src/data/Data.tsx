import { useState } from 'preact/hooks'
import type { RecordKind } from '../lib/types.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { AccountLine } from './AccountLine.tsx'
import { Accounts } from './Accounts.tsx'
import { Drawer } from './Drawer.tsx'
import { RecordTable } from './RecordTable.tsx'
import { sessionRows } from './tables.tsx'
import { Yaml } from './Yaml.tsx'

const parts = {
  services: 'Services',
  sessions: 'Sessions',
  invoices: 'Invoices',
  clients: 'Clients',
  products: 'Products',
  yaml: 'YAML',
}
type Part = keyof typeof parts

/** What the chosen account owns; for all accounts, the accounts. */
export function Data({ part }: { part: string }) {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const [name = '', open = ''] = part.split('/')
  const [search, setSearch] = useState('')
  const chosen: Part = Object.hasOwn(parts, name) ? (name as Part) : 'services'
  const isYaml = chosen === 'yaml'
  if (name === 'accounts' || (account === undefined && !isYaml)) return <Accounts />
  if (!world && !isYaml) return <h1 class="unseen">Data</h1>
  const counts = world && {
    services: Object.keys(world.services).length,
    sessions: sessionRows(world).length,
    invoices: Object.keys(world.invoices).length,
    clients: Object.keys(world.clients).length,
    products: Object.keys(world.products).length,
    yaml: undefined,
  }
  return (
    <>
      <h1 class="unseen">Data</h1>
      {world && <AccountLine key={account} world={world} />}
      <div class="toolbar">
        <nav class="chips" aria-label="Kinds of records">
          {Object.entries(parts).map(([one, title]) => (
            <a href={link('data', one)} key={one} aria-current={one === chosen ? 'true' : undefined}>
              {title} <span class="count">{counts?.[one as Part]?.toLocaleString('en')}</span>
            </a>
          ))}
        </nav>
        {!isYaml && (
          <input
            type="search"
            aria-label={`Search the ${chosen}`}
            aria-keyshortcuts="/"
            placeholder={`Search ${chosen}`}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        )}
      </div>
      {isYaml || !world ? (
        <Yaml />
      ) : (
        <>
          <RecordTable key={`${account} ${chosen}`} kind={chosen} world={world} open={open} search={search} />
          {open && chosen !== 'sessions' && (
            <Drawer key={`${chosen} ${open}`} kind={chosen as RecordKind} id={open} world={world} />
          )}
        </>
      )}
    </>
  )
}
