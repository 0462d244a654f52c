import { useState } from 'preact/hooks'
import { accountPath, admin } from '../lib/admin.ts'
import { capitalized, dateTime, money, numberOf, plural } from '../lib/format.ts'
import type { AccountSummary, RecordKind, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { Editable, Search, TextForm } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { attempt, change, destroy, patchWorld } from '../state/actions.ts'
import { go, link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { chooseAccount, syncAccounts } from '../state/sync.ts'
import { kinds } from './kinds.gen.ts'

/** All accounts. Each is isolated from the others, so tests that use different accounts can run in parallel. */
export function Accounts() {
  const accounts = useApp((state) => state.accounts)
  const [search, setSearch] = useState('')
  const rows = accounts.filter(({ login }) => login.toLowerCase().includes(search.toLowerCase()))
  return (
    <>
      <h1 class="unseen">Data</h1>
      <div class="toolbar">
        <h2>Accounts</h2>
        <Search what="accounts" value={search} onInput={setSearch} />
        <span class="toolbar-end">
          <TextForm
            label="Login of the new account"
            placeholder="Login (optional)"
            button="New account"
            onSubmit={makeAccount}
          />
        </span>
      </div>
      <Table
        label="Accounts"
        widths={`minmax(96px, 2fr) repeat(${listed.length + 2}, minmax(72px, 1fr)) minmax(144px, 2fr) 80px`}
        rows={rows}
        keyOf={({ login }) => login}
        columns={columns}
        onOpen={({ login }) => openAccount(login)}
        empty={search === '' ? <NoAccounts /> : 'No account matches.'}
      />
    </>
  )
}

function number(name: string, of: (account: AccountSummary) => number): Column<AccountSummary> {
  return { name, isNumber: true, isLabelled: true, cell: of, sortBy: of }
}

function NoAccounts() {
  return (
    <>
      No accounts. <Button action={async () => void (await makeAccount(''))}>Create one</Button> or read{' '}
      <a href="/docs/guide/scenarios">how scenarios define them</a>.
    </>
  )
}

/** The kinds of records that the list of accounts counts. Products are the provider's. */
const listed = (Object.keys(kinds) as RecordKind[]).filter((kind) => kind !== 'products')

const columns: Column<AccountSummary>[] = [
  { name: 'Login', cell: ({ login }) => <b>{login}</b>, sortBy: ({ login }) => login },
  { ...number('Credit', ({ credit }) => credit), cell: ({ credit }) => money(credit) },
  ...listed.map((kind) => number(capitalized(kind), (account) => account[kind])),
  number('Faults', ({ faults }) => faults),
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

/** Like the scenario's first account. @returns why it was refused */
function makeAccount(login: string): Promise<string | undefined> {
  let made = ''
  return change(
    async () => {
      made = (await admin<{ login: string }>('POST', '/accounts', login === '' ? {} : { login })).login
      await syncAccounts()
    },
    () => `Account ${made} created.`,
  )
}

async function deleteAccount(login: string): Promise<void> {
  const isDone = await destroy(
    `Before account ${login} was deleted`,
    () => admin('DELETE', accountPath(login)),
    `Account ${login} deleted, with everything it owned.`,
  )
  if (isDone) go(link('data', 'accounts'))
}

/** Credit, password and tokens of the account. */
export function AccountLine({ world }: { world: World }) {
  const account = useApp((state) => state.account) ?? ''
  return (
    <div class="account-line">
      <label>
        <span>Credit, USD</span>
        <Editable label="Credit in USD" value={world.credit.toFixed(2)} onSave={saveCredit} />
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
        label={plural(world.tokens.length, 'API token')}
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
  const credit = numberOf(text) ?? text
  return patchWorld({ credit }, `Credit set to ${money(credit)}.`)
}

/** Each is accepted instead of the password. */
function Tokens({ account, tokens }: { account: string; tokens: readonly string[] }) {
  const path = accountPath(account)
  const generate = () => change(() => admin('POST', `${path}/tokens`), 'API token generated.')
  const revoke = (token: string) =>
    destroy(
      'Before an API token was revoked',
      () => admin('PATCH', path, { tokens: tokens.filter((one) => one !== token) }),
      'API token revoked.',
    )
  return (
    <>
      <p class="muted">You can use an API token instead of the password.</p>
      <Lines
        label="API tokens"
        lines={tokens.toReversed().map((token) => ({
          key: token,
          text: (
            <>
              <code>{token}</code> <Copy text={token} what={`token ${token}`} />
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
