import { useState } from 'preact/hooks'
import { matchPath, send } from '../lib/apiRequest.ts'
import { Choice } from '../parts/Field.tsx'
import { Pane } from '../parts/small.tsx'
import { useApp } from '../state/store.ts'
import { openSent } from './openSent.ts'
import { RequestForm } from './RequestForm.tsx'

interface Props {
  /** May name an `operation`, or a `method`, `path` and `body` */
  query: URLSearchParams
  onClose: () => void
}

/** A request to be sent with the account's credentials, as a client would. */
export function NewRequest({ query, onClose }: Props) {
  const operations = useApp((state) => state.coverage?.operations) ?? []
  const [chosen, setChosen] = useState<string>()
  const given = chosen === undefined ? query.get('path') : null
  const operation =
    given === null
      ? (operations.find((one) => one.operation === (chosen ?? query.get('operation'))) ?? operations[0])
      : operations.find((one) => one.method === query.get('method') && matchPath(one.path, given))
  const none = operation ? [] : [{ value: '', text: 'none of the contract' }]
  return (
    <Pane label="New request" title="New request" onClose={onClose}>
      <Choice
        label="Operation"
        value={operation?.operation ?? ''}
        options={[
          ...none,
          ...operations.map((one) => ({
            value: one.operation,
            text: `${one.operation}: ${one.method} ${one.path}`,
          })),
        ]}
        onChange={setChosen}
      />
      <RequestForm
        key={`${operation?.operation} ${given}`}
        method={(given !== null && query.get('method')) || (operation?.method ?? 'GET')}
        template={operation?.path ?? '/api/'}
        given={given === null ? undefined : { path: given, body: query.get('body') ?? undefined }}
        onSend={(request) => openSent(request, send(request))}
      />
    </Pane>
  )
}
