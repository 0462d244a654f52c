import { accountPath, admin } from '../lib/admin.ts'
import { requestOfEntry } from '../lib/requestOfEntry.ts'
import type { ApiRequest } from '../lib/snippets/ApiRequest.ts'
import type { JournalEntry, WorldView } from '../lib/types.ts'
import { attempt, tell } from '../state/notices.ts'
import { go, readRoute } from '../state/route.ts'
import { getState, until } from '../state/store.ts'
import { send } from '../try/send.ts'

/** What stands in the journal for a credential */
const redacted = '[redacted]'

/** Whether all that it takes is known: the journal keeps no credentials, neither those that were refused nor a body's. */
export function canSendAgain({ account, request: { headers, body } }: JournalEntry): boolean {
  const isKnown = account !== null || headers['authorization'] === undefined
  return isKnown && !(JSON.stringify(body) ?? '').includes(redacted)
}

/** Sends a request once more, with the account's credentials of now. */
export async function sendAgain(entry: JournalEntry): Promise<void> {
  const { account } = entry
  let user: string | undefined
  const isRead = await attempt(async () => {
    if (account === null) return
    const { password } = await admin<WorldView>('GET', accountPath(account))
    user = `${account}:${password}`
  })
  // Nobody waits for the response: a fault may delay it by minutes.
  if (isRead) void sendAndOpen(entry, requestOfEntry(entry, location.origin, user))
}

/** Sends a request and opens it in the journal when it has been answered. */
async function sendAndOpen({ method, path }: JournalEntry, request: ApiRequest): Promise<void> {
  const newest = getState().entries[0]?.id ?? 0
  await send(request)
  const made = await until(
    ({ entries }) => entries.find((one) => one.id > newest && one.method === method && one.path === path),
    5000,
  )
  if (!made) return tell('failed', 'It was sent, but did not appear in the journal.')
  go('requests', String(made.id), Object.fromEntries(new URLSearchParams(readRoute().query)))
  tell('done', `Sent again as request ${made.id}.`)
}
