import { describe, expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { assumptionValues } from '../../src/world/values.ts'
import { adminOf, small } from '../support/admin.ts'
import { meetAll } from '../support/meetAll.ts'
import { scenarioWith } from '../support/scenario.ts'
import { start } from '../support/start.ts'

interface Response {
  status: number
  case: string | null
  hits: number
}

interface Report {
  covered: number
  total: number
  percent: number
  authentication: Response[]
  operations: { operation: string; method: string; path: string; responses: Response[] }[]
}

/** 20 answers of success, 25 errors of operations and 3 of authentication */
const total = 47

async function setUp() {
  const simulator = await start({ scenario: small })
  return { ...simulator, admin: adminOf(() => simulator) }
}

test('counts every response of the contract, and how often it was given', async () => {
  const { admin, call } = await setUp()
  const { json: none } = await admin<Report>('GET', '/coverage')
  expect(none).toMatchObject({ covered: 0, total, percent: 0 })
  expect(none.operations).toHaveLength(20)
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit', { login: null })
  await call('GET', '/api/clients', { login: null })
  await call('POST', '/api/product/999', { body: { clientid: 11 } })
  await call('GET', '/api/nothing')
  await call('DELETE', '/api/clients')
  const { json } = await admin<Report>('GET', '/coverage')
  expect(json).toMatchObject({ covered: 3, total, percent: Math.round(3000 / total) / 10 })
  expect(json.authentication).toEqual([
    { status: 400, case: 'invalid-authorization-header', hits: 0 },
    { status: 400, case: 'invalid-credentials-format', hits: 0 },
    { status: 401, case: 'unauthenticated', hits: 2 },
  ])
  const hit = json.operations.flatMap(({ operation, responses }) =>
    responses.filter(({ hits }) => hits > 0).map((response) => ({ operation, ...response })),
  )
  expect(hit).toEqual([
    { operation: 'orderService', status: 422, case: 'product-not-found', hits: 1 },
    { operation: 'getCredit', status: 200, case: null, hits: 2 },
  ])
})

test('a deleted account leaves what it covered to the whole, not to the next of its login', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/billing/credit')
  await admin('DELETE', '/accounts/reseller')
  await admin('POST', '/accounts', { login: 'reseller' })
  expect((await admin('GET', '/coverage?account=reseller')).json).toMatchObject({ covered: 0 })
  expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 1 })
})

describe('everything that can occur under a reading is 100 %, and nothing else occurred', () => {
  const readings = Object.entries(assumptionValues).flatMap(([id, [, ...others]]) =>
    others.map((value): [string, object] => [`${id} ${value}`, { assumptions: { [id]: value } }]),
  )
  const last = Object.fromEntries(Object.entries(assumptionValues).map(([id, values]) => [id, values.at(-1)]))

  test.each<[string, object]>([
    ['the defaults', {}],
    ...readings,
    ['updateListInterval 0', { limits: { updateListInterval: 0 } }],
    ['all others', { assumptions: last }],
  ])('%s', async (_name, changes) => {
    const simulator = await start({ scenario: scenarioWith(changes) })
    const admin = adminOf(() => simulator)
    const { json: before } = await admin<Report>('GET', '/coverage')
    await meetAll(simulator)
    const { json: after } = await admin<Report>('GET', '/coverage')
    const missed = after.operations.flatMap(({ operation, responses }) =>
      responses.filter(({ hits }) => hits === 0).map(({ status }) => `${operation} ${status}`),
    )
    expect(missed).toEqual([])
    expect(after).toMatchObject({ percent: 100, covered: before.total, total: before.total })
  })
})

test('responses that only one world can give count, and forced ones too', async () => {
  const other = { password: 'x', assumptions: { unknownSortField: 'ignore' } }
  const admin = adminOf(await start({ scenario: { accounts: { other } } }).then((one) => () => one))
  const totalNow = async () => (await admin<Report>('GET', '/coverage')).json.total
  expect(await totalNow()).toBe(total - 1)
  await admin('POST', '/accounts', { scenario: 'default' })
  expect(await totalNow()).toBe(total)
})

test('a response that the readings rule out counts if it was forced', async () => {
  const scenario = scenarioWith({ assumptions: { unknownSortField: 'ignore' } })
  const simulator = await start({ scenario })
  const admin = adminOf(() => simulator)
  await admin('POST', '/faults', { operation: 'listProductsOrderedBy', respond: 'unprocessable' })
  await simulator.call('GET', '/api/products/orderby/price')
  expect((await admin<Report>('GET', '/coverage')).json).toMatchObject({ covered: 1, total })
})

test('a condition on an unknown assumption is refused', async () => {
  const { readContract } = await import('../../src/contract/Contract.ts')
  const document = structuredClone((await loadContract()).document) as Record<string, never>
  delete document['x-assumptions']
  expect(() => readContract(document)).toThrow('names the assumption "unknownSortField"')
})

test('as Markdown', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/billing/credit')
  const { headers, text } = await admin('GET', '/coverage?format=markdown')
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(text).toContain(`Coverage 2.1 %: 1 of 20 operations, 1 of ${total} responses.`)
  expect(text).toContain('| getCredit | ✅ 1/1 |  |')
  expect(text).toContain('| getStats | ❌ 0/2 | 200 success, 422 unprocessable |')
})

test('as well-formed JUnit', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/billing/credit')
  const { headers, text } = await admin('GET', '/coverage?format=junit')
  expect(headers['content-type']).toBe('application/xml; charset=utf-8')
  expect(text).toContain(
    `<testsuites name="Contract coverage" tests="${total}" failures="0" errors="0" skipped="${total - 1}" time="0">`,
  )
  expect(text.match(/<testcase /g)).toHaveLength(total)
  expect(text.match(/<skipped /g)).toHaveLength(total - 1)
  expect(text).toContain('<testcase classname="getCredit" name="200 success" time="0"/>')
  expect(text.replaceAll(/<[^<>]*>/g, '').trim()).toBe('')
})
