import { useState } from 'preact/hooks'
import { accountPath, admin } from '../lib/admin.ts'
import { capitalize, formatDateTime, formatMoney, parseNumber, pluralize } from '../lib/format.ts'
import type { AccountSummary, RecordKind, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { Editable, Search, TextForm } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { attempt, changeState, patchWorld, withUndo } from '../state/actions.ts'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'
import { kinds } from './kinds.gen.ts'

/** All accounts. They are isolated, so tests that use different accounts can run in parallel. */
export function Accounts() {
  const accounts = useApp((state) => state.accounts)
  const [search, setSearch] = useState('')
  const rows = accounts.filter(({ login, label = '' }) =>
    `${login} ${label}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <>
      <h1 class="unseen">Data</h1>
      <div class="toolbar">
        <h2>Accounts</h2>
        <Search items="accounts" value={search} onInput={setSearch} />
        <span class="toolbar-end">
          <TextForm
            label="Login of the new account"
            placeholder="Login (optional)"
            button="New account"
            onSubmit={createAccount}
          />
        </span>
      </div>
      <Table
        label="Accounts"
        narrowHeight={80}
        widths={`minmax(96px, 3fr) minmax(144px, 2fr) repeat(${countedKinds.length + 2}, minmax(72px, 1fr)) 80px`}
        rows={rows}
        getKey={({ login }) => login}
        columns={columns}
        onOpen={({ login }) => openAccount(login)}
        empty={search === '' ? 'No accounts. Create one above.' : 'No accounts match.'}
      />
    </>
  )
}

function numberColumn(name: string, getValue: (account: AccountSummary) => number): Column<AccountSummary> {
  return { name, isNumber: true, isLabelled: true, cell: getValue, sortBy: getValue }
}

/** The kinds of records counted in the list of accounts. Products belong to the provider. */
const countedKinds = (Object.keys(kinds) as RecordKind[]).filter((kind) => kind !== 'products')

const columns: Column<AccountSummary>[] = [
  {
    name: 'Login',
    cell: ({ login, label }) => (
      <>
        <b>{login}</b> {label}
      </>
    ),
    sortBy: ({ login }) => login,
  },
  {
    name: 'Clock',
    cell: ({ clock: { now, frozen } }) =>
      `${formatDateTime(Date.parse(now)).slice(0, 16)}${frozen ? ' frozen' : ''}`,
  },
  { ...numberColumn('Credit', ({ credit }) => credit), cell: ({ credit }) => formatMoney(credit) },
  ...countedKinds.map((kind) => numberColumn(capitalize(kind), (account) => account[kind])),
  numberColumn('Faults', ({ faults }) => faults),
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

/** Creates an account like the scenario's first one. @returns the reason if it was refused */
function createAccount(login: string): Promise<string | undefined> {
  let created = ''
  return changeState(
    'Before creating an account',
    async () => {
      created = (await admin<{ login: string }>('POST', '/accounts', login === '' ? {} : { login })).login
    },
    () => `Account ${created} created.`,
  )
}

async function deleteAccount(login: string): Promise<void> {
  const isDone = await withUndo(
    `Before deleting account ${login}`,
    () => admin('DELETE', accountPath(login)),
    `Account ${login} deleted, including its records.`,
  )
  if (isDone) go(link('data', 'accounts'))
}

/** Credit, password and tokens of the account. */
export function AccountLine({ world }: { world: World }) {
  const account = useApp((state) => state.account) ?? ''
  return (
    <div class="account-line">
      <label>
        <span>Credit (USD)</span>
        <Editable label="Credit (USD)" value={world.credit.toFixed(2)} onSave={saveCredit} />
      </label>
      <label>
        <span>Password</span>
        <Editable
          label="Password"
          value={world.password}
          onSave={(password) => patchWorld({ password }, 'Password changed.')}
        />
      </label>
      <Menu
        name="tokens"
        title="API tokens"
        width={420}
        class="chip"
        label={pluralize(world.tokens.length, 'API token')}
      >
        <Tokens account={account} tokens={world.tokens} />
      </Menu>
      <Button class="quiet" action={() => deleteAccount(account)}>
        Delete account
      </Button>
    </div>
  )
}

function saveCredit(text: string): Promise<string | undefined> {
  // Text that isn't a number is sent unchanged, so that the simulator reports the mistake.
  const credit = parseNumber(text) ?? text
  return patchWorld({ credit }, `Credit set to ${formatMoney(credit)}.`)
}

/** The account's API tokens. Clients can use one instead of the password. */
function Tokens({ account, tokens }: { account: string; tokens: readonly string[] }) {
  const path = accountPath(account)
  const generate = () =>
    withUndo('Before generating an API token', () => admin('POST', `${path}/tokens`), 'API token generated.')
  const revoke = (token: string) =>
    withUndo(
      'Before revoking an API token',
      () => admin('PATCH', path, { tokens: tokens.filter((one) => one !== token) }),
      'API token revoked.',
    )
  return (
    <>
      <p class="muted">Use an API token instead of the password.</p>
      <Lines
        label="API tokens"
        lines={tokens.toReversed().map((token) => ({
          key: token,
          text: (
            <>
              <code>{token}</code> <Copy text={token} name={`token ${token}`} />
            </>
          ),
          button: 'Revoke',
          label: `Revoke ${token}`,
          action: () => revoke(token),
        }))}
      />
      <Button action={generate}>Generate API token</Button>
    </>
  )
}
