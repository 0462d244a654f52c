import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ContractOperation } from '../../src/contract/Contract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { assumptionIds, assumptionValues, openAssumptions } from '../../src/service/values.ts'
import { kinds, type Kind } from '../../src/world/World.ts'
import { root } from '../support/project.ts'
import { start } from '../support/start.ts'

type Node = Record<string, unknown>

const { document, match, operations } = await loadContract()
const all = operations.map(({ operationId }) => operationId)
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

/** Every error in the API's documentation: status, case, exact text and operations. Authentication errors are plain text. */
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

/** Undocumented errors for which we chose the generic one, with the assumption behind each. */
const assumedUnprocessable = {
  getInvoice: 'unknownInvoice',
  getService: 'unknownService',
  listProductsOrderedBy: 'unknownSortField',
}

describe('openapi.yaml', () => {
  it('is version 1.0.2 of the API, in OpenAPI 3.0.3', () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.2' } })
  })

  it('has the documented operations', () => {
    const found = operations.map(({ operationId, method, path }) => [operationId, `${method} ${path}`])
    expect(Object.fromEntries(found)).toMatchObject(endpoints)
  })

  it('gives every documented operation its exact errors, and the assumed ones', () => {
    const body = { error: 'Unprocessable Entity ' }
    const assumed = Object.keys(assumedUnprocessable).map((id) => ({
      id,
      name: 'unprocessable',
      status: 422,
      type: json,
      body,
    }))
    const found = operations
      .filter(({ operationId }) => operationId in endpoints)
      .flatMap(({ operationId: id, cases }) =>
        cases.map(({ name, status, contentType: type, value }) => ({ id, name, status, type, body: value })),
      )
    const byText = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b))
    expect(found.toSorted(byText)).toEqual([...documented, ...assumed].toSorted(byText))
  })

  it.each(operations)('describes the responses of $operationId', ({ responses, schema, ...one }) => {
    const statuses = new Set([200, ...one.cases.map(({ status }) => status)])
    expect(Object.keys(responses).toSorted()).toEqual([...statuses].map(String).toSorted())
    const response = (status: string) => (schema['responses'] as Record<string, Node>)[status] ?? {}
    // A single example of the 200: named ones would be cases
    for (const media of Object.values(response('200')['content'] as Node)) {
      expect(media).toHaveProperty('example')
      expect(media).not.toHaveProperty('examples')
    }
    // The case for a malformed path or body, if it has one
    const parts = [...(one.pathParameters.length ? ['path'] : []), ...(one.bodyTypes.length ? ['body'] : [])]
    expect(Object.keys(one.invalid)).toEqual(parts)
    const names = one.cases.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.values(one.invalid)))
  })

  it.each(Object.entries(assumedUnprocessable))('marks the 422 of %s as assumed', (id, assumption) => {
    const { schema } = operations.find(({ operationId }) => operationId === id) as ContractOperation
    expect(schema['responses']).toHaveProperty('422.x-assumed', assumption)
  })

  it('gives an error with several statuses exactly one of them under each interpretation', () => {
    const repeated = operations.flatMap(({ operationId, cases }) =>
      [...new Set(cases.map(({ name }) => name))]
        .map((name) => ({ what: `${operationId} ${name}`, same: cases.filter((one) => one.name === name) }))
        .filter(({ same }) => same.length > 1),
    )
    for (const { what, same } of repeated) {
      const ids = new Set(same.flatMap(({ unreachableWhen }) => Object.keys(unreachableWhen ?? {})))
      expect({ what, ids: ids.size }).toEqual({ what, ids: 1 })
      const [id] = ids
      for (const value of Object.values(assumptionValues[id as keyof typeof assumptionValues])) {
        const possible = same.filter(({ unreachableWhen }) => unreachableWhen?.[id as string] !== value)
        expect({ what, value, possible: possible.length }).toEqual({ what, value, possible: 1 })
      }
    }
  })

  it('limits the strings in bodies, so that whatever is stored can be loaded', () => {
    const unlimited = operations.flatMap(({ operationId, schema }) => {
      const { content = {} } = (schema['requestBody'] ?? {}) as { content?: Record<string, { schema: Node }> }
      return Object.entries((content[json]?.schema['properties'] ?? {}) as Record<string, Node>)
        .filter(([, one]) => one['type'] === 'string')
        .filter(([, one]) => !['maxLength', 'pattern', 'enum', 'format'].some((limit) => limit in one))
        .map(([name]) => `${operationId}.${name}`)
    })
    const checkedByOperations = [
      'orderService.setip',
      'updateService.setip',
      'updateService.update_list',
      'updateService.password',
    ]
    expect(unlimited).toEqual(checkedByOperations)
  })

  it('names the kind of record of each id in a request', () => {
    const unnamed = operations.flatMap(({ operationId, schema }) => {
      const { content = {} } = (schema['requestBody'] ?? {}) as { content?: Record<string, { schema: Node }> }
      const fields = Object.entries((content[json]?.schema['properties'] ?? {}) as Record<string, Node>)
      const parameters = (schema['parameters'] as Node[]).map((one) => [one['name'], one] as const)
      return [...parameters, ...fields]
        .filter(([, one]) => marksIn(one).includes('positiveIds') && !kinds.includes(one['x-names'] as Kind))
        .map(([name]) => `${operationId}.${String(name)}`)
    })
    expect(unnamed).toEqual([])
  })

  it('finds every x-fill in the text of its example', () => {
    const filled = operations.flatMap(({ cases }) => cases).filter(({ fill }) => Object.keys(fill).length > 0)
    expect(filled).not.toEqual([])
    for (const { value, fill } of filled)
      for (const part of Object.values(fill)) expect((value as { error: string }).error).toContain(part)
  })
})

it('has examples that succeed in order in the default scenario', async () => {
  const { call } = await start()
  const answers: Record<string, number> = {}
  for (const { operationId, method, path, schema } of operations) {
    const filled = (schema['parameters'] as Node[]).reduce<string>(
      (address, { name, example }) => address.replace(`{${String(name)}}`, String(example)),
      path,
    )
    const { content = {} } = (schema['requestBody'] ?? {}) as { content?: Record<string, Node> }
    const body = content[json]?.['example'] as object | undefined
    answers[operationId] = (await call(method, filled, body && { body })).status
  }
  expect(answers).toEqual(Object.fromEntries(all.map((id) => [id, 200])))
})

describe('the gaps of the documentation', () => {
  const assumptions = document['x-assumptions'] as Record<string, Node>
  const choices = document['x-choices'] as Record<string, Node>

  it('equal the assumptions of an account, with the same interpretations', () => {
    const read = Object.entries(assumptions).map(([id, one]) => {
      const { accepts, default: usual, alternatives } = one
      return [id, accepts ? { accepts, default: usual } : [usual, ...(alternatives as string[])]]
    })
    expect(Object.fromEntries(read)).toEqual({ ...assumptionValues, ...openAssumptions })
    expect(assumptionIds.toSorted()).toEqual(Object.keys(assumptions).toSorted())
  })

  it.each(Object.entries(assumptions))(
    '%s says what is missing and what each value means, and is marked in the operations that it names',
    (id, assumption) => {
      expect(assumption).toMatchObject({ gap: expect.any(String), document: expect.any(String) })
      expect(assumption['question']).toMatch(/^[A-Z][^?]*\?$/)
      const values = [assumption['default'], ...(assumption['alternatives'] as unknown[])].map(String)
      expect(Object.keys(assumption['meaning'] as Node).toSorted()).toEqual(values.toSorted())
      const marked = operations.filter((one: ContractOperation) => marksIn(one.schema).includes(id))
      const named = assumption['operations'] as string[]
      expect(marked.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(named))
    },
  )

  it('label each call that settles one with what it does', () => {
    for (const { settle = [] } of Object.values(assumptions) as { settle?: Node[] }[])
      for (const { call, effect } of settle) {
        const [method = '', path = ''] = String(call).split(' ')
        const found = match(method, path)
        const { costsMoney, changesState } = (found && 'operation' in found && found.operation) || {}
        const label = costsMoney ? 'costs money' : changesState ? 'changes state' : 'reads'
        expect([call, effect]).toEqual([call, changesState === undefined ? 'no such call' : label])
      }
  })

  it('are settled by the calls of examples/probe.sh, which say what they do', () => {
    const groups = readFileSync(`${root}/examples/probe.sh`, 'utf8')
      .split(/^if settles /m)
      .slice(1)
    for (const [id, { settle = [] }] of Object.entries(assumptions) as [string, { settle?: Node[] }][]) {
      const group = groups.filter((one) => one.split(';', 1)[0]?.split(' ').includes(id))
      for (const { call, times } of settle) {
        const filled = String(call).replace(/\{(\w+)\}/g, '$$$1')
        const [, request = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/.exec(filled) ?? []
        const written = body === undefined ? '' : ` "${body.replaceAll('"', String.raw`\"`)}"`
        const count = group.join().split(`call ${request} "${path}"${written}\n`).length - 1
        expect(count, `${id}: ${String(call)}`).toBeGreaterThanOrEqual(Number(times) || 1)
      }
      const effects = settle.map(({ effect }) => effect)
      const label = ['costs money', 'changes state', 'reads'].find((one) => effects.includes(one))
      expect([id, group.map((one) => /^(?:'([\w ]+)'|(\w+)) /.exec(one)?.slice(1).find(Boolean))]).toEqual([
        id,
        [label],
      ])
    }
  })

  it.each(Object.entries(choices))('%s has the choice and the text of the documentation', (_, choice) => {
    expect(choice).toEqual({ choice: expect.any(String), document: expect.any(String) })
  })

  it('are marked where they apply: every mark names an existing gap, and every gap is marked', () => {
    expect(Object.keys(assumptions).filter((id) => id in choices)).toEqual([])
    const known = [...Object.keys(assumptions), ...Object.keys(choices)].toSorted()
    expect([...new Set(marksIn(document))].toSorted()).toEqual(known)
  })
})

/** Every id under an `x-assumed`. */
function marksIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    key === 'x-assumed' ? ([value].flat() as string[]) : marksIn(value),
  )
}
