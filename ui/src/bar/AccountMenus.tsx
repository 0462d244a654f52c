import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { basic } from '../lib/apiRequest.ts'
import { money, plural } from '../lib/format.ts'
import { Copy } from '../parts/Copy.tsx'
import { closeMenu, Menu } from '../parts/Menu.tsx'
import { attempt } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'

export function AccountMenu() {
  const account = useApp((state) => state.account)
  const count = useApp((state) => state.accounts.length)
  return (
    <Menu
      name="account"
      title="Account"
      label={<ChipText name="account" value={account ?? `All accounts (${count})`} />}
    >
      <AccountList hasAll />
      <p class="menu-end">
        <a href={link('data', 'accounts')} onClick={closeMenu}>
          Make or delete accounts
        </a>
      </p>
    </Menu>
  )
}

/** What a chip tells, after what it tells it of. */
export function ChipText({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <>
      <span class="chip-name">{name}</span> <span class="chip-value">{value}</span>
    </>
  )
}

/** Accounts to choose from, some of them by a search where there are many. */
export function AccountList({ hasAll = false }: { hasAll?: boolean }) {
  const accounts = useApp((state) => state.accounts)
  const chosen = useApp((state) => state.account)
  const [search, setSearch] = useState('')
  const shown = accounts.filter(({ login }) => login.toLowerCase().includes(search.toLowerCase()))
  const choose = (login: string | undefined) => {
    closeMenu()
    void attempt(() => chooseAccount(login, true))
  }
  return (
    <>
      {accounts.length > 8 && (
        <input
          type="search"
          aria-label="Search the accounts"
          placeholder="Search accounts"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul class="choices">
        {hasAll && search === '' && (
          <li>
            <button type="button" aria-pressed={chosen === undefined} onClick={() => choose(undefined)}>
              <b>All accounts</b> <small>{plural(accounts.length, 'account')}</small>
            </button>
          </li>
        )}
        {shown.slice(0, 100).map(({ login, credit, services }) => (
          <li key={login}>
            <button type="button" aria-pressed={login === chosen} onClick={() => choose(login)}>
              <b>{login}</b>{' '}
              <small>
                {money(credit)} USD, {plural(services, 'service')}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What belongs to one account has nothing to show for all of them. */
export function ChooseAccount({ why }: { why: string }) {
  return (
    <>
      <p class="muted">{why}</p>
      <AccountList />
    </>
  )
}

/** What goes into a client's configuration. */
export function CredentialsMenu() {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const user = world && `${account}:${world.password}`
  const lines: [name: string, value: string][] = !world
    ? []
    : [
        ['Base URL', location.origin],
        ['Login', account ?? ''],
        ['Password', world.password],
        ...world.tokens.slice(-1).map((token): [string, string] => ['API token', token]),
        ['Authorization', basic(user ?? '')],
      ]
  const env = lines
    .slice(0, 3)
    .map(([name, value]) => `PROXYSIM_${name === 'Base URL' ? 'URL' : name.toUpperCase()}=${value}\n`)
    .join('')
  return (
    <Menu
      name="credentials"
      title="Credentials"
      width={440}
      label={<ChipText name="credentials" value={user ?? '…'} />}
    >
      {world ? (
        <>
          <dl class="copy-list">
            {lines.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <code>{value}</code> <Copy text={value} what={name} />
                </dd>
              </div>
            ))}
          </dl>
          <p class="menu-end">
            <Copy class="small" text={env} what="the .env" label="Copy as .env" />
          </p>
        </>
      ) : (
        <ChooseAccount why="Each account has its own credentials." />
      )}
    </Menu>
  )
}
