import { useState } from 'preact/hooks'
import { matchesPath, type ApiRequest } from '../lib/apiRequest.ts'
import { Choice } from '../parts/Field.tsx'
import { useApp } from '../state/store.ts'
import { RequestForm } from './RequestForm.tsx'
import { sendAndOpen } from './sendAndOpen.ts'

interface Props {
  /** May name an `operation`, or a `method`, `path` and `body` */
  query: URLSearchParams
  onClose: () => void
}

/** A request to be sent with the account's credentials, as a client would. */
export function NewRequest({ query, onClose }: Props) {
  const operations = useApp((state) => state.coverage?.operations) ?? []
  const path = query.get('path')
  const named = operations.find((one) =>
    path === null
      ? one.operation === query.get('operation')
      : one.method === query.get('method') && matchesPath(one.path, path),
  )
  const [chosen, setChosen] = useState<string>()
  const operation =
    chosen === undefined
      ? (named ?? (path === null ? operations[0] : undefined))
      : operations.find((one) => one.operation === chosen)
  const isGiven = chosen === undefined && path !== null
  const method = isGiven ? (query.get('method') ?? 'GET') : (operation?.method ?? 'GET')
  const send = (request: ApiRequest) => sendAndOpen(request)
  return (
    <article class="pane" aria-label="New request">
      <header class="pane-head">
        <h2>New request</h2>
        <button type="button" class="small quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <Choice
        label="Operation"
        value={operation?.operation ?? ''}
        options={[
          ...(operation ? [] : [{ value: '', text: 'none of the contract' }]),
          ...operations.map((one) => ({
            value: one.operation,
            text: `${one.operation}: ${one.method} ${one.path}`,
          })),
        ]}
        onChange={setChosen}
      />
      <RequestForm
        key={`${operation?.operation} ${isGiven}`}
        method={method}
        template={operation?.path ?? path ?? '/api/'}
        {...(isGiven && { given: { path, body: query.get('body') ?? undefined } })}
        onSend={send}
      />
    </article>
  )
}
