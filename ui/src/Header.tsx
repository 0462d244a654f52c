import type { ComponentChildren } from 'preact'
import { money } from './lib/format.ts'
import { attempt } from './state/notices.ts'
import { reconnect } from './state/live.ts'
import { useApp } from './state/store.ts'
import { chooseAccount } from './state/sync.ts'

const connections = { connecting: 'connecting', live: 'live', lost: 'not connected' }

/** Where one is: scenario, account and whether what is shown is of now. */
export function Header({ skip }: { skip: ComponentChildren }) {
  const scenario = useApp((state) => state.scenario)
  const accounts = useApp((state) => state.accounts)
  const account = useApp((state) => state.account)
  const credit = useApp((state) => state.world?.credit)
  const connection = useApp((state) => state.connection)
  return (
    <header class="top">
      {skip}
      <a class="brand" href="#/requests">
        <img src="/favicon.svg" alt="" width="22" height="22" /> <span>Proxy Reselling Simulator</span>
      </a>
      <span class="top-fact">
        <span class="muted">Scenario</span> {scenario && <a href="#/control">{scenario}</a>}
      </span>
      {accounts.length > 1 ? (
        <label class="top-fact">
          <span class="muted">Account</span>{' '}
          <select
            value={account}
            onChange={(event) => {
              const login = event.currentTarget.value
              void attempt(() => chooseAccount(login))
            }}
          >
            {accounts.map(({ login }) => (
              <option key={login} value={login}>
                {login}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span class="top-fact">
          <span class="muted">Account</span> <span>{account}</span>
        </span>
      )}
      {credit !== undefined && (
        <span class="top-fact">
          <span class="muted">Credit</span> <b>{money(credit)}</b>
        </span>
      )}
      <span class={`connection connection-${connection}`}>
        <span role="status">{connections[connection]}</span>
        {connection === 'lost' && (
          <button type="button" class="small" onClick={reconnect}>
            Retry
          </button>
        )}
      </span>
    </header>
  )
}
