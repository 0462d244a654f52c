import { useState } from 'preact/hooks'
import { duration } from '../lib/format.ts'
import { Choice } from '../parts/Choice.tsx'
import { usualHeaders, type ApiRequest } from '../lib/snippets/ApiRequest.ts'
import { CopyAs } from '../parts/CopyAs.tsx'
import { Field } from '../parts/Field.tsx'
import { Json } from '../parts/Json.tsx'
import { Section } from '../parts/Section.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { go } from '../state/route.ts'
import { getState, useApp } from '../state/store.ts'
import { bodyOf, fill, parametersOf, suggestions } from './fieldsOf.ts'
import { send, type Received } from './send.ts'

const usualCredentials = ['login and password', 'API token', 'wrong password', 'none'] as const

/** Sends requests of the API with the account's credentials, as a client would. */
export function Try({ operation: wanted, query }: { operation: string; query: string }) {
  const coverage = useApp((state) => state.coverage)
  const operations = coverage?.operations ?? []
  const operation = operations.find((one) => one.operation === wanted) ?? operations[0]
  return (
    <>
      <h1>Try a request</h1>
      {operation && (
        <>
          <Choice
            label="Operation"
            value={operation.operation}
            options={operations.map((one) => ({
              value: one.operation,
              text: `${one.operation}: ${one.method} ${one.path}`,
            }))}
            onChange={(name) => go('try', name)}
          />
          <TryOperation
            key={`${operation.operation}?${query}`}
            {...operation}
            given={Object.fromEntries(new URLSearchParams(query))}
          />
        </>
      )}
    </>
  )
}

interface Props {
  operation: string
  method: string
  path: string
  /** To begin with: path parameters, `body`, and `user`, a `login:password` other than the account's */
  given: Record<string, string>
}

function TryOperation({ operation, method, path, given }: Props) {
  const login = useApp((state) => state.account) ?? ''
  const world = useApp((state) => state.world)
  const credentials = [...(given['user'] === undefined ? [] : [given['user']]), ...usualCredentials]
  const [values, setValues] = useState(given)
  const [draft, setDraft] = useState(given['body'])
  const [credential, setCredential] = useState(credentials[0] as string)
  const [received, setReceived] = useState<Received | 'lost'>()
  const [since, setSince] = useState(0)
  const [isSending, setSending] = useState(false)

  const names = parametersOf(path)
  const first = (name: string) => suggestions(operation, name, world)[0]?.value ?? ''
  const filled = Object.fromEntries(names.map((name) => [name, values[name] ?? first(name)]))
  const target = fill(path, filled)
  const entry = useApp(
    ({ entries }) => received && entries.find(({ id, path: asked }) => id > since && asked === target),
  )
  const isRepeated = useApp(({ entries }) => {
    if (typeof received !== 'object') return false
    const mine = entries.filter(
      (one) => one.id > since && one.path === target && one.method === method && one.account === login,
    )
    return mine.length > 1 && mine.at(-1)?.status === null // the oldest; another client may lose a later one
  })
  const body = draft ?? bodyOf(operation, world)
  const sent = body === '' ? undefined : body
  const as = (password: string) => `${login}:${password}`
  const users: Record<string, string | undefined> = {
    'login and password': world && as(world.password),
    'API token': as(world?.tokens[0] ?? ''),
    'wrong password': as('wrong'),
  }
  const user = credential === given['user'] ? credential : users[credential]

  const request = (): ApiRequest => ({
    method,
    url: location.origin + target,
    ...(user !== undefined && { user }),
    headers: usualHeaders,
    ...(sent !== undefined && { body: sent }),
  })

  const submit = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    setSince(getState().entries[0]?.id ?? 0)
    setReceived((await send(request())) ?? 'lost')
    setSending(false)
  }

  return (
    <div class="columns">
      <Section title="Request" aside={<CopyAs request={request} />}>
        <form class="form" onSubmit={(event) => void submit(event)}>
          <p class="target">
            <b>{method}</b> <code>{target}</code>
          </p>
          {names.map((name) => {
            const offered = suggestions(operation, name, world)
            const chosen = offered.find(({ value }) => value === filled[name])
            return (
              <Field label={name} key={name}>
                {(id) => (
                  <>
                    <input
                      id={id}
                      list={`offered-${name}`}
                      value={filled[name]}
                      autocomplete="off"
                      spellcheck={false}
                      onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
                    />
                    <datalist id={`offered-${name}`}>
                      {offered.map(({ value, text }) => (
                        <option value={value} key={value}>
                          {text}
                        </option>
                      ))}
                    </datalist>
                    {chosen && chosen.text !== chosen.value && <small class="muted">{chosen.text}</small>}
                  </>
                )}
              </Field>
            )
          })}
          {body !== undefined && (
            <Field label="Body (JSON)">
              {(id) => (
                <textarea
                  id={id}
                  rows={5}
                  spellcheck={false}
                  value={body}
                  onInput={(event) => setDraft(event.currentTarget.value)}
                />
              )}
            </Field>
          )}
          <Choice label="Credentials" value={credential} options={credentials} onChange={setCredential} />
          <div class="actions">
            <button type="submit" class="primary" disabled={isSending}>
              {isSending ? 'Waiting…' : 'Send'}
            </button>
          </div>
        </form>
      </Section>
      <Section title="Answer">
        <div role="status" class="answer">
          {received === undefined && <p class="muted">Nothing sent yet.</p>}
          {received === 'lost' && (
            <p class="callout callout-broken">The connection broke before an answer came.</p>
          )}
          {isRepeated && (
            <p class="callout callout-broken">
              The connection broke before an answer came, and your browser sent the request again by itself.
            </p>
          )}
          {typeof received === 'object' && <Answer {...received} />}
        </div>
        {entry && (
          <p>
            <a href={`#/requests/${entry.id}`}>Open it in the journal</a>
          </p>
        )}
      </Section>
    </div>
  )
}

function Answer({ status, case: name, reason, body, durationMs }: Received) {
  return (
    <>
      <p>
        <StatusBadge status={status} /> <span class="muted">{duration(durationMs)}</span>
      </p>
      {reason !== null && (
        <div class="callout callout-why">
          <h3>
            Why: <code>{name}</code>
          </h3>
          <p class="reason">{reason}</p>
        </div>
      )}
      {body === null ? <p class="muted">No body.</p> : <Json label="Body of the answer" value={body} />}
    </>
  )
}
