import { render } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { parse } from 'yaml'
import { isLockedOut, withToken } from '../src/lib/admin.ts'
import { curl, send, usualHeaders, type ApiRequest, type Received } from '../src/lib/apiRequest.ts'
import { plural } from '../src/lib/format.ts'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import { Copy } from '../src/parts/Copy.tsx'
import { Search } from '../src/parts/Field.tsx'
import { Site } from '../src/parts/Site.tsx'
import { Skeleton } from '../src/parts/Skeleton.tsx'
import { Json, Prose, Status } from '../src/parts/small.tsx'
import { useNarrow } from '../src/parts/useWindow.ts'
import { RequestForm } from '../src/requests/RequestForm.tsx'
import { chooseAccount, sync } from '../src/state/sync.ts'
import { getState, useApp } from '../src/state/store.ts'
import { TokenForm } from '../src/TokenForm.tsx'
import {
  contentOf,
  examplePath,
  followReferences,
  messageOf,
  operationsOf,
  parameterRows,
  type Contract,
  type FieldRow,
  type Operation,
} from './contract.ts'

const isAdmin = location.pathname.startsWith('/docs/admin')
const contracts = { '/docs': 'Service API', '/docs/admin': 'Control plane' }

showTheme(storedTheme())
render(<Reference />, document.querySelector('#app') as HTMLElement)

/** A contract as a page: a list of the operations, and each with its parameters, bodies, errors and a form that sends it. */
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
  const operations = useMemo(() => (contract ? operationsOf(contract) : []), [contract])
  const shown = operations.filter((one) =>
    `${one.method} ${one.path} ${one.operationId} ${one.summary}`.toLowerCase().includes(wanted),
  )
  const groups = (contract?.tags ?? [])
    .map((tag) => ({ ...tag, own: shown.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter(({ own }) => own.length > 0)
  const isNarrow = useNarrow()
  const list = (
    <>
      <div class="chips" role="group" aria-label="Contract">
        {Object.entries(contracts).map(([to, title]) => (
          <a key={to} href={to} aria-current={to.endsWith('admin') === isAdmin ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </div>
      <Search what="operations" value={search} onInput={setSearch} />
      <OperationList groups={groups} />
    </>
  )
  return (
    <>
      <header class="top">
        <Site current="docs" />
      </header>
      <main class="page-reference" tabIndex={-1}>
        {needsToken && <TokenForm onOpen={() => void read()} />}
        {!needsToken && !contract && <Skeleton />}
        {contract && (
          <>
            <aside class="reference-list" aria-label="Operations">
              {isNarrow ? (
                <details
                  onClick={({ target, currentTarget }) => {
                    if ((target as Element).closest('.entry-link')) currentTarget.open = false
                  }}
                >
                  <summary>
                    <b>Operations</b>
                  </summary>
                  {list}
                </details>
              ) : (
                list
              )}
            </aside>
            <div class="reference">
              <h1>
                {contract.info.title} <small>{contract.info.version}</small>
              </h1>
              {wanted === '' && (
                <div class="reference-text">
                  <Text text={contract.info.description ?? ''} />
                  <p>
                    <a href={isAdmin ? '/__admin/openapi.yaml' : '/openapi.yaml'}>
                      OpenAPI description (YAML)
                    </a>
                  </p>
                </div>
              )}
              {!isAdmin && (
                <p class="muted" role="status">
                  {account === undefined ? '' : `Requests are sent as ${account}.`}
                </p>
              )}
              {groups.length === 0 && <p>No operation matches.</p>}
              {groups.map(({ name, description = '', own }) => (
                <section key={name} aria-label={name}>
                  <h2>{name}</h2>
                  <Text text={description} />
                  {own.map((operation) => (
                    <OneOperation key={operation.operationId} operation={operation} />
                  ))}
                </section>
              ))}
            </div>
          </>
        )}
      </main>
    </>
  )
}

/** The operations by tag; the one that is read is marked. */
function OperationList({ groups }: { groups: { name: string; own: Operation[] }[] }) {
  const [current, setCurrent] = useState(location.hash.slice(1))
  const names = groups.flatMap(({ own }) => own.map(({ operationId }) => operationId)).join(' ')
  useEffect(() => {
    const seen = new Set<Element>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          if (isIntersecting) seen.add(target)
          else seen.delete(target)
        const first = [...document.querySelectorAll('.operation')].find((one) => seen.has(one))
        if (first) setCurrent(first.id)
      },
      { rootMargin: '-80px 0px -40% 0px' },
    )
    for (const one of document.querySelectorAll('.operation')) observer.observe(one)
    return () => observer.disconnect()
  }, [names])
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current]')
    if (!list.current || !link) return
    const { scrollTop, clientHeight } = list.current
    const isSeen = link.offsetTop > scrollTop && link.offsetTop < scrollTop + clientHeight - 40
    if (!isSeen) list.current.scrollTop = link.offsetTop - clientHeight / 2
  }, [current])
  return (
    <nav aria-label="Operations" ref={list}>
      {groups.map(({ name, own }) => (
        <div key={name}>
          <h2>{name}</h2>
          <ul>
            {own.map(({ operationId: id, method, summary }) => (
              <li key={id}>
                <a class="entry-link" href={`#${id}`} aria-current={id === current ? 'true' : undefined}>
                  <span>{summary}</span> <Method method={method} />
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const methodTones: Record<string, string> = {
  GET: 'tone-info',
  POST: 'tone-good',
  PUT: 'tone-warn',
  PATCH: 'tone-lost',
  DELETE: 'tone-bad',
}

function Method({ method }: { method: string }) {
  return <b class={`method ${methodTones[method] ?? ''}`}>{method === 'DELETE' ? 'DEL' : method}</b>
}

function OneOperation({ operation }: { operation: Operation }) {
  const { operationId: id, method, path, summary, description = '', requestBody, responses } = operation
  const [succeeded] = Object.values(responses).map((response) => contentOf(response).examples[0]?.[1])
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`}>
      <div class="operation-text">
        <h3 id={`${id}-title`}>
          {summary}{' '}
          <a class="anchor" href={`#${id}`} aria-label={`Link to ${id}`}>
            #
          </a>
        </h3>
        <p class="actions endpoint">
          <Method method={method} /> <code>{path}</code>
          <Copy text={path} what={`the path of ${id}`} />
        </p>
        <Text text={description} />
        <p class="muted">
          operationId <code>{id}</code>
        </p>
        <Fields title="Parameters" rows={parameterRows(operation)} />
        {requestBody && <Fields title="Request body" rows={contentOf(requestBody).fields} />}
        <h4>Responses</h4>
        {Object.entries(responses).map(([status, response]) => (
          <OneResponse key={status} status={Number(status)} response={response} />
        ))}
      </div>
      <div class="operation-try">
        <Try operation={operation} />
        {succeeded !== undefined && succeeded !== null && (
          <>
            <h4>Example response</h4>
            <Json label={`Example response of ${id}`} value={succeeded} isTall />
          </>
        )}
      </div>
    </section>
  )
}

/** The call as a curl command, with the account's credentials. */
function Command({ operation }: { operation: Operation }) {
  const account = useApp((state) => state.account)
  const password = useApp((state) => state.world?.password)
  const body = exampleBodyOf(operation)
  const command = curl({
    method: operation.method,
    path: examplePath(operation),
    headers: isAdmin ? (body === undefined ? {} : { 'content-type': 'application/json' }) : usualHeaders,
    ...(!isAdmin && { user: `${account ?? 'LOGIN'}:${password ?? 'PASSWORD'}` }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (
    <>
      <div class="menu-head">
        <h4>Request</h4>
        <Copy text={command} what="the command" label="Copy" />
      </div>
      <Json label={`curl command of ${operation.operationId}`} value={command} />
    </>
  )
}

function exampleBodyOf({ requestBody }: Operation): unknown {
  return requestBody && contentOf(requestBody).examples[0]?.[1]
}

/** A status with its meaning: an error with the text of each case, a success with its fields. */
function OneResponse({ status, response }: { status: number; response: Operation['responses'][string] }) {
  const [isOpen, setOpen] = useState(false)
  const { fields, examples } = contentOf(response)
  const errors = examples.flatMap(([name, value]) => {
    const message = messageOf(value)
    return status < 400 || message === undefined ? [] : [[name, message] as const]
  })
  return (
    <div class="response-of">
      <p>
        <Status status={status} /> <Prose text={response.description ?? ''} />
      </p>
      {errors.length > 0 && (
        <ul class="fields">
          {errors.map(([name, message]) => (
            <li key={name}>
              {name !== 'example' && <b>{name}</b>} <code>{message}</code>
            </li>
          ))}
        </ul>
      )}
      {errors.length === 0 && fields.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{plural(fields.length, 'field')}</summary>
          {isOpen && <Fields rows={fields} />}
        </details>
      )}
    </div>
  )
}

function Fields({ title, rows }: { title?: string; rows: FieldRow[] }) {
  if (rows.length === 0) return null
  return (
    <>
      {title && <h4>{title}</h4>}
      <ul class="fields" aria-label={title ?? 'Fields'}>
        {rows.map(({ name, type, description, isRequired, depth }) => (
          <li key={name} style={{ paddingLeft: `${depth * 16}px` }}>
            <code>{name}</code> <span class="muted">{type}</span>{' '}
            {isRequired && <span class="required">required</span>}
            {description !== '' && (
              <p>
                <Prose text={description} />
              </p>
            )}
          </li>
        ))}
      </ul>
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

/** The example as a curl command; once opened, a form that sends the operation instead. */
function Try({ operation }: { operation: Operation }) {
  const [isOpen, setOpen] = useState(false)
  const [received, setReceived] = useState<Received | 'lost'>()
  if (!isOpen)
    return (
      <>
        <div class="actions">
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Try it out
          </button>
        </div>
        <Command operation={operation} />
      </>
    )
  const body = JSON.stringify(exampleBodyOf(operation), null, 2)
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
