import { useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { matchPath, send, type ApiRequest } from '../lib/apiRequest.ts'
import type { JournalEntry } from '../lib/types.ts'
import { Choice } from '../parts/Field.tsx'
import { Pane } from '../parts/Pane.tsx'
import { showToast } from '../state/actions.ts'
import { go, link, readRoute } from '../state/route.ts'
import { getState, useApp } from '../state/store.ts'
import { readFilters } from './filterEntries.ts'
import { RequestForm } from './RequestForm.tsx'

interface Props {
  /** Optional initial values: `operation`, or `method`, `path` and `body` */
  query: URLSearchParams
  onClose: () => void
}

/** Sends a request to the API with the account's credentials. */
export function NewRequest({ query, onClose }: Props) {
  const operations = useApp((state) => state.coverage?.operations) ?? []
  const [chosen, setChosen] = useState<string>()
  const queryPath = chosen === undefined ? query.get('path') : null
  const operation =
    queryPath === null
      ? (operations.find((one) => one.operation === (chosen ?? query.get('operation'))) ?? operations[0])
      : operations.find((one) => one.method === query.get('method') && matchPath(one.path, queryPath))
  const extraOptions = operation ? [] : [{ value: '', text: 'Not in the contract' }]
  return (
    <Pane label="New request" title="New request" onClose={onClose}>
      <Choice
        label="Operation"
        value={operation?.operation ?? ''}
        options={[
          ...extraOptions,
          ...operations.map((one) => ({
            value: one.operation,
            text: `${one.operation}: ${one.method} ${one.path}`,
          })),
        ]}
        onChange={setChosen}
      />
      <RequestForm
        key={`${operation?.operation} ${queryPath}`}
        method={(queryPath !== null && query.get('method')) || (operation?.method ?? 'GET')}
        template={operation?.path ?? '/api/'}
        initial={queryPath === null ? undefined : { path: queryPath, body: query.get('body') ?? undefined }}
        onSend={(request) => openSent(request, send(request))}
      />
    </Pane>
  )
}

/** Waits until the request has ended, then opens its journal entry. */
export async function openSent({ method, path }: ApiRequest, sent: Promise<unknown>): Promise<void> {
  const newest = getState().entries[0]?.id ?? 0
  await sent
  const { requests } = await admin<{ requests: JournalEntry[] }>('GET', '/requests?limit=100')
  const matching = requests.filter((one) => one.id > newest && one.method === method && one.path === path)
  const first = matching.at(-1)
  if (!first) return showToast('failed', 'The request was sent but isn’t in the journal. Check its path.')
  const { page, query } = readRoute()
  if (page !== 'requests') return
  go(link('requests', String(first.id), readFilters(query)))
  const isRepeated = first.status === null && matching.length > 1
  const again = isRepeated ? ' Its response was lost, so the browser sent it again.' : ''
  showToast('done', `Sent as #${first.id}.${again}`)
}
