import { useId, useState } from 'preact/hooks'
import {
  formatCurl,
  getExampleBody,
  listExamplePaths,
  requiredHeaders,
  type ApiRequest,
} from '../lib/apiRequest.ts'
import { Copy } from '../parts/Copy.tsx'
import { Choice, Field } from '../parts/Field.tsx'
import { useApp } from '../state/store.ts'

interface Props {
  method: string
  /** The operation's path in the contract */
  template: string
  initial?: { path: string; body: string | undefined } | undefined
  onSend: (request: ApiRequest) => Promise<unknown>
}

/** Path, body and credentials of a request, with examples from the account's records. */
export function RequestForm({ method, template, initial, onSend }: Props) {
  const id = useId()
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const paths = listExamplePaths(template, world)
  const [typedPath, setPath] = useState(initial?.path)
  const [typedBody, setBody] = useState(initial?.body)
  const [credential, setCredential] = useState('Password')
  const [isSending, setSending] = useState(false)
  const path = typedPath ?? paths[0]?.path ?? template
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const body = typedBody ?? getExampleBody(method, template, world) ?? ''
  const secrets: Record<string, string | undefined> = {
    Password: world?.password,
    'API token': world?.tokens[0] ?? '',
    'Wrong password': 'wrong',
    None: undefined,
  }
  const secret = secrets[credential]
  const request: ApiRequest = {
    method,
    path,
    headers: requiredHeaders,
    ...(secret !== undefined && { user: `${account}:${secret}` }),
    ...(takesBody && body !== '' && { body }),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    await onSend(request)
    setSending(false)
  }
  return (
    <form class="request-form" onSubmit={(event) => void submit(event)}>
      <Field label="Path">
        {(field) => (
          <div class="inline">
            <b>{method}</b>
            <input
              id={field}
              value={path}
              list={id}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setPath(event.currentTarget.value)}
            />
            <datalist id={id}>
              {paths.map((one) => (
                <option value={one.path} key={one.path}>
                  {one.text}
                </option>
              ))}
            </datalist>
          </div>
        )}
      </Field>
      {takesBody && (
        <Field label="Body (JSON)">
          {(field) => (
            <textarea
              id={field}
              rows={5}
              spellcheck={false}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {path.startsWith('/api') && (
        <Choice
          label="Credentials"
          value={credential}
          options={Object.keys(secrets)}
          onChange={setCredential}
        />
      )}
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={isSending}>
          {isSending ? 'Waiting…' : 'Send'}
        </button>
        <Copy class="" name="the request as curl" label="Copy as curl" text={formatCurl(request)} />
      </div>
    </form>
  )
}
