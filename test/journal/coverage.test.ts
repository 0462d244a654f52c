import { expect, test } from 'vitest'
import { casesByOperation } from '../../src/contract/cases.gen.ts'
import { adminOf, small } from '../support/admin.ts'
import { start } from '../support/start.ts'

interface Report {
  covered: number
  total: number
  percent: number
  operations: { operation: string; responses: { status: number; case: string | null; hits: number }[] }[]
}

const total = Object.values(casesByOperation).flat().length + Object.keys(casesByOperation).length

async function setUp() {
  const simulator = await start({ scenario: small })
  return { ...simulator, admin: adminOf(() => simulator) }
}

test('every answer of the contract is counted, and how often it was given', async () => {
  const { admin, call } = await setUp()
  const { json: none } = await admin<Report>('GET', '/coverage')
  expect(none).toMatchObject({ covered: 0, total, percent: 0 })
  expect(none.operations).toHaveLength(20)
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit')
  await call('GET', '/api/billing/credit', { login: null })
  await call('POST', '/api/product/999', { body: { clientid: 11 } })
  await call('GET', '/api/nothing')
  await call('DELETE', '/api/clients')
  const { json } = await admin<Report>('GET', '/coverage')
  expect(json).toMatchObject({ covered: 3, total, percent: Math.round(3000 / total) / 10 })
  const hit = json.operations.flatMap(({ operation, responses }) =>
    responses.filter(({ hits }) => hits > 0).map((response) => ({ operation, ...response })),
  )
  expect(hit).toEqual([
    { operation: 'orderService', status: 422, case: 'product-not-found', hits: 1 },
    { operation: 'getCredit', status: 200, case: null, hits: 2 },
    { operation: 'getCredit', status: 401, case: 'unauthenticated', hits: 1 },
  ])
})

test('as Markdown', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/billing/credit')
  const { headers, text } = await admin('GET', '/coverage?format=markdown')
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(text).toContain(`1 of ${total} answers`)
  expect(text).toContain('| ✅ | getCredit | `GET /api/billing/credit` | 200 |  | 1 |')
  expect(text).toContain('| ❌ | getCredit | `GET /api/billing/credit` | 401 | unauthenticated | 0 |')
})

test('as JUnit, well formed', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/billing/credit')
  const { headers, text } = await admin('GET', '/coverage?format=junit')
  expect(headers['content-type']).toBe('application/xml; charset=utf-8')
  expect(text).toContain(
    `<testsuites name="contract coverage" tests="${total}" failures="0" errors="0" skipped="${total - 1}" time="0">`,
  )
  expect(text.match(/<testcase /g)).toHaveLength(total)
  expect(text.match(/<skipped /g)).toHaveLength(total - 1)
  expect(text).toContain('<testcase classname="getCredit" name="200 success" time="0"/>')
  expect(text.replaceAll(/<[^<>]*>/g, '').trim()).toBe('')
})

test('markup in a contract does no harm', async () => {
  const { coverageJunit } = await import('../../src/journal/coverageJunit.ts')
  const { coverageMarkdown } = await import('../../src/journal/coverageMarkdown.ts')
  const report = {
    covered: 0,
    total: 1,
    percent: 0,
    operations: [
      {
        operation: 'a"<&>|',
        method: 'GET',
        path: '/x\u0001',
        responses: [{ status: 200, case: null, hits: 0 }],
      },
    ],
  }
  expect(coverageJunit(report)).toContain('classname="a&quot;&lt;&amp;&gt;|" name="200 success"')
  expect(coverageJunit(report)).not.toContain('\u0001')
  expect(coverageMarkdown(report)).toContain('| a"<&>\\| |')
})
