import { describe, expect, test } from 'vitest'
import { adminOf, small } from '../support/admin.ts'
import { start, startForAll } from '../support/start.ts'
import { version } from '../../src/version.ts'

interface Entry {
  id: number
  account: string | null
  operation: string | null
  status: number | null
  case: string | null
  violations: string[]
}

interface Journal {
  total: number
  requests: Entry[]
  dropped: number
}

const order = { body: { clientid: 11 } }

test('an entry has the request and its response', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const sent = await simulator.call('POST', '/api/product/101?x=1', order)
  const { json } = await admin<Journal>('GET', '/requests')
  expect(json).toMatchObject({ total: 1, dropped: 0 })
  expect(json.requests).toEqual([
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
        body: sent.json,
      },
      change: {
        credit: 80,
        services: {
          5003: expect.objectContaining({
            client: 11,
            product: 101,
            status: 'Active',
            password: '[redacted]',
          }),
        },
        invoices: { 9002: expect.objectContaining({ amount: 20, status: 'Paid' }) },
        next: { service: 5004, order: 7004, invoice: 9003 },
      },
      violations: [],
    },
  ])
})

test('a refusal has its case and reason but no change; violations are listed', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  await simulator.call('PUT', '/api/service/5001', { body: { setip: 5 } })
  await simulator.call('GET', '/api/nothing')
  await simulator.call('DELETE', '/api/clients')
  await simulator.call('GET', '/api/clients', { login: null })
  const { json } = await admin<Journal>('GET', '/requests')
  expect(json.requests).toMatchObject([
    {
      operation: 'listClients',
      account: null,
      status: 401,
      case: 'unauthenticated',
      reason: 'there is no Authorization header',
    },
    { operation: null, account: 'reseller', status: 405, case: 'method-not-allowed' },
    { operation: null, account: 'reseller', status: 404, case: 'not-found' },
    {
      operation: 'updateService',
      status: 422,
      case: 'incorrect-posted-data',
      change: null,
      violations: ['setip must be string'],
    },
  ])
})

describe('the journal', () => {
  const simulator = startForAll({ scenario: small })
  const admin = adminOf(simulator)
  const ids = async (query: string): Promise<number[]> =>
    (await admin<Journal>('GET', `/requests?${query}`)).json.requests.map(({ id }) => id)

  test('can be filtered by operation, status, case and account, and limited; newest first', async () => {
    const { call } = simulator()
    await admin('POST', '/accounts', { login: 'other' })
    await call('GET', '/api/billing/credit') // 1
    await call('POST', '/api/product/999', order) // 2
    await call('POST', '/api/product/101', order) // 3
    await call('GET', '/api/billing/credit', { login: 'other' }) // 4
    await call('GET', '/api/billing/credit', { login: null }) // 5
    expect(await ids('')).toEqual([5, 4, 3, 2, 1])
    expect(await ids('operation=getCredit')).toEqual([5, 4, 1])
    expect(await ids('status=200')).toEqual([4, 3, 1])
    expect(await ids('status=4xx')).toEqual([5, 2])
    expect(await ids('case=product-not-found')).toEqual([2])
    expect(await ids('account=other')).toEqual([4])
    expect(await ids('operation=getCredit&status=200&limit=1')).toEqual([4])
    expect(await ids('limit=0')).toEqual([])
    expect((await admin<Journal>('GET', '/requests?operation=getCredit&limit=1')).json.total).toBe(3)
  })

  test('still has the requests of a deleted account', async () => {
    await admin('DELETE', '/accounts/other')
    expect(await ids('account=other')).toEqual([4])
  })

  test.each([
    ['operation=getCredi', 'did you mean \\"getCredit\\"'],
    ['case=insuficient-funds', 'did you mean \\"insufficient-funds\\"'],
    ['status=9', 'status'],
    ['status=abc', 'status'],
    ['status=20', 'status'],
    ['limit=-1', 'limit'],
    ['limit=1e3', 'limit'],
    ['limit=', 'limit'],
    ['order=asc', 'operation, status, case, account, limit'],
  ])('refuses %s', async (query, says) => {
    for (const path of ['/requests', '/requests.har']) {
      const { status, text } = await admin('GET', `${path}?${query}`)
      expect(status).toBe(400)
      expect(text).toContain(says)
    }
  })

  test('can be cleared; coverage stays', async () => {
    const { status, text } = await admin('DELETE', '/requests')
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect((await admin<Journal>('GET', '/requests')).json).toEqual({ total: 0, requests: [], dropped: 0 })
    expect((await admin<{ covered: number }>('GET', '/coverage')).json.covered).toBeGreaterThan(0)
    await simulator().call('GET', '/api/clients')
    expect(await ids('')).toEqual([6])
  })
})

test('the journal is bounded, and counts what it dropped', async () => {
  const simulator = await start({ scenario: small, journal: 3 })
  for (let i = 0; i < 5; i++) await simulator.call('GET', '/api/clients')
  const { json } = await adminOf(() => simulator)<Journal>('GET', '/requests')
  expect(json.requests.map(({ id }) => id)).toEqual([5, 4, 3])
  expect(json).toMatchObject({ total: 3, dropped: 2 })
})

describe('waiting', () => {
  async function setUp() {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    const wait = (body?: object) => admin<Journal & { error: string }>('POST', '/requests/wait', body)
    return { ...simulator, admin, wait }
  }

  test('ends at once if there are enough already', async () => {
    const { call, wait } = await setUp()
    await call('GET', '/api/clients')
    const { status, json } = await wait()
    expect(status).toBe(200)
    expect(json).toMatchObject({ total: 1, requests: [{ operation: 'listClients' }] })
  })

  test('ends as soon as enough matching ones have come', async () => {
    const { call, wait } = await setUp()
    await call('POST', '/api/product/101', order)
    const waiting = wait({ operation: 'orderService', status: 200, count: 3, timeout: 10_000 })
    await call('GET', '/api/clients')
    await call('POST', '/api/product/999', order)
    await call('POST', '/api/product/101', order)
    await call('POST', '/api/product/101', order)
    const { status, json } = await waiting
    expect(status).toBe(200)
    expect(json.total).toBe(3)
    expect(json.requests.map(({ id }) => id)).toEqual([5, 4, 1])
  })

  test('is 408 after the timeout, with the number found', async () => {
    const { call, wait } = await setUp()
    await call('GET', '/api/clients')
    const { status, json } = await wait({ status: '2xx', count: 2, timeout: 20 })
    expect(status).toBe(408)
    expect(json.total).toBe(1)
    expect(json.error).toContain('1 of 2')
  })

  test('says so if the simulator stops first', async () => {
    const simulator = await start({ scenario: small })
    const waiting = adminOf(() => simulator)<{ error: string }>('POST', '/requests/wait', {
      operation: 'getCredit',
      timeout: 60_000,
    })
    await adminOf(() => simulator)('GET', '/requests')
    await simulator.close()
    expect((await waiting).json.error).toBe(
      '0 of 1 request came before the simulator stopped (operation getCredit).',
    )
  })

  test('continues across a reset, and starts counting again', async () => {
    const { admin, call, wait } = await setUp()
    await call('GET', '/api/clients')
    const waiting = wait({ operation: 'listClients', count: 2, timeout: 10_000 })
    await admin('GET', '/health')
    await admin('POST', '/reset')
    await call('GET', '/api/clients')
    await call('GET', '/api/clients')
    const { status, json } = await waiting
    expect(status).toBe(200)
    expect(json.requests.map(({ id }) => id)).toEqual([3, 2])
  })

  test('ends when the simulator stops', async () => {
    const { close, wait } = await setUp()
    const waiting = wait({ timeout: 60_000 }).catch(() => undefined)
    const began = performance.now()
    await close()
    await waiting
    expect(performance.now() - began).toBeLessThan(4000)
  })

  test.each([
    [{ operation: 'nope' }, 'operation'],
    [{ case: 'nope' }, 'case'],
    [{ status: 'abc' }, 'status'],
    [{ status: 99 }, 'status'],
    [{ count: 0 }, 'count'],
    [{ count: 1.5 }, 'count'],
    [{ timeout: -1 }, 'timeout'],
    [{ timeout: 1e9 }, 'timeout'],
    [{ times: 2 }, 'times'],
  ])('refuses %j', async (body, says) => {
    const { wait } = await setUp()
    const { status, text } = await wait(body)
    expect(status).toBe(400)
    expect(text).toContain(says)
  })
})

test('a HAR has the sizes that were sent and received', async () => {
  const simulator = await start({ scenario: small })
  const sizes = async (...asked: Parameters<typeof simulator.call>) => {
    await simulator.call(...asked)
    const { json } = await simulator.call<{ log: { entries: Har[] } }>('GET', '/__admin/requests.har')
    const { request, response } = json.log.entries.at(-1) as Har
    return [request.bodySize, response.bodySize]
  }
  interface Har {
    request: { bodySize: number }
    response: { bodySize: number; content: { text: string } }
  }
  const [, whole = 0] = await sizes('GET', '/api/clients')
  expect(whole).toBeGreaterThan(0)
  expect(await sizes('HEAD', '/api/clients')).toEqual([0, 0])
  const raw = ' { "clientid" :11 }'
  expect(await sizes('POST', '/api/product/101', { raw })).toEqual([raw.length, expect.any(Number)])
  const headers = { 'content-length': undefined, 'transfer-encoding': 'chunked' }
  expect(await sizes('POST', '/api/product/101', { raw, headers })).toEqual([-1, expect.any(Number)])
})

test('the headers are those that were received and sent, in their order', async () => {
  const simulator = await start({ scenario: small })
  const headersOf = async (path: string, headers: Record<string, string> = {}) => {
    const sent = await simulator.call('GET', path, { headers })
    const { json } = await simulator.call<{ requests: Shown[] }>('GET', '/__admin/requests?limit=1')
    return { sent: sent.headers, shown: json.requests[0] as Shown }
  }
  interface Shown {
    reason: string
    request: { headers: object }
    response: { headers: Record<string, string> }
  }
  const { sent, shown } = await headersOf('/api/sticky/rotate/5002/us1/%0A%C3%A9')
  expect(shown.reason).toContain('no live session \n\u00e9')
  expect(shown.response.headers['sim-reason']).toContain('no live session ??')
  expect(shown.response.headers['sim-reason']).toBe(sent['sim-reason'])
  for (const [a = '', b = ''] of [
    ['x-a', 'x-b'],
    ['x-b', 'x-a'],
  ]) {
    const { request } = (await headersOf('/api/clients', { [a]: '1', [b]: '1' })).shown
    expect(Object.keys(request.headers).filter((name) => name.startsWith('x-'))).toEqual([a, b])
  }
})

test('without an account there is no version', async () => {
  const simulator = await start({ scenario: small })
  await simulator.call('POST', '/api/product/101', order)
  const headers = { authorization: `Basic ${btoa('reseller:wrong')}` }
  await simulator.call('GET', '/api/clients', { headers })
  const { json } = await simulator.call<Journal>('GET', '/__admin/requests')
  expect(json.requests).toMatchObject([
    { account: null, version: null },
    { account: 'reseller', version: 0 },
  ])
})

test('the journal as HAR 1.2', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  await simulator.call('POST', '/api/product/101?a=b%20c?d', order)
  await simulator.call('GET', '/api/clients')
  await admin('POST', '/faults', { operation: 'getCredit', drop: 'reset' })
  await simulator.call('GET', '/api/billing/credit').catch(() => undefined)
  const { status, headers, json } = await admin<{ log: { entries: object[] } }>('GET', '/requests.har')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  const common = { cookies: [], headersSize: -1, httpVersion: 'HTTP/1.1' }
  expect(json.log).toMatchObject({ version: '1.2', creator: { name: 'proxysim', version } })
  expect(json.log.entries).toHaveLength(3)
  expect(json.log.entries[0]).toEqual({
    startedDateTime: '2026-01-15T12:00:00.000Z',
    time: expect.any(Number),
    request: {
      ...common,
      method: 'POST',
      url: `${simulator.url}/api/product/101?a=b%20c?d`,
      headers: expect.arrayContaining([{ name: 'authorization', value: '[redacted]' }]),
      queryString: [{ name: 'a', value: 'b c?d' }],
      postData: { mimeType: 'application/json', text: '{"clientid":11}' },
      bodySize: 15,
    },
    response: {
      ...common,
      status: 200,
      statusText: 'OK',
      headers: expect.arrayContaining([{ name: 'content-type', value: 'application/json; charset=utf-8' }]),
      content: {
        size: expect.any(Number),
        mimeType: 'application/json; charset=utf-8',
        text: expect.stringContaining('"serviceId":5003'),
      },
      redirectURL: '',
      bodySize: expect.any(Number),
    },
    cache: {},
    timings: { send: 0, wait: expect.any(Number), receive: 0 },
    _id: 1,
    _account: 'reseller',
    _operation: 'orderService',
    _case: null,
    _reason: null,
    _forced: false,
    _change: expect.objectContaining({ credit: 80 }),
    _violations: [],
  })
  expect(json.log.entries[1]).not.toHaveProperty('request.postData')
  expect(json.log.entries[2]).toMatchObject({
    response: { status: 0, statusText: '', headers: [], content: { size: 0, text: '' }, bodySize: 0 },
  })
  const limited = await admin<typeof json>('GET', '/requests.har?operation=listClients')
  expect(limited.json.log.entries).toHaveLength(1)
})
