import { accountPath, admin, fetchAdmin } from '../lib/admin.ts'
import { curl, matchesPath, requestOfEntry } from '../lib/apiRequest.ts'
import type { JournalEntry, Patch, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { closeMenu, Menu, openMenu } from '../parts/Menu.tsx'
import { attempt, rewind } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { getState, setState } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'
import { saveFile } from './Requests.tsx'
import { sendAndOpen } from './sendAndOpen.ts'

/** What one can do with a request: send it again; behind that, go back to before it, provoke it, take it elsewhere. */
export function EntryActions({ entry, isGone }: { entry: JournalEntry; isGone: boolean }) {
  const { id, method, path, account, version, request } = entry
  const canRewind = version !== null && !isGone
  const body =
    request.body === null
      ? {}
      : { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }
  const edit = link('requests', 'new', { method, path, ...body })
  const asCurl = async () => {
    let text: string | undefined
    await attempt(async () => {
      text = curl(requestOfEntry(entry, await userOf(account)))
    })
    return text
  }
  return (
    <div class="actions">
      {canSendAgain(entry) ? (
        <Button class="primary" action={() => sendAgain(entry)}>
          Send again
        </Button>
      ) : (
        <a class="button primary" href={edit}>
          Edit and resend
        </a>
      )}
      <Menu name="entry" title="More actions" isButtonTitled class="" label="…" width={240}>
        <div class="menu-list">
          {canSendAgain(entry) && (
            <a class="button" href={edit}>
              Edit and resend
            </a>
          )}
          {canRewind && <Button action={() => rewind(entry)}>Rewind to before this</Button>}
          <button type="button" onClick={() => void failCall(entry)}>
            Fail this call…
          </button>
          {!isGone && (
            <Copy
              class=""
              what="a scenario that reproduces it"
              label="Copy as scenario"
              text={() => scenarioOf(id)}
            />
          )}
          <Copy class="" what="the request as curl" label="Copy as curl" text={asCurl} />
          <button type="button" onClick={() => void saveHarOf(entry)}>
            Save as HAR
          </button>
        </div>
      </Menu>
    </div>
  )
}

/** Whether all that it takes is known: the journal keeps no credentials, neither wrong ones nor a body's. */
function canSendAgain({ account, request: { headers, body } }: JournalEntry): boolean {
  const isKnown = account !== null || headers['authorization'] === undefined
  return isKnown && !(JSON.stringify(body) ?? '').includes('[redacted]')
}

/** Sends a request once more, with the account's credentials of now. */
async function sendAgain(entry: JournalEntry): Promise<void> {
  await attempt(async () => {
    const user = await userOf(entry.account)
    // Nobody waits for the response: a fault may delay it by minutes.
    void sendAndOpen(requestOfEntry(entry, user))
  })
}

async function userOf(account: string | null): Promise<string | undefined> {
  if (account === null) return undefined
  const { password } = await admin<World>('GET', accountPath(account))
  return `${account}:${password}`
}

/** A scenario with the world that the request met, and the request. */
async function scenarioOf(id: number): Promise<string | undefined> {
  let text: string | undefined
  await attempt(async () => {
    const reply = await fetchAdmin(`/requests/${id}/repro`, { headers: { accept: 'application/yaml' } })
    text = await reply.text()
  })
  return text
}

/** The journal's HAR with this request alone. */
function saveHarOf({ id, account }: JournalEntry): Promise<boolean> {
  return attempt(async () => {
    const query = account === null ? '' : `?${new URLSearchParams({ account })}`
    const [har, { requests }] = await Promise.all([
      admin<{ log: { entries: unknown[] } }>('GET', `/requests.har${query}`),
      admin<{ requests: JournalEntry[] }>('GET', `/requests${query}`),
    ])
    // The HAR has the same requests, the oldest first.
    const at = requests.length - 1 - requests.findIndex((one) => one.id === id)
    saveFile(
      `request-${id}.har`,
      JSON.stringify({ log: { ...har.log, entries: har.log.entries.slice(at, at + 1) } }),
    )
  })
}

/** Opens the form for a fault that has the same call end as this one did; one that went well fails. */
async function failCall(entry: JournalEntry): Promise<void> {
  const { account } = entry
  if (account !== null && account !== getState().account) await attempt(() => chooseAccount(account, true))
  setState({ faultDraft: faultOf(entry) })
  closeMenu()
  openMenu('faults')
}

function faultOf({ operation, status, path, case: name }: JournalEntry): Patch {
  const template = getState().coverage?.operations.find(
    (one) => one.operation === operation && matchesPath(one.path, path),
  )?.path
  const match = template && pathValues(template, path)
  return {
    operation: operation ?? '*',
    ...(match && Object.keys(match).length > 0 && { match: { path: match } }),
    ...(status === null ? { drop: 'reset' } : { respond: name ?? { status: status < 400 ? 503 : status } }),
    times: 1,
  }
}

function pathValues(template: string, path: string): Record<string, string> {
  const given = (path.split('?', 1)[0] as string).split('/')
  return Object.fromEntries(
    template.split('/').flatMap((part, i) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      return name ? [[name, decodeURIComponent(given[i] ?? '')]] : []
    }),
  )
}
