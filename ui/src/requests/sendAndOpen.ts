import { send, type ApiRequest } from '../lib/apiRequest.ts'
import { tell } from '../state/actions.ts'
import { go, link, readRoute } from '../state/route.ts'
import { getState, until } from '../state/store.ts'

/** Sends a request, and opens it in the journal when it has been answered. */
export async function sendAndOpen(request: ApiRequest): Promise<void> {
  const newest = getState().entries[0]?.id ?? 0
  await send(request)
  const made = await until(
    ({ entries }) =>
      entries.findLast(
        (one) => one.id > newest && one.method === request.method && one.path === request.path,
      ),
    5000,
  )
  if (!made) return tell('failed', 'The request was sent, but is not in the journal.')
  const { page, query } = readRoute()
  if (page !== 'requests') return
  const filters = new URLSearchParams([...query].filter(([name]) => name === 'show' || name === 'q'))
  go(link('requests', String(made.id), filters))
  const again = getState().entries.filter(
    (one) => one.id > made.id && one.path === made.path && one.method === made.method,
  )
  const isRepeated = made.status === null && again.length > 0
  tell(
    'done',
    isRepeated
      ? `Sent as #${made.id}. Its response was lost, so the browser sent it again by itself.`
      : `Sent as #${made.id}.`,
  )
}
