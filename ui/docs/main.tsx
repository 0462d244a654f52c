import { render } from 'preact'
import { Search } from '../src/parts/Field.tsx'
import { useEffect, useState } from 'preact/hooks'
import { parse } from 'yaml'
import { isLockedOut, withToken } from '../src/lib/admin.ts'
import { send, type ApiRequest, type Received } from '../src/lib/apiRequest.ts'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import { Json, Prose, Sheet, Status } from '../src/parts/small.tsx'
import { RequestForm } from '../src/requests/RequestForm.tsx'
import { chooseAccount, sync } from '../src/state/sync.ts'
import { getState, useApp } from '../src/state/store.ts'
import { TokenForm } from '../src/TokenForm.tsx'
import {
  contentOf,
  examplePath,
  followReferences,
  operationsOf,
  parameterRows,
  type Contract,
  type FieldRow,
  type Operation,
} from './contract.ts'

const isAdmin = location.pathname.startsWith('/docs/admin')
const links = { '/': 'Dashboard', '/docs': 'API', '/docs/admin': 'Control plane', '/docs/guide': 'Guide' }

showTheme(storedTheme())
render(<Reference />, document.querySelector('#app') as HTMLElement)

/** A contract as a page: each operation with its parameters, bodies and errors, and a form that sends it. */
function Reference() {
  const [contract, setContract] = useState<Contract>()
  const [needsToken, setNeedsToken] = useState(false)
  const [search, setSearch] = useState('')
  const account = useApp((state) => state.account)
  const read = async () => {
    setNeedsToken(false)
    const reply = await fetch(isAdmin ? '/__admin/openapi.yaml' : '/openapi.yaml', { headers: withToken() })
    if (reply.status === 401) return setNeedsToken(true)
    setContract(followReferences(parse(await reply.text())))
    await readAccount()
  }
  useEffect(() => void read(), [])
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [contract])
  const wanted = search.toLowerCase()
  const shown = (contract ? operationsOf(contract) : []).filter((one) =>
    `${one.method} ${one.path} ${one.operationId} ${one.summary}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <header class="top">
        <nav class="pages" aria-label="Pages">
          {Object.entries(links).map(([to, title]) => (
            <a
              key={to}
              href={to}
              aria-current={to === (isAdmin ? '/docs/admin' : '/docs') ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        {!isAdmin && account !== undefined && <span role="status">Requests are sent as {account}.</span>}
      </header>
      <main class="page-reference">
        {needsToken && <TokenForm onOpen={() => void read()} />}
        {contract && (
          <div class="reference">
            <h1>
              {contract.info.title} {contract.info.version}
            </h1>
            <Text text={contract.info.description ?? ''} />
            <Search what="operations" value={search} onInput={setSearch} />
            {contract.tags.map(({ name, description = '' }) => {
              const own = shown.filter(({ tags }) => tags.includes(name))
              return own.length === 0 ? null : (
                <section key={name} class="reference-tag" aria-label={name}>
                  <h2>{name}</h2>
                  <Text text={description} />
                  {own.map((operation) => (
                    <OneOperation key={operation.operationId} operation={operation} />
                  ))}
                </section>
              )
            })}
          </div>
        )}
      </main>
    </>
  )
}

/** The account that the dashboard looks at, or the first one: what is tried is sent with its credentials. */
async function readAccount(): Promise<void> {
  try {
    await sync()
    if (getState().account === undefined) await chooseAccount(getState().accounts[0]?.login)
  } catch (error) {
    if (!isLockedOut(error)) throw error // the reference can be read without
  }
}

/** Paragraphs */
function Text({ text }: { text: string }) {
  const paragraphs = text.trim().split(/\n\s*\n/)
  return (
    <>
      {paragraphs.filter(Boolean).map((paragraph) => (
        <p key={paragraph}>
          <Prose text={paragraph} />
        </p>
      ))}
    </>
  )
}

function OneOperation({ operation }: { operation: Operation }) {
  const { operationId: id, method, path, summary, description = '', requestBody, responses } = operation
  const [isOpen, setOpen] = useState(location.hash === `#${id}`)
  return (
    <details class="operation" id={id} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{method}</b> {path} <small>{summary}</small>
      </summary>
      {isOpen && (
        <div>
          <code>{id}</code>
          <Text text={description} />
          <Fields title="Parameters" rows={parameterRows(operation)} />
          {requestBody && <Fields title="Request body" rows={contentOf(requestBody).fields} />}
          <Try operation={operation} />
          {Object.entries(responses).map(([status, response]) => (
            <section key={status} aria-label={`Response ${status}`}>
              <h3>
                <Status status={Number(status)} /> <Prose text={response.description ?? ''} />
              </h3>
              <Fields title={`Fields of the ${status}`} rows={contentOf(response).fields} />
              {contentOf(response).examples.map(([name, value]) => (
                <div key={name}>
                  <small>{name}</small>
                  <Json label={`${status} ${name}`} value={value} />
                </div>
              ))}
            </section>
          ))}
        </div>
      )}
    </details>
  )
}

function Fields({ title, rows }: { title: string; rows: FieldRow[] }) {
  const shown = rows.map(({ name, type, description }) => ({
    cells: [<code key="name">{name}</code>, type, <Prose key="meaning" text={description} />],
  }))
  return <Sheet label={title} head={[title, 'Type', 'Meaning']} rows={shown} />
}

/** Sends the operation from here, once asked for. */
function Try({ operation }: { operation: Operation }) {
  const [isOpen, setOpen] = useState(false)
  const [received, setReceived] = useState<Received | 'lost'>()
  if (!isOpen)
    return (
      <div class="actions">
        <button type="button" onClick={() => setOpen(true)}>
          Try it out
        </button>
      </div>
    )
  const example = operation.requestBody && contentOf(operation.requestBody).examples[0]?.[1]
  const body = example === undefined ? undefined : JSON.stringify(example, null, 2)
  const given = isAdmin ? { path: examplePath(operation), body } : undefined
  const submit = async (request: ApiRequest) => {
    const headers = { ...request.headers, ...(isAdmin && withToken()) }
    setReceived((await send({ ...request, headers })) ?? 'lost')
  }
  return (
    <section aria-label="Try it out">
      <RequestForm method={operation.method} template={operation.path} given={given} onSend={submit} />
      <div role="status">
        {received === 'lost' && <p>The connection broke before a response came.</p>}
        {typeof received === 'object' && (
          <>
            <Status status={received.status} />
            {received.body !== null && <Json label="Response body" value={received.body} />}
          </>
        )}
      </div>
    </section>
  )
}
