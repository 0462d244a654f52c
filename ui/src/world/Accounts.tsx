import { money, plural } from '../lib/format.ts'
import { attempt } from '../state/notices.ts'
import { useApp } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'

/** All accounts, where there is more than one. */
export function Accounts() {
  const accounts = useApp((state) => state.accounts)
  const chosen = useApp((state) => state.account)
  if (accounts.length < 2) return null
  return (
    <div class="accounts" role="group" aria-label="Accounts">
      {accounts.map(({ login, credit, services, invoices, sessions }) => (
        <button
          type="button"
          key={login}
          aria-pressed={login === chosen}
          onClick={() => void attempt(() => chooseAccount(login))}
        >
          <b>{login}</b> <span>{money(credit)} USD</span>
          <span class="muted">
            {plural(services, 'service')}, {plural(invoices, 'invoice')}, {plural(sessions, 'session')}
          </span>
        </button>
      ))}
    </div>
  )
}
