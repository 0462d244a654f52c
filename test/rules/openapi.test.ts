import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { assumptionValues, defaultUpdateListInterval } from '../../src/world/values.ts'
import { generate } from '../../scripts/generate.ts'
import { start } from '../support/start.ts'

type Node = Record<string, unknown>

const contract = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as Node
const operations = readOperations()
const all = Object.keys(operations)

const json = 'application/json'

/** The endpoints in the API's documentation, in order. */
const endpoints = {
  listClients: 'GET /api/clients',
  getStats: 'GET /api/stats/{id}',
  getRate: 'GET /api/rate/{id}',
  getProduct: 'GET /api/product/{pid}',
  orderService: 'POST /api/product/{pid}',
  listProducts: 'GET /api/products',
  listProductsOrderedBy: 'GET /api/products/orderby/{field}',
  getNetworkErrors: 'GET /api/networkstatus/errors/{id}',
  getNetworkInactive: 'GET /api/networkstatus/inactive/{id}',
  getCredit: 'GET /api/billing/credit',
  listInvoices: 'GET /api/billing/invoices',
  getInvoice: 'GET /api/billing/invoice/{id}',
  getService: 'GET /api/service/{id}',
  listServices: 'GET /api/services',
  updateService: 'PUT /api/service/{id}',
  getIpList: 'GET /api/iplist/{typel}/{formatl}/{id}',
  listStickySessions: 'GET /api/sticky/list/{id}',
  rotateStickySession: 'GET /api/sticky/rotate/{id}/{server}/{session}',
  changeStickyTtl: 'GET /api/sticky/changettl/{id}/{ttl}',
  resetStickySessions: 'GET /api/sticky/resetall/{id}',
}

/** Every error in the API's documentation: status, case: exact text: operations. Those of authentication are plain text. */
const documented = `
401 unauthenticated: Unauthenticated: *
400 invalid-authorization-header: Invalid Authorization header: *
400 invalid-credentials-format: Invalid credentials format: *
400 client-not-found: Unprocessable Entity. ClientID not found: getNetworkErrors getNetworkInactive updateService
422 client-not-found: Unprocessable Entity. ClientID not found: orderService
422 unprocessable: Unprocessable Entity : getStats getRate getNetworkErrors getNetworkInactive getIpList
422 unprocessable: Unprocessable Entity : rotateStickySession changeStickyTtl resetStickySessions updateService
422 product-not-found: Unprocessable Entity or product ID not found: getProduct orderService
422 insufficient-funds: Unprocessed entity or not enough funds to order: orderService
422 incorrect-posted-data: Unprocessable Entity. Incorrect posted data: orderService updateService
422 invalid-ipv4: Unprocessable Entity. Invalid IPv4 format: updateService
422 ip-already-bound: Unprocessable Entity. IP already binded: updateService
429 update-list-throttled: Too Many Attempts (updateList). Next update possible: 2026-01-15 13:00:00: updateService
422 upstream-error: Service not found: listStickySessions
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [, status, name = '', text, ids = ''] = /^(\d+) ([\w-]+): (.*): (.+)$/.exec(line) ?? []
    const error = ids === '*' ? { type: 'text/plain', body: text } : { type: json, body: { error: text } }
    return (ids === '*' ? Object.keys(endpoints) : ids.split(' ')).map((id) => ({
      id,
      name,
      status: Number(status),
      ...error,
    }))
  })

/** Errors that aren't documented, so we chose the generic one: the assumption behind each. */
const assumedUnprocessable = {
  getInvoice: 'unknownInvoice',
  getService: 'unknownService',
  listProductsOrderedBy: 'unknownSortField',
}

describe('openapi.yaml', () => {
  it('is version 1.0.2 of the API, in OpenAPI 3.0.3', () => {
    expect(contract.openapi).toBe('3.0.3')
    expect(contract.info).toMatchObject({ version: '1.0.2' })
  })

  it('has the documented operations', () => {
    const found = Object.entries(operations).map(([id, { method, path }]) => [id, `${method} ${path}`])
    expect(Object.fromEntries(found)).toMatchObject(endpoints)
  })

  it('gives every documented operation its errors, to the letter, and the assumed ones', () => {
    const expected: object[] = [...documented]
    for (const id of Object.keys(assumedUnprocessable)) {
      expected.push({
        id,
        name: 'unprocessable',
        status: 422,
        type: json,
        body: { error: 'Unprocessable Entity ' },
      })
    }
    expect(Object.keys(endpoints).flatMap(readCases).toSorted(byText)).toEqual(expected.toSorted(byText))
  })

  it.each(all)('gives %s a 200 and no status without a case', (id) => {
    const withCases = readCases(id).map(({ status }) => String(status))
    expect(Object.keys(responsesOf(id)).toSorted()).toEqual([...new Set(['200', ...withCases])].toSorted())
  })

  it.each(all)('gives the 200 of %s one example, so that named examples are cases', (id) => {
    for (const media of Object.values(resolve(responsesOf(id)['200']).content as Node)) {
      expect(media).toHaveProperty('example')
      expect(media).not.toHaveProperty('examples')
    }
  })

  it.each(Object.entries(assumedUnprocessable))('marks the 422 of %s as assumed', (id, assumption) => {
    expect(responsesOf(id)['422']).toHaveProperty('x-assumed', assumption)
  })

  it.each(all)('names the case for a malformed path parameter or body of %s, if it has one', (id) => {
    const { path, operation } = operationOf(id)
    const invalid = (operation['x-invalid'] ?? {}) as Record<string, string>
    const parts = [...(path.includes('{') ? ['path'] : []), ...(operation.requestBody ? ['body'] : [])]
    expect(Object.keys(invalid)).toEqual(parts)
    expect(readCases(id).map(({ name }) => name)).toEqual(expect.arrayContaining(Object.values(invalid)))
  })

  it('finds every x-fill in the text of its example', () => {
    const examples = Object.values((contract.components as Node).examples as Node) as Node[]
    const filled = examples.filter((example) => example['x-fill'])
    expect(filled).not.toEqual([])
    for (const { value, 'x-fill': fill } of filled) {
      for (const part of Object.values(fill as Node)) {
        expect((value as { error: string }).error).toContain(part)
      }
    }
  })
})

it('has examples that succeed one after the other in the scenario that is loaded at first', async () => {
  const { call } = await start()
  const answers: Record<string, number> = {}
  for (const [id, { method, path, operation }] of Object.entries(operations)) {
    const { parameters = [] } = (contract.paths as Record<string, { parameters?: unknown[] }>)[path] ?? {}
    const filled = parameters
      .map(resolve)
      .reduce((address, { name, example }) => address.replace(`{${String(name)}}`, String(example)), path)
    const { content = {} } = resolve(operation.requestBody ?? {}) as { content?: Record<string, Node> }
    const body = content[json]?.example as object | undefined
    answers[id] = (await call(method, filled, body === undefined ? {} : { body })).status
  }
  expect(answers).toEqual(Object.fromEntries(all.map((id) => [id, 200])))
})

describe('the gaps of the documentation', () => {
  const assumptions = contract['x-assumptions'] as Record<string, Node>
  const choices = contract['x-choices'] as Record<string, Node>

  it('are those that a world knows, with the same readings', () => {
    const { updateListInterval, ...others } = assumptions
    const read = Object.entries(others).map(([id, a]) => [id, [a.default, ...(a.alternatives as string[])]])
    expect(Object.fromEntries(read)).toEqual(assumptionValues)
    expect(updateListInterval?.default).toBe(defaultUpdateListInterval)
  })

  it.each(Object.entries(assumptions))(
    '%s says what is missing and what each value means',
    (_, assumption) => {
      expect(assumption).toMatchObject({ gap: expect.any(String), document: expect.any(String) })
      const values = [assumption.default, ...(assumption.alternatives as unknown[])].map(String)
      expect(Object.keys(assumption.meaning as Node).toSorted()).toEqual(values.toSorted())
      expect(all).toEqual(expect.arrayContaining(assumption.operations as string[]))
    },
  )

  it.each(Object.entries(choices))('%s says what was chosen and what the documentation says', (_, choice) => {
    expect(choice).toEqual({ choice: expect.any(String), document: expect.any(String) })
  })

  it('are marked where they apply: every mark names one, every one is marked', () => {
    expect(Object.keys(assumptions).filter((id) => id in choices)).toEqual([])
    const known = [...Object.keys(assumptions), ...Object.keys(choices)].toSorted()
    expect([...new Set(marksIn(contract))].toSorted()).toEqual(known)
  })

  it.each(Object.entries(assumptions))(
    '%s is marked within the operations that it names',
    (id, assumption) => {
      const marked = all.filter((name) => marksIn(operationOf(name).operation, new Set()).includes(id))
      expect(marked).toEqual(expect.arrayContaining(assumption.operations as string[]))
    },
  )
})

describe('what is generated from openapi.yaml', () => {
  it('is not stale (else: npx tsx scripts/generate.ts)', { timeout: 30_000 }, async () => {
    expect(await generate({ check: true })).toEqual([])
  })
})

function readOperations(): Record<string, { method: string; path: string; operation: Node }> {
  const found: Record<string, { method: string; path: string; operation: Node }> = {}
  for (const [path, item] of Object.entries(contract.paths as Record<string, Node>)) {
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'parameters') continue
      const id = String((operation as Node).operationId)
      found[id] = { method: method.toUpperCase(), path, operation: operation as Node }
    }
  }
  return found
}

function operationOf(id: string) {
  const found = operations[id]
  if (!found) throw new Error(`openapi.yaml has no operation ${id}`)
  return found
}

function responsesOf(id: string): Node {
  return operationOf(id).operation.responses as Node
}

function readCases(id: string) {
  return Object.entries(responsesOf(id)).flatMap(([status, response]) =>
    Object.entries((resolve(response).content ?? {}) as Record<string, Node>).flatMap(([type, media]) =>
      Object.entries((media.examples ?? {}) as Node).map(([name, example]) => ({
        id,
        name,
        status: Number(status),
        type,
        body: resolve(example).value,
      })),
    ),
  )
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a).localeCompare(JSON.stringify(b))
}

function resolve(node: unknown): Node {
  const { $ref } = node as { $ref?: string }
  if ($ref === undefined) return node as Node
  const found = $ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key] as Node, contract)
  return resolve(found)
}

/** Every id under an `x-assumed` in `node`; with `seen`, also in what it refers to. */
function marksIn(node: unknown, seen?: Set<string>): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'x-assumed') return [value].flat() as string[]
    if (key === '$ref' && seen && !seen.has(value)) return marksIn(resolve({ $ref: value }), seen.add(value))
    return marksIn(value, seen)
  })
}
