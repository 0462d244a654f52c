import { useId, useState } from 'preact/hooks'
import { accountPath, admin } from '../lib/admin.ts'
import { dateTime, money } from '../lib/format.ts'
import type { AccountSummary } from '../lib/types.ts'
import { Button, submits } from '../parts/Button.tsx'
import { FieldError } from '../parts/Field.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { attempt, destroy, fieldText, refusalOf, tell } from '../state/actions.ts'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { chooseAccount, syncAccounts } from '../state/sync.ts'

/** All accounts: each is isolated from the others, so tests with an account each can run at the same time. */
export function Accounts() {
  const accounts = useApp((state) => state.accounts)
  const [search, setSearch] = useState('')
  const rows = accounts.filter(({ login }) => login.toLowerCase().includes(search.toLowerCase()))
  return (
    <>
      <h1 class="unseen">Data</h1>
      <div class="toolbar">
        <h2>Accounts</h2>
        <input
          type="search"
          aria-label="Search the accounts"
          aria-keyshortcuts="/"
          placeholder="Search accounts"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <span class="toolbar-end">
          <NewAccount />
        </span>
      </div>
      <Table
        label="Accounts"
        widths="minmax(96px, 2fr) 96px 72px 72px 72px 64px minmax(128px, 1fr) 80px"
        rows={rows}
        keyOf={({ login }) => login}
        columns={columns}
        onOpen={({ login }) => openAccount(login)}
        empty={search === '' ? 'No accounts.' : 'No account matches.'}
      />
    </>
  )
}

const columns: Column<AccountSummary>[] = [
  { name: 'Login', cell: ({ login }) => <b>{login}</b> },
  { name: 'Credit', isNumber: true, cell: ({ credit }) => money(credit) },
  { name: 'Services', isNumber: true, cell: ({ services }) => services },
  { name: 'Invoices', isNumber: true, cell: ({ invoices }) => invoices },
  { name: 'Clients', isNumber: true, cell: ({ clients }) => clients },
  { name: 'Faults', isNumber: true, cell: ({ faults }) => faults },
  {
    name: 'Clock',
    cell: ({ clock: { now, frozen } }) =>
      `${dateTime(Date.parse(now)).slice(0, 16)}${frozen ? ' frozen' : ''}`,
  },
  {
    name: 'Delete',
    cell: ({ login }) => (
      <Button class="small quiet" aria-label={`Delete ${login}`} action={() => deleteAccount(login)}>
        Delete
      </Button>
    ),
  },
]

function openAccount(login: string): void {
  go(link('data', 'services'))
  void attempt(() => chooseAccount(login, true))
}

/** Like the scenario's first account. */
function NewAccount() {
  const id = useId()
  const [login, setLogin] = useState('')
  const [refused, setRefused] = useState<string>()
  const make = async () => {
    const refusal = await refusalOf(async () => {
      const made = await admin<{ login: string }>('POST', '/accounts', login === '' ? {} : { login })
      await syncAccounts()
      tell('done', `Account ${made.login} created.`)
      setLogin('')
    })
    setRefused(refusal && fieldText(refusal))
  }
  return (
    <form class="inline editable" onSubmit={submits(make)}>
      <input
        aria-label="Login of the new account"
        placeholder="Login (optional)"
        autocomplete="off"
        aria-invalid={refused !== undefined}
        {...(refused !== undefined && { 'aria-describedby': id })}
        value={login}
        onInput={(event) => setLogin(event.currentTarget.value)}
      />
      <Button type="submit">New account</Button>
      <FieldError id={id} reason={refused} />
    </form>
  )
}

export async function deleteAccount(login: string): Promise<void> {
  const isDone = await destroy(
    `Before account ${login} was deleted`,
    () => admin('DELETE', accountPath(login)),
    `Account ${login} deleted, with everything it owned.`,
  )
  if (isDone) go(link('data', 'accounts'))
}
