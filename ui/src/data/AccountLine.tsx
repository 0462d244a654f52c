import { accountPath, admin } from '../lib/admin.ts'
import { money, numberOf, plural } from '../lib/format.ts'
import type { World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { Editable } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { change, destroy, patchWorld } from '../state/actions.ts'
import { useApp } from '../state/store.ts'
import { deleteAccount } from './Accounts.tsx'

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
  // What isn't a number is sent as typed, so that the simulator says what is wrong.
  const credit = numberOf(text) ?? text
  return patchWorld({ credit }, `Credit set to ${money(credit)}.`)
}

/** Each is accepted in place of the password. */
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
