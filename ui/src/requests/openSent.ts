import type { ApiRequest } from '../lib/apiRequest.ts'
import { tell } from '../state/actions.ts'
import { go, link, readRoute } from '../state/route.ts'
import { getState, until } from '../state/store.ts'

/** Opens a request that is being sent in the journal, as soon as it has been answered. */
export async function openSent({ method, path }: ApiRequest, sent: Promise<unknown>): Promise<void> {
  const newest = getState().entries[0]?.id ?? 0
  await sent
  const made = await until(({ entries }) => {
    const mine = entries.filter((one) => one.id > newest && one.method === method && one.path === path)
    return mine.length > 0 ? mine : undefined
  }, 5000)
  const first = made?.at(-1)
  if (!first) return tell('failed', 'The request was sent, but is not in the journal.')
  const { page, query } = readRoute()
  if (page !== 'requests') return
  const filters = [...query].filter(([name]) => name === 'show' || name === 'q')
  go(link('requests', String(first.id), Object.fromEntries(filters)))
  const again =
    first.status === null && made && made.length > 1
      ? ' Its response was lost, so the browser sent it again.'
      : ''
  tell('done', `Sent as #${first.id}.${again}`)
}
