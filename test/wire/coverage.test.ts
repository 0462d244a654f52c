import { describe, expect, test } from 'vitest'
import type { CoverageReport } from '../../src/contract/shapes.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { coverageShortfall } from '../../src/journal/coverageReport.ts'
import { assumptionValues } from '../../src/service/values.ts'
import { coverAll } from '../support/coverAll.ts'
import { scenarioWith, small } from '../support/scenario.ts'
import { start } from '../support/start.ts'

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  const { admin } = simulator
  const report = async (query = '') => (await admin<CoverageReport>('GET', `/coverage${query}`)).json
  return { ...simulator, admin, report }
}

function listHits({ operations }: CoverageReport): string[] {
  return operations.flatMap(({ operation, responses }) =>
    responses
      .filter(({ hits }) => hits > 0)
      .map(({ status, case: name, hits }) => `${operation} ${status} ${name} ${hits}`),
  )
}

test('counts every response of the contract, and how often it was returned', async () => {
  const { call, report } = await setUp()
  const none = await report()
  const { operations } = await loadContract()
  expect(none.operations.map(({ operation }) => operation)).toEqual(
    operations.map(({ operationId }) => operationId),
  )
  expect(none).toMatchObject({ covered: 0, percent: 0 })
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit', { login: null })
  await call('GET', '/api/clients', { login: null })
  await call('POST', '/api/product/999', { body: { clientid: 11 } })
  await call('GET', '/api/nothing')
  await call('DELETE', '/api/clients')
  const after = await report()
  expect(after).toMatchObject({ covered: 3, total: none.total, percent: Math.round(3000 / none.total) / 10 })
  expect(after.authentication).toEqual([
    { status: 400, case: 'invalid-authorization-header', hits: 0 },
    { status: 400, case: 'invalid-credentials-format', hits: 0 },
    { status: 401, case: 'unauthenticated', hits: 2 },
  ])
  expect(listHits(after)).toEqual(['orderService 422 product-not-found 1', 'getCredit 200 null 2'])
})

test('responses of faults only count if they are cases of the contract', async () => {
  const { admin, call, report } = await setUp(scenarioWith({ assumptions: { unknownSortField: 'ignore' } }))
  const { total } = await report()
  for (const respond of [{ status: 200, body: [] }, { status: 422, body: {} }, 'unprocessable']) {
    await admin('POST', '/faults', { operation: 'listProductsOrderedBy', respond, times: 1 })
    await call('GET', '/api/products/orderby/price')
  }
  await admin('POST', '/faults', { operation: 'getCredit', drop: 'truncate', times: 1 })
  await call('GET', '/api/billing/credit').catch(() => undefined)
  const after = await report()
  expect(listHits(after)).toEqual(['listProductsOrderedBy 422 unprocessable 1'])
  expect(after.total, 'a response that the assumptions rule out counts once it has occurred').toBe(total + 1)
})

describe('coverage of all responses that can occur under an interpretation is 100 %', () => {
  /** The defaults, then the other values of all assumptions; the last ones of those that have fewer */
  const all = [0, 1, 2, 3].map((n) =>
    Object.fromEntries(
      Object.entries(assumptionValues).map(([id, values]) => [id, values[n] ?? values.at(-1)]),
    ),
  )

  test.each<object>([...all.map((assumptions) => ({ assumptions })), { limits: { updateListInterval: 0 } }])(
    '%j',
    async (changes) => {
      const { report, ...simulator } = await setUp(scenarioWith(changes))
      const { total } = await report()
      await coverAll(simulator)
      const after = await report()
      const missed = after.operations.flatMap(({ operation, responses }) =>
        responses.filter(({ hits }) => hits === 0).map(({ status }) => `${operation} ${status}`),
      )
      expect(missed).toEqual([])
      expect(after).toMatchObject({ percent: 100, covered: total, total })
    },
  )
})

test('responses that can only occur in one account count', async () => {
  const other = { password: 'x', assumptions: { unknownSortField: 'ignore' } }
  const { admin, report } = await setUp({ accounts: { other } })
  const { total } = await report()
  await admin('POST', '/accounts', { scenario: 'default' })
  expect((await report()).total).toBe(total + 1)
})

test('is available as Markdown and as well-formed JUnit', async () => {
  const { admin, call, report } = await setUp()
  await call('GET', '/api/billing/credit')
  await call('POST', '/api/product/101', { body: { clientid: 11 } })
  const { operations } = await report()
  const markdown = await admin('GET', '/coverage?format=markdown')
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(markdown.text).toContain(` %: 2 of ${operations.length} operations, 2 of `)
  expect(markdown.text).toContain('| Operation | Covered | Not covered |')
  expect(markdown.text).toContain('| authentication | ❌ 0/3 | 400 invalid-authorization-header, 400 ')
  expect(markdown.text).toContain('| getCredit | ✅ 1/1 |  |')
  const { headers, text } = await admin('GET', '/coverage?format=junit')
  expect(headers['content-type']).toBe('application/xml; charset=utf-8')
  expect(text).toContain('<testcase classname="getCredit" name="200 success" time="0"/>')
  for (const label of ['any operation', 'GET /api/clients'])
    expect(text).toContain(`<skipped message="not covered: ${label}"/>`)
  expect(text.replaceAll(/<[^<>]*>/g, '').trim()).toBe('')
})

test.each([
  [2, 3, 66.6, undefined],
  [2, 3, 70, 'Coverage 66.7 % is below 70 %.'],
  [2, 3, 66.7, 'Coverage 66.66 % is below 66.7 %.'],
  [0, 0, 1, 'Coverage 0 % is below 1 %.'],
])('%i of %i responses and at least %s %%: %s', (covered, total, least, expected) => {
  const percent = Math.round((1000 * covered) / (total || 1)) / 10
  const coverage = { covered, total, percent, authentication: [], operations: [] }
  expect(coverageShortfall(coverage, least)).toBe(expected)
})
