import { render } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { isLockedOut, getTokenHeader } from '../src/lib/admin.ts'
import { send, type ApiRequest, type ApiResponse } from '../src/lib/apiRequest.ts'
import { pluralize } from '../src/lib/format.ts'
import { showTheme, getStoredTheme } from '../src/lib/theme.ts'
import { Button } from '../src/parts/Button.tsx'
import { Copy } from '../src/parts/Copy.tsx'
import { Search } from '../src/parts/Field.tsx'
import { Site } from '../src/parts/Site.tsx'
import { Skeleton } from '../src/parts/Skeleton.tsx'
import { Json, Prose, Status } from '../src/parts/small.tsx'
import { useNarrow } from '../src/parts/useWindow.ts'
import { RequestForm } from '../src/requests/RequestForm.tsx'
import { forceResponse } from '../src/state/actions.ts'
import { chooseAccount, sync } from '../src/state/sync.ts'
import { chooseLanguage, getState, useApp } from '../src/state/store.ts'
import { ToastLine } from '../src/ToastLine.tsx'
import { TokenForm } from '../src/TokenForm.tsx'
import {
  createExample,
  describeContent,
  findOperations,
  getExampleBody,
  getExamplePath,
  resolveReferences,
  getErrorMessage,
  listOperations,
  listParameters,
  type Contract,
  type FieldRow,
  type Operation,
} from './contract.ts'
import { createSample, languages } from './samples.ts'

const isAdmin = location.pathname.startsWith('/docs/admin')
const contracts = { '/docs': 'Service API', '/docs/admin': 'Control plane' }

showTheme(getStoredTheme())
render(<Reference />, document.querySelector('#app') as HTMLElement)

/** A contract as a page: a list of operations, then each with its parameters, bodies, errors and a form to send it. */
function Reference() {
  const [contract, setContract] = useState<Contract>()
  const [needsToken, setNeedsToken] = useState(false)
  const [search, setSearch] = useState('')
  const account = useApp((state) => state.account)
  const load = async () => {
    setNeedsToken(false)
    const response = await fetch(isAdmin ? '/__admin/openapi.json' : '/openapi.json', {
      headers: getTokenHeader(),
    })
    if (response.status === 401) return setNeedsToken(true)
    setContract(resolveReferences(await response.json()))
    await loadAccount()
  }
  useLayoutEffect(() => void load(), [])
  useLayoutEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [contract])
  const operations = useMemo(() => (contract ? listOperations(contract) : []), [contract])
  const shown = findOperations(operations, search)
  const groups = (contract?.tags ?? [])
    .map((tag) => ({ ...tag, operations: shown.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter((group) => group.operations.length > 0)
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
      <Search items="operations" value={search} onInput={setSearch} />
      <OperationList groups={groups} />
    </>
  )
  return (
    <>
      <header class="top">
        <Site current="docs" />
      </header>
      <main class="page-reference" tabIndex={-1}>
        {needsToken && <TokenForm onOpen={() => void load()} />}
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
              {search === '' && (
                <div class="reference-text">
                  <Paragraphs text={contract.info.description ?? ''} />
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
              {groups.length === 0 && <p>No operations match.</p>}
              {groups.map(({ name, description = '', operations: members }) => (
                <section key={name} aria-label={name}>
                  <h2>{name}</h2>
                  <Paragraphs text={description} />
                  {members.map((operation) => (
                    <OperationSection key={operation.operationId} operation={operation} />
                  ))}
                </section>
              ))}
            </div>
          </>
        )}
      </main>
      <ToastLine />
    </>
  )
}

/** Links to the operations by tag. */
function OperationList({ groups }: { groups: { name: string; operations: Operation[] }[] }) {
  return (
    <nav aria-label="Operations">
      {groups.map(({ name, operations }) => (
        <div key={name}>
          <h2>{name}</h2>
          <ul>
            {operations.map(({ operationId: id, method, summary }) => (
              <li key={id}>
                <a class="entry-link" href={`#${id}`}>
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

function OperationSection({ operation }: { operation: Operation }) {
  const { operationId: id, method, path, summary, description = '', requestBody, responses } = operation
  const isNarrow = useNarrow()
  const [successExample] = Object.values(responses).map(
    (response) => describeContent(response).examples[0]?.[1],
  )
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`}>
      <div class="operation-text operation-head">
        <h3 id={`${id}-title`}>
          {summary}{' '}
          <a class="anchor" href={`#${id}`} aria-label={`Link to ${id}`}>
            #
          </a>
        </h3>
        <p class="actions endpoint">
          <Method method={method} /> <code>{path}</code>
          <Copy text={path} name={`the path of ${id}`} />
        </p>
        <Paragraphs text={description} />
      </div>
      <div class="operation-try">
        <TryIt operation={operation} />
        {successExample !== undefined && successExample !== null && (
          <details open={!isNarrow}>
            <summary>Example response</summary>
            <Json label={`Example response of ${id}`} value={successExample} isTall />
          </details>
        )}
      </div>
      <div class="operation-text">
        <p class="muted">
          operationId <code>{id}</code>
        </p>
        <Fields title="Parameters" rows={listParameters(operation)} />
        {requestBody && <Fields title="Request body" rows={describeContent(requestBody).fields} />}
        <h4>Responses</h4>
        {Object.entries(responses).map(([status, response]) => (
          <ResponseSection key={status} operation={id} status={Number(status)} response={response} />
        ))}
      </div>
    </section>
  )
}

/** The operation's example as a program with the account's credentials, in the chosen language. */
function Sample({ operation }: { operation: Operation }) {
  const account = useApp((state) => state.account)
  const password = useApp((state) => state.world?.password)
  const chosen = useApp((state) => state.language)
  const language = languages.find((one) => one === chosen) ?? 'curl'
  const user = isAdmin ? undefined : `${account ?? 'LOGIN'}:${password ?? 'PASSWORD'}`
  const sample = createSample(language, createExample(operation, user), location.origin)
  return (
    <>
      <div class="menu-head">
        <div class="chips" role="group" aria-label="Language">
          {languages.map((name) => (
            <button
              type="button"
              key={name}
              aria-pressed={name === language}
              onClick={() => chooseLanguage(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <Copy text={sample} name="the sample" label="Copy" />
      </div>
      <Json
        label={`${language === 'curl' ? 'curl command' : `${language} sample`} of ${operation.operationId}`}
        value={sample}
        isTall
      />
    </>
  )
}

interface ResponseProps {
  operation: string
  status: number
  response: Operation['responses'][string]
}

/** A status and its description, with the messages of an error or the fields of a success. */
function ResponseSection({ operation, status, response }: ResponseProps) {
  const [isOpen, setOpen] = useState(false)
  const account = useApp((state) => state.account)
  const { fields, examples } = describeContent(response)
  const errors = examples.flatMap(([name, value]) => {
    const message = getErrorMessage(value)
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
              {name !== 'example' && <b>{name}</b>} <code>{message}</code>{' '}
              {!isAdmin && account !== undefined && (
                <Button class="link" action={() => forceResponse(operation, name)}>
                  make the next call fail like this
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {errors.length === 0 && fields.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{pluralize(fields.length, 'field')}</summary>
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

/** Loads the account whose credentials the forms use: the dashboard's account, or else the first one. */
async function loadAccount(): Promise<void> {
  try {
    await sync()
    if (getState().account === undefined) await chooseAccount(getState().accounts[0]?.login)
  } catch (error) {
    if (!isLockedOut(error)) throw error // the reference is readable without an account
  }
}

/** A text whose paragraphs are separated by blank lines. */
function Paragraphs({ text }: { text: string }) {
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

/** The example as a program. Its button replaces it with a form that sends the operation. */
function TryIt({ operation }: { operation: Operation }) {
  const [isOpen, setOpen] = useState(false)
  const [response, setResponse] = useState<ApiResponse | 'lost'>()
  if (!isOpen)
    return (
      <>
        <div class="actions">
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Try it out
          </button>
        </div>
        <Sample operation={operation} />
      </>
    )
  const body = JSON.stringify(getExampleBody(operation), null, 2)
  const initial = isAdmin ? { path: getExamplePath(operation), body } : undefined
  const submit = async (request: ApiRequest) => {
    const headers = { ...request.headers, ...(isAdmin && getTokenHeader()) }
    setResponse((await send({ ...request, headers })) ?? 'lost')
  }
  return (
    <section aria-label="Try it out">
      <RequestForm method={operation.method} template={operation.path} initial={initial} onSend={submit} />
      <div role="status">
        {response === 'lost' && <p>The connection closed before a response arrived.</p>}
        {typeof response === 'object' && (
          <>
            <p>
              <Status status={response.status} /> {response.reason ?? response.case}
            </p>
            {response.case !== undefined && (
              <p class="muted">
                Case <code>{response.case}</code>
              </p>
            )}
            {response.body !== null && <Json label="Response body" value={response.body} />}
          </>
        )}
      </div>
    </section>
  )
}
