import { useState } from 'preact/hooks'
import { accountPath, admin } from '../lib/admin.ts'
import { dateTime, money } from '../lib/format.ts'
import { numberOf } from '../lib/numberOf.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { savePatch } from '../state/change.ts'
import { attempt } from '../state/notices.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { useApp } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'
import { useNow } from '../state/useNow.ts'

/** Credit, time and tokens of the account. */
export function Standing() {
  const credit = useWorld((world) => world.credit) ?? 0
  const isFrozen = useWorld((world) => world.clock.frozen)
  const tokens = useWorld((world) => world.tokens.length) ?? 0
  const password = useWorld((world) => world.password) ?? ''
  const isPast = useReadOnly()
  const now = useNow()
  return (
    <div class="standing">
      <label class="standing-credit">
        <span>Credit, USD</span>
        <EditableText
          label="Credit in USD"
          inputMode="decimal"
          value={credit.toFixed(2)}
          onSave={saveCredit}
        />
      </label>
      <div>
        <span>Clock (UTC)</span>
        <b class="figure">{dateTime(now)}</b>
        <span class="muted">
          {isPast ? (
            'at that request'
          ) : (
            <>
              {isFrozen ? 'frozen' : 'running'} · <a href="#/control">change</a>
            </>
          )}
        </span>
      </div>
      <label class="standing-password">
        <span>Password</span>
        <EditableText
          label="Password"
          value={password}
          onSave={(to) => savePatch({ password: to }, 'The password is changed.')}
        />
      </label>
      <Tokens count={tokens} />
    </div>
  )
}

async function saveCredit(text: string): Promise<string | undefined> {
  const credit = numberOf(text)
  if (credit === undefined) return `“${text}” is not an amount.`
  return savePatch({ credit }, `The credit is ${money(credit)}.`)
}

/** The dashboard's action of that name in the document: Generate API token. */
function Tokens({ count }: { count: number }) {
  const account = useApp((state) => state.account)
  const [token, setToken] = useState<string>()
  const generate = () =>
    attempt(async () => {
      const made = await admin<{ token: string }>('POST', `${accountPath(account ?? '')}/tokens`)
      setToken(made.token)
      await syncWorld()
    })
  return (
    <div class="standing-tokens">
      <span>
        API tokens: <b>{count}</b>
      </span>
      <ActionButton disabled={useReadOnly()} action={generate}>
        Generate API token
      </ActionButton>
      <span role="status" class="new-token">
        {token !== undefined && (
          <>
            <code>{token}</code> <CopyButton text={token} what="the token" />
          </>
        )}
      </span>
    </div>
  )
}
