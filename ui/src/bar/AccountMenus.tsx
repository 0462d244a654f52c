import type { ComponentChildren } from 'preact'
import { Search } from '../parts/Field.tsx'
import { useState } from 'preact/hooks'
import { formatBasicAuth } from '../lib/apiRequest.ts'
import { formatMoney, pluralize } from '../lib/format.ts'
import type { AccountSummary, World } from '../lib/types.ts'
import { Copy } from '../parts/Copy.tsx'
import { closeMenu, Menu } from '../parts/Menu.tsx'
import { Facts } from '../parts/small.tsx'
import { attempt } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { getAccountName, useApp } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'

export function AccountMenu() {
  const { account, accounts } = useApp()
  const value = account === undefined ? `all (${accounts.length})` : getAccountName(accounts, account)
  return (
    <Menu name="account" title="Account" label={<ChipText name="account" value={value} />}>
      <AccountList accounts={accounts} hasAll />
      <a href={link('data', 'accounts')} onClick={closeMenu}>
        Create or delete accounts
      </a>
    </Menu>
  )
}

/** A chip's name and value. */
export function ChipText({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <>
      <span class="chip-name">{name}</span> <span class="chip-value">{value}</span>
    </>
  )
}

interface AccountListProps {
  accounts: readonly AccountSummary[]
  hasAll?: boolean
}

/** A list to choose an account from, with a search field if there are many. */
function AccountList({ accounts, hasAll = false }: AccountListProps) {
  const chosen = useApp((state) => state.account)
  const [search, setSearch] = useState('')
  const shown = accounts.filter(({ login, label = '' }) =>
    `${label} ${login}`.toLowerCase().includes(search.toLowerCase()),
  )
  const choose = (login: string | undefined) => {
    closeMenu()
    void attempt(() => chooseAccount(login, true))
  }
  return (
    <>
      {accounts.length > 8 && <Search items="accounts" value={search} onInput={setSearch} />}
      <ul class="choices">
        {hasAll && search === '' && (
          <li>
            <button type="button" aria-pressed={chosen === undefined} onClick={() => choose(undefined)}>
              <b>All accounts</b> <small>{pluralize(accounts.length, 'account')}</small>
            </button>
          </li>
        )}
        {shown.slice(0, 100).map(({ login, label, credit, services, faults }) => (
          <li key={login}>
            <button type="button" aria-pressed={login === chosen} onClick={() => choose(login)}>
              <b>{label ?? login}</b>{' '}
              <small>
                {label !== undefined && `${login}, `}
                {formatMoney(credit)} USD, {pluralize(services, 'service')}
                {faults > 0 && `, ${pluralize(faults, 'fault')}`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A hint and a list of accounts, shown instead of content that exists only per account. */
export function ChooseAccount({ hint, accounts }: { hint: string; accounts?: readonly AccountSummary[] }) {
  const all = useApp((state) => state.accounts)
  return (
    <>
      <p class="muted">{hint}</p>
      <AccountList accounts={accounts ?? all} />
    </>
  )
}

/** Base URL and credentials for configuring a client. */
export function CredentialsMenu() {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const user = world && `${account}:${world.password}`
  const label = <ChipText name="credentials" value={user ?? 'per account'} />
  return (
    <Menu name="credentials" title="Credentials" width={440} label={label}>
      {world ? (
        <Credentials account={account ?? ''} world={world} />
      ) : (
        <ChooseAccount hint="Choose an account to see its credentials." />
      )}
    </Menu>
  )
}

function Credentials({ account, world: { password, tokens } }: { account: string; world: World }) {
  const token = tokens.at(-1)
  const lines = [
    ['Base URL', location.origin],
    ['Login', account],
    ['Password', password],
    ...(token === undefined ? [] : [['API token', token] as const]),
    ['Authorization', formatBasicAuth(`${account}:${password}`)],
  ] as const
  const env = `PROXYSIM_URL=${location.origin}\nPROXYSIM_LOGIN=${account}\nPROXYSIM_PASSWORD=${password}\n`
  const renderValue = (name: string, text: string) => (
    <>
      <code>{text}</code> <Copy text={text} name={name} />
    </>
  )
  return (
    <>
      <Facts rows={lines.map(([name, text]) => [name, renderValue(name, text)])} />
      <Copy class="small" text={env} name="the .env file" label="Copy as .env" />
    </>
  )
}
