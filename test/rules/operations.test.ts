import { expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/cases.gen.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { AccountState, RequestPage } from '../../src/contract/shapes.ts'
import { createFirstReader } from '../../src/lab/calibration/record/readFirst.ts'
import type { Observation } from '../../src/service/shows/facts.ts'
import { observe } from '../../src/service/shows/observe.ts'
import { operations as own } from '../../src/service/operations/operations.ts'
import type { Operation } from '../../src/service/operations/Operation.ts'
import { getDescription } from '../../src/service/records.ts'
import { refuseWith, type Refuse } from '../../src/service/refuse.ts'
import { firstIds } from '../../src/service/settings.ts'
import { defaultAssumptions } from '../../src/service/values.ts'
import { getExampleBody, listExamplePaths } from '../../ui/src/lib/apiRequest.ts'
import { isObject } from '../../src/world/mergePatch.ts'
import { generatedIdLimit } from '../../src/world/numbers.ts'
import { kinds, type Kind } from '../../src/world/World.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { noon, scenarioWith } from '../support/scenario.ts'
import { cloneSimulator, start } from '../support/start.ts'

const { operations, match } = await loadContract()

test('an operation that uses the time to read says that its response depends on it', () => {
  const using = operations.filter(({ operationId, changesState }) => {
    const { run, dependsOnTime } =
      (own as Record<string, Operation<OperationId> | undefined>)[operationId] ?? {}
    return !changesState && run?.length === 3 && dependsOnTime !== true
  })
  expect(using).toEqual([])
})

test('the name of a refusal is checked by the compiler', () => {
  const refuse: Refuse<'orderService'> = refuseWith
  const tries = [
    () => refuse('insufficient-funds', 'x'),
    // @ts-expect-error a typo
    () => refuse('insuficient-funds', 'x'),
    // @ts-expect-error a case of another operation
    () => refuse('upstream-error', 'x'),
    // @ts-expect-error a typo
    () => refuseWith('client-notfound', 'x'),
  ]
  expect(tries).toHaveLength(4) // the compiler checks them
})

/** Values that say nothing about a record: fixed texts, those that follow from the call, and an address that may be generated. */
const notFacts = [
  'changeStickyTtl success',
  'getInvoice id',
  'getProduct productId',
  'getService service_id',
  'listStickySessions expires_at', // of a session that would begin later
  'orderService ip',
  'resetStickySessions success',
  'rotateStickySession expires_at',
  'rotateStickySession server',
  'rotateStickySession session',
  'updateService success',
]

test('calibrate reads facts from each value in each response, and knows what each call changes', async () => {
  const simulator = await start({ scenario: scenarioWith() })
  const unread: string[] = []
  for (const [operationId, call] of Object.entries(callByOperation)) {
    const [method, path, body = {}] = call
    const { text, json } = await simulator.call(method, path, { body: call[2] })
    const found = match(method, path)
    const content: unknown = typeof json === 'object' ? json : text.split('\n').filter(Boolean)
    const read = (shown: unknown) =>
      observe(
        {
          operationId,
          path: found && 'path' in found ? found.path : {},
          requestBody: body as Record<string, unknown>,
          status: 200,
          body: shown,
          refusal: undefined,
          at: Date.parse(noon),
        },
        { assumptions: defaultAssumptions, interval: 3600 },
      )
    const observation = read(content)
    const { shownFacts, newFacts, changedPaths, next } = observation
    if (shownFacts.size + newFacts.size === 0) unread.push(operationId)
    for (const name of namesIn(content)) {
      const other = read(alter(content, name))
      if (toText(other) === toText(observation)) unread.push(`${operationId} ${name}`)
      const isAssigned = countedRecords(other) !== countedRecords(observation)
      if (isAssigned && !isGenerated(operationId, name)) unread.push(`${operationId} ${name} x-generated`)
    }
    const { requests } = (await simulator.admin<RequestPage>('GET', '/requests?limit=1')).json
    const change = requests[0]?.change as { next?: object } | null
    for (const id of Object.keys(change?.next ?? {}))
      if (!Object.hasOwn(next ?? {}, id)) unread.push(`${operationId} assigns ${id} ids`)
    const known = [...changedPaths, ...newFacts.keys()]
    for (const changed of recordPaths(change))
      if (!known.some((one) => one.startsWith(changed))) unread.push(`${operationId} changes ${changed}`)
  }
  expect([...new Set(unread)].toSorted()).toEqual(notFacts)
})

/** The records of kinds whose ids operations assign. */
function countedRecords({ shownFacts, newFacts }: Observation): string {
  const records = [...shownFacts.keys(), ...newFacts.keys()].map((path) => path.split('/', 2))
  return records.filter(([kind]) => getDescription(kind as Kind)?.isCounted).join()
}

/** Whether the contract marks a value of the 200 response as generated by the service. */
function isGenerated(operationId: string, target: string): boolean {
  const isMarked = (node: unknown, name = ''): boolean =>
    isObject(node) &&
    ((name === target && node['x-generated'] === true) ||
      Object.entries(node).some(([key, one]) => isMarked(one, key)))
  const operation = operations.find((one) => one.operationId === operationId)
  return isMarked((operation?.schema['responses'] as Record<string, unknown> | undefined)?.['200'])
}

/** The names of the values in a body; `body` for those that have none. */
function namesIn(body: unknown, name = 'body'): string[] {
  if (Array.isArray(body)) return [...new Set(body.flatMap((one) => namesIn(one, name)))]
  return isObject(body) ? Object.entries(body).flatMap(([field, one]) => namesIn(one, field)) : [name]
}

/** The body with other values of this name. */
function alter(body: unknown, target: string, name = 'body'): unknown {
  if (Array.isArray(body)) return body.map((one) => alter(one, target, name))
  if (isObject(body))
    return Object.fromEntries(Object.entries(body).map(([field, one]) => [field, alter(one, target, field)]))
  if (name !== target) return body
  if (typeof body !== 'string') return typeof body === 'number' ? body + 1 : !body
  const other = body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))
  return other === body ? `${body}x` : other
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (one instanceof Map ? [...one] : one))
}

/** The credit, and the records of any kind, that a change concerns: `services/5001` */
function recordPaths(change: unknown): string[] {
  const parts = Object.entries(change ?? {}).filter(
    ([part]) => part === 'credit' || kinds.includes(part as Kind),
  )
  return parts.flatMap(([part, records]: [string, unknown]) =>
    typeof records === 'object' ? Object.keys(records ?? {}).map((id) => `${part}/${id}`) : part,
  )
}

/** Reads that `record --read-first` doesn't make: other calls show the same. */
const neverFirst = ['getInvoice', 'getNetworkInactive', 'listProductsOrderedBy']

test('record --read-first makes each call that only reads', async () => {
  const { call, authorization } = await start({ scenario: scenarioWith() })
  const asked = new Set<string>()
  const read = createFirstReader(
    operations,
    async ({ method = 'GET', url = '' }) => {
      const found = match(method, url)
      if (found && 'operation' in found) asked.add(found.operation.operationId)
      const { status, headers, text } = await call(method, url)
      return { head: { statusCode: status, headers, rawHeaders: [] }, body: Buffer.from(text) }
    },
    () => {},
  )
  await read({
    method: 'GET',
    url: '/api/clients',
    headers: { authorization: authorization() },
    rawHeaders: [],
  })
  const reading = operations.filter(({ changesState }) => !changesState).map(({ operationId }) => operationId)
  expect(reading.filter((id) => !asked.has(id)).toSorted()).toEqual(neverFirst)
})

test('the first example of each operation in the dashboard succeeds', async () => {
  const { call, admin } = await start({ scenario: scenarioWith() })
  const { json: world } = await admin<AccountState>('GET', '/accounts/reseller')
  const failed: string[] = []
  for (const { operationId, method, path } of operations) {
    const [example] = listExamplePaths(path, world)
    const body = getExampleBody(method, path, world)
    const { status, text } = await call(method, example?.path ?? path, {
      ...(body !== undefined && { raw: body }),
    })
    if (status !== 200) failed.push(`${operationId}: ${status} ${text}`)
  }
  expect(failed).toEqual([])
})

test('a state in which no ids are left can be exported and loaded after each operation', async () => {
  const next = Object.fromEntries(Object.keys(firstIds).map((id) => [id, generatedIdLimit]))
  const simulator = await start({ scenario: scenarioWith({ next }) })
  for (const [method, path, body] of Object.values(callByOperation)) {
    const { status } = await simulator.call(method, path, { body })
    expect(status).toBeLessThan(500)
  }
  await cloneSimulator(simulator)
})
