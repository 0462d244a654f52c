import { accountPath, admin, fetchAdmin, accountQuery } from '../lib/admin.ts'
import { formatCurl, matchPath, rebuildRequest, send } from '../lib/apiRequest.ts'
import { splitReason } from '../lib/faults.ts'
import type { JournalEntry, Patch, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { closeMenu, Menu, openMenu } from '../parts/Menu.tsx'
import { attempt, rewind } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { getState, setState } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'
import { openSent } from './NewRequest.tsx'

/** Actions on a request: send it again, rewind to before it, make it fail, or export it. */
export function EntryActions({ entry }: { entry: JournalEntry }) {
  const { id, method, path, account, version } = entry
  const { body } = rebuildRequest(entry)
  const renderEditLink = (className: string) => (
    <a
      class={className}
      href={link('requests', 'new', { method, path, ...(body !== undefined && { body }) })}
    >
      Edit and resend
    </a>
  )
  return (
    <div class="actions">
      {canSendAgain(entry) ? (
        <Button class="primary" action={() => sendAgain(entry)}>
          Send again
        </Button>
      ) : (
        renderEditLink('button primary')
      )}
      {version !== null && <RewindButton entry={entry} />}
      <Menu name="entry" title="More actions" isButtonTitled class="" label="More" width={240}>
        <div class="menu-list">
          {canSendAgain(entry) && renderEditLink('button')}
          <button type="button" onClick={() => void failCall(entry)}>
            Fail this call…
          </button>
          <Copy class="" name="the scenario" label="Copy as scenario" text={() => fetchScenario(id)} />
          <Copy
            class=""
            name="the request as curl"
            label="Copy as curl"
            text={async () => formatCurl(rebuildRequest(entry, await fetchUser(account)))}
          />
          <Button action={() => saveHar(account ?? undefined)}>Download journal as HAR</Button>
        </div>
      </Menu>
    </div>
  )
}

/** A button that takes the account back to before a request. */
export function RewindButton({ entry }: { entry: JournalEntry }) {
  return (
    <Button title="Rewinds the account to before this request" action={() => rewind(entry)}>
      Make it happen again
    </Button>
  )
}

/** Whether the request can be rebuilt. The journal redacts wrong credentials and secrets in bodies. */
function canSendAgain({ account, request: { headers, body } }: JournalEntry): boolean {
  const isKnown = account !== null || headers['authorization'] === undefined
  return isKnown && !(JSON.stringify(body) ?? '').includes('[redacted]')
}

/** Sends a request again with the account's current credentials. */
async function sendAgain(entry: JournalEntry): Promise<void> {
  await attempt(async () => {
    const request = rebuildRequest(entry, await fetchUser(entry.account))
    // The response is not awaited, because a fault may delay it by minutes.
    void openSent(request, send(request))
  })
}

async function fetchUser(account: string | null): Promise<string | undefined> {
  if (account === null) return undefined
  const { password } = await admin<World>('GET', accountPath(account))
  return `${account}:${password}`
}

/** Returns a scenario that reproduces the request. */
async function fetchScenario(id: number): Promise<string | undefined> {
  let text: string | undefined
  await attempt(async () => {
    const response = await fetchAdmin(`/requests/${id}/repro`, { headers: { accept: 'application/yaml' } })
    text = await response.text()
  })
  return text
}

function saveHar(account: string | undefined): Promise<boolean> {
  return attempt(async () => {
    const response = await fetchAdmin(`/requests.har${accountQuery(account)}`)
    const url = URL.createObjectURL(await response.blob())
    Object.assign(document.createElement('a'), { href: url, download: 'requests.har' }).click()
    URL.revokeObjectURL(url)
  })
}

/** Opens the fault form with the fault or error of this request, or with an error if the request succeeded. */
async function failCall(entry: JournalEntry): Promise<void> {
  const { account } = entry
  if (account !== null && account !== getState().account) await attempt(() => chooseAccount(account, true))
  setState({ faultDraft: draftFault(entry) })
  closeMenu()
  openMenu('faults')
}

function draftFault({ operation, status, path, case: name, reason, change }: JournalEntry): Patch {
  const id = Number(splitReason(reason ?? '')[0].split(' ')[1])
  const { phase, respond, drop, delay, stale } = getState().world?.faults.find((one) => one.id === id) ?? {}
  const template = getState().coverage?.operations.find((one) => one.operation === operation)?.path
  const values = template === undefined ? {} : matchPath(template, path)
  return {
    operation: operation ?? '*',
    ...(values && Object.keys(values).length > 0 && { match: { path: values } }),
    ...(phase !== undefined
      ? { phase, respond, drop, delay, stale }
      : status === null
        ? { drop: 'reset', ...(change !== null && { phase: 'after' }) }
        : { respond: name ?? { status: status < 400 ? 503 : status } }),
  }
}
