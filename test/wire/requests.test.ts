import { describe, expect, test } from 'vitest'
import type { RequestPage } from '../../src/contract/shapes.ts'
import { version } from '../../src/lib/files.ts'
import { small } from '../support/scenario.ts'
import { start } from '../support/start.ts'

const order = { body: { clientid: 11 } }

async function setUp(options: object = {}) {
  const simulator = await start({ scenario: small, ...options })
  const { admin } = simulator
  return {
    ...simulator,
    journal: async () => (await admin<RequestPage>('GET', '/requests')).json,
    wait: (body?: object) => admin<RequestPage & { error: string }>('POST', '/requests/wait', body),
  }
}

test('an entry has the request and its response', async () => {
  const { call, journal } = await setUp()
  const { json } = await call('POST', '/api/product/101?x=1', order)
  expect(await journal()).toEqual({
    total: 1,
    dropped: 0,
    refused: { count: 0, last: [] },
    requests: [
      {
        id: 1,
        time: '2026-01-15T12:00:00.000Z',
        account: 'reseller',
        version: 0,
        operation: 'orderService',
        method: 'POST',
        path: '/api/product/101?x=1',
        status: 200,
        case: null,
        reason: null,
        forced: false,
        durationMs: expect.any(Number),
        request: {
          headers: {
            accept: 'application/json',
            'content-type': 'application/json',
            'content-length': '15',
            authorization: '[redacted]',
            host: expect.stringContaining('127.0.0.1'),
            connection: 'keep-alive',
          },
          body: { clientid: 11 },
        },
        response: {
          headers: expect.objectContaining({
            'content-type': 'application/json; charset=utf-8',
            date: 'Thu, 15 Jan 2026 12:00:00 GMT',
          }),
          body: json,
        },
        change: {
          credit: 80,
          services: {
            5003: expect.objectContaining({ client: 11, status: 'Active', password: '[redacted]' }),
          },
          invoices: { 9002: expect.objectContaining({ amount: 20, status: 'Paid' }) },
          next: { service: 5004, order: 7004, invoice: 9003 },
        },
        before: {
          credit: 100,
          services: { 5003: null },
          invoices: { 9002: null },
          next: { service: 5003, order: 7003, invoice: 9002 },
        },
        violations: [],
      },
    ],
  })
})

test('a refusal has a case and a reason but no change, and lists violations', async () => {
  const { call, journal } = await setUp()
  await call('PUT', '/api/service/5001', { body: { setip: 5 } })
  await call('GET', '/api/nothing')
  await call('DELETE', '/api/clients')
  await call('GET', '/api/clients', { login: null })
  expect((await journal()).requests).toMatchObject([
    {
      operation: 'listClients',
      account: null,
      version: null,
      status: 401,
      case: 'unauthenticated',
      reason: 'there is no Authorization header',
    },
    { operation: null, account: 'reseller', status: 405, case: 'method-not-allowed' },
    { operation: null, account: 'reseller', version: 0, status: 404, case: 'not-found' },
    {
      operation: 'updateService',
      status: 422,
      case: 'incorrect-posted-data',
      change: null,
      violations: ['setip is the number 5; send the string "5"'],
    },
  ])
})

test('the journal can be filtered by operation, status, case and account, and limited; newest first', async () => {
  const { admin, call } = await setUp()
  await admin('POST', '/accounts', { login: 'other' })
  await call('GET', '/api/billing/credit') // 1
  await call('POST', '/api/product/999', order) // 2
  await call('POST', '/api/product/101', order) // 3
  await call('GET', '/api/billing/credit', { login: 'other' }) // 4
  await call('GET', '/api/billing/credit', { login: null }) // 5
  await admin('POST', '/faults', { operation: 'listClients', respond: { status: 400, body: {} } })
  await call('GET', '/api/clients') // 6
  for (const [query, [total, ...ids]] of Object.entries({
    '': [6, 6, 5, 4, 3, 2, 1],
    'operation=getCredit': [3, 5, 4, 1],
    'status=200': [3, 4, 3, 1],
    'status=4xx': [3, 6, 5, 2],
    'case=forced': [1, 6],
    'case=product-not-found': [1, 2],
    'account=other': [1, 4],
    'operation=getCredit&status=200&limit=1': [2, 4],
    'limit=0': [6],
  })) {
    const requests = ids.map((id) => ({ id }))
    expect((await admin('GET', `/requests?${query}`)).json, query).toMatchObject({ total, requests })
  }
})

describe('waiting', () => {
  test('ends as soon as enough requests match, or with 408 after the timeout', async () => {
    const { call, wait } = await setUp()
    await call('POST', '/api/product/101', order)
    expect((await wait()).json).toMatchObject({ total: 1, requests: [{ operation: 'orderService' }] })
    const waiting = wait({ operation: 'orderService', status: 200, count: 3, timeout: 10_000 })
    await call('GET', '/api/clients')
    for (const id of [999, 101, 101]) await call('POST', `/api/product/${id}`, order)
    const { status, json } = await waiting
    expect({ status, total: json.total }).toEqual({ status: 200, total: 3 })
    expect(json.requests.map(({ id }) => id)).toEqual([5, 4, 1])
    const timedOut = await wait({ status: '4xx', count: 2, timeout: 20 })
    expect(timedOut.status).toBe(408)
    expect(timedOut.json).toMatchObject({ total: 1, error: expect.stringContaining('1 of 2') as string })
  })

  test('ends with an error if the simulator stops first', async () => {
    const { wait, journal, close } = await setUp()
    const waiting = wait({ operation: 'getCredit', timeout: 60_000 })
    for (let i = 0; i < 10; i++) await journal() // the wait has arrived by then
    await close()
    expect((await waiting).json.error).toBe(
      '0 of 1 request arrived before the simulator stopped (operation getCredit).',
    )
  })

  test('continues after a reset, and counts from the beginning', async () => {
    const { admin, call, wait } = await setUp()
    await call('GET', '/api/clients')
    const waiting = wait({ operation: 'listClients', count: 2, timeout: 10_000 })
    await admin('GET', '/health')
    await admin('POST', '/reset')
    await call('GET', '/api/clients')
    await call('GET', '/api/clients')
    expect((await waiting).json.requests.map(({ id }) => id)).toEqual([3, 2])
  })
})

test('the journal is available as HAR 1.2', async () => {
  const { call, admin, url } = await setUp()
  await call('POST', '/api/product/101?a=b%20c?d', order)
  await call('GET', '/api/clients')
  await admin('POST', '/faults', { operation: 'getCredit', drop: 'reset' })
  await call('GET', '/api/billing/credit').catch(() => undefined)
  const { status, headers, json } = await admin<{ log: { entries: object[] } }>('GET', '/requests.har')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  const common = { cookies: [], headersSize: -1, httpVersion: 'HTTP/1.1' }
  const pageref = 'page_1'
  const type = 'application/json; charset=utf-8'
  const page = { id: 'page_1', startedDateTime: '2026-01-15T12:00:00.000Z', title: 'Calls to the API' }
  const creator = { name: 'proxysim', version }
  expect(json.log).toMatchObject({ version: '1.2', creator, pages: [page] }) // Firefox opens no archive without a page
  expect(json.log.entries).toMatchObject([
    {
      pageref,
      startedDateTime: '2026-01-15T12:00:00.000Z',
      request: {
        ...common,
        method: 'POST',
        url: `${url}/api/product/101?a=b%20c?d`,
        headers: expect.arrayContaining([{ name: 'authorization', value: '[redacted]' }]) as object[],
        queryString: [{ name: 'a', value: 'b c?d' }],
        postData: { mimeType: 'application/json', text: '{"clientid":11}' },
        bodySize: 15,
      },
      response: {
        ...common,
        status: 200,
        statusText: 'OK',
        headers: expect.arrayContaining([{ name: 'content-type', value: type }]) as object[],
        content: { mimeType: type, text: expect.stringContaining('"serviceId":5003') as string },
        redirectURL: '',
      },
      cache: {},
      _operation: 'orderService',
      _change: { credit: 80 },
    },
    { request: { method: 'GET' } },
    { response: { status: 0, statusText: '', headers: [], content: { size: 0, text: '' }, bodySize: 0 } },
  ])
  expect(json.log.entries[1]).not.toHaveProperty('request.postData')
  const limited = await admin<typeof json>('GET', '/requests.har?operation=listClients')
  expect(limited.json.log.entries).toHaveLength(1)
})
