import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { ActiveFault, RequestPage } from '../../src/contract/shapes.ts'
import type { OperationId } from '../../src/contract/cases.gen.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { getSend } from '../../src/faults/applyFault.ts'
import type { DropMode } from '../../src/faults/effects/drop.ts'
import { crash, genericFaults } from '../../src/faults/presets.ts'
import type { Finding } from '../../src/findings/findings.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { createCertificate } from '../support/certificate.ts'
import { formatRequest } from '../support/raw.ts'
import { small } from '../support/scenario.ts'
import {
  waitForEvent,
  start,
  startForAll,
  getWorld,
  type TestResponse,
  type TestSimulator,
} from '../support/start.ts'

const { operations } = await loadContract()

async function setUp(faults: readonly object[] = []) {
  const scenario = { ...small, accounts: { reseller: { ...small.accounts.reseller, faults } } }
  const simulator = await start({ scenario })
  const { admin } = simulator
  return {
    ...simulator,
    addFault: async (fault: object, account = 'reseller') => {
      const { status, json, text } = await admin<ActiveFault>('POST', `/faults?account=${account}`, fault)
      expect(status, text).toBe(201)
      return json
    },
    faults: async () => (await admin<ActiveFault[]>('GET', '/faults')).json,
    statuses: async (count: number, path = '/api/billing/credit') => {
      const statuses: number[] = []
      for (let i = 0; i < count; i++) statuses.push((await simulator.call('GET', path)).status)
      return statuses
    },
    credit: () => getWorld(simulator).credit,
  }
}

const order = { body: { clientid: 11 } }
const refused = { operation: 'getCredit', respond: 'unauthenticated' }

describe('faults are listed, added and removed', () => {
  test('with their ids and counters', async () => {
    const { admin, addFault, faults, statuses } = await setUp()
    const first = { id: 1, ...refused, phase: 'before', times: 1, seen: 0, used: 0, exhausted: false }
    expect(await addFault({ ...refused, times: 1 })).toEqual(first)
    await addFault({ operation: '*', delay: 0 })
    await statuses(2)
    const second = { id: 2, seen: 1, used: 1, exhausted: false }
    expect(await faults()).toMatchObject([{ id: 1, seen: 1, used: 1, exhausted: true }, second])
    expect(await admin('DELETE', '/faults/1')).toMatchObject({ status: 204, text: '' })
    expect(await faults()).toMatchObject([second])
    expect((await admin('DELETE', '/faults')).status).toBe(204)
    expect(await faults()).toEqual([])
    expect(await addFault({ operation: '*', delay: 0 })).toMatchObject({ id: 3 })
  })

  test('an unknown id returns 404, and adding an id in use 409', async () => {
    const { admin, addFault } = await setUp([{ operation: '*', delay: 1, id: 7 }])
    for (const id of ['1', 'x', '07', '__proto__'])
      expect((await admin('DELETE', `/faults/${id}`)).status).toBe(404)
    expect((await admin('POST', '/faults', { operation: '*', delay: 1, id: 7 })).status).toBe(409)
    expect(await addFault({ operation: '*', delay: 1 })).toMatchObject({ id: 8 })
  })
})

describe('which requests trigger a fault', () => {
  const shared = startForAll({ scenario: small })

  test('after a number of requests, a number of times', async () => {
    const { addFault, statuses } = await setUp()
    await addFault({ ...refused, after: 2, times: 2 })
    expect(await statuses(6)).toEqual([200, 200, 401, 401, 200, 200])
  })

  test('requests of one operation or of all, but only of its account', async () => {
    const { admin, addFault, call, statuses } = await setUp([refused])
    expect([...(await statuses(1)), ...(await statuses(1, '/api/clients'))]).toEqual([401, 200])
    await admin('DELETE', '/faults')
    const { json } = await admin<{ authorization: string }>('POST', '/accounts', { login: 'other' })
    await addFault({ operation: '*', respond: 'unauthenticated' }, 'other')
    expect(await statuses(1)).toEqual([200])
    for (const path of ['/api/clients', '/api/services'])
      expect((await call('GET', path, { headers: { authorization: json.authorization } })).status).toBe(401)
  })

  test('that match its path and body', async () => {
    const { call } = await setUp([
      { operation: 'getService', match: { path: { id: '5002' } }, respond: 'unprocessable' },
      {
        operation: 'updateService',
        match: { path: { id: 5001 }, body: { setip: '192.0.2.9' } }, // ids may also be numbers
        respond: 'ip-already-bound',
      },
    ])
    expect((await call('GET', '/api/service/5001')).status).toBe(200)
    expect((await call('GET', '/api/service/5002')).status).toBe(422)
    const bind = async (body: object) => (await call('PUT', '/api/service/5001', { body })).status
    expect([await bind({ setip: '192.0.2.8' }), await bind({ setip: '192.0.2.9', other: 1 })]).toEqual([
      200, 422,
    ])
  })

  test.each<[isTriggered: boolean, named: object, body: object | undefined]>([
    [true, { a: 1 }, { a: 1, b: 2 }],
    [false, { a: 1 }, { a: '1' }],
    [false, { a: 1 }, { b: 1 }],
    [true, {}, { a: 1 }],
    [true, { a: null }, { a: null }],
    [false, { a: { b: 1 } }, { a: 1 }],
    [true, { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    [true, { a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }] }],
    [false, { a: [1, 2] }, { a: [2, 1] }],
    [false, { a: [] }, { a: {} }],
    [false, { a: [1] }, { a: { 0: 1, length: 1 } }],
    [false, { toString: 'x' }, {}],
  ])('(%s) if the match is %j and the body %j', async (isTriggered, named, body) => {
    const { admin, call } = shared()
    await admin('DELETE', '/faults')
    await admin('POST', '/faults', {
      operation: 'updateService',
      match: { body: named },
      respond: 'unprocessable',
    })
    const { headers } = await call('PUT', '/api/service/5001', { body })
    expect(headers['sim-case']).toBe(isTriggered ? 'unprocessable' : undefined)
  })

  test('by a probability: the same requests after a reset, others with another seed', async () => {
    const { admin, statuses } = await setUp([{ ...refused, probability: 0.5 }])
    const draw = async (seed: number) => {
      await admin('POST', '/reset')
      await admin('PATCH', '/accounts/reseller', { seed })
      return statuses(20)
    }
    const drawn = await draw(1)
    const triggered = drawn.filter((status) => status === 401).length
    expect(triggered).toBeGreaterThan(2)
    expect(triggered).toBeLessThan(18)
    expect(await draw(1)).toEqual(drawn)
    expect(await draw(2)).not.toEqual(drawn)
  })
})

const pairs = operations.flatMap(({ operationId, cases }) =>
  cases.map((given) => ({ operation: operationId as OperationId, name: given.name, given })),
)
describe('every case of every operation can be forced', () => {
  const simulator = startForAll({ scenario: small })

  test.each(pairs)('$operation: $name', async ({ operation, name, given }) => {
    const { admin, call } = simulator()
    const { json: fault } = await admin<ActiveFault>('POST', '/faults', {
      operation,
      respond: name,
      times: 1,
    })
    const [method, path, body] = callByOperation[operation]
    const { status, text, headers } = await call(method, path, body && { body })
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: given.status,
      text: typeof given.value === 'string' ? given.value : JSON.stringify(given.value),
      type: `${given.contentType}; charset=utf-8`,
    })
    expect(headers['sim-case']).toBe(name)
    expect(headers['sim-reason']).toContain(`forced by fault ${fault.id}`)
    const { json } = await admin<RequestPage>('GET', '/requests?limit=1')
    expect(json.requests).toMatchObject([{ operation, status, case: name, forced: true, violations: [] }])
  })
})

describe('effects of faults', () => {
  test('before: the operation is not executed', async () => {
    const respond = { status: 500, body: { error: 'Server Error' } }
    const { call, credit } = await setUp([{ operation: 'orderService', respond }])
    expect(await call('POST', '/api/product/101', order)).toMatchObject({ status: 500, json: respond.body })
    expect(credit()).toBe(100)
  })

  test('after: the order is paid for, but the client never gets the response', async () => {
    const { admin, call, credit } = await setUp([
      { operation: 'orderService', phase: 'after', drop: 'reset', times: 1 },
    ])
    await expect(call('POST', '/api/product/101', order)).rejects.toThrow(/ECONNRESET|hang up/)
    expect(credit()).toBe(80)
    const { json } = await admin<{ requests: object[] }>('GET', '/requests')
    const change = { credit: 80, services: { 5003: { client: 11 } } }
    expect(json.requests).toMatchObject([{ operation: 'orderService', status: null, forced: true, change }])
  })

  test('after: a delay does not change a refusal', async () => {
    const { call } = await setUp([{ operation: 'orderService', phase: 'after', delay: 1 }])
    const { headers } = await call('POST', '/api/product/999', order)
    expect(headers['sim-case']).toBe('product-not-found')
  })

  test('a response that breaks the contract is sent anyway; the journal has the violations', async () => {
    const { admin, call } = await setUp([
      { operation: 'getCredit', respond: { status: 200, body: { credit: 'oops' } } },
    ])
    expect((await call('GET', '/api/billing/credit')).text).toBe('{"credit":"oops"}')
    const { json } = await admin<{ requests: { violations: string[] }[] }>('GET', '/requests?limit=1')
    expect(json.requests[0]?.violations).toEqual(['credit must be number'])
  })

  const html = { 'Content-Type': 'text/html', 'X-Mine': 'yes', 'Content-Security-Policy': 'script-src *' }
  test.each<[respond: object, text: string, headers: object]>([
    [
      { status: 502, body: '<h1>Bad</h1>', headers: html },
      '<h1>Bad</h1>',
      { 'x-mine': 'yes', 'content-type': 'text/html' },
    ],
    [{ status: 200, body: 'zażółć' }, 'zażółć', { 'content-type': 'text/plain; charset=utf-8' }],
    [{ status: 418, body: [null] }, '[null]', { 'content-type': 'application/json; charset=utf-8' }],
    [{ status: 599 }, '', {}],
    [{ status: 204, body: { lost: true } }, '', {}],
    [{ status: 205, body: 'x' }, '', {}],
    [{ status: 304, body: 'x' }, '', {}],
  ])(
    'the response has the body, or none, and headers, never as a page: %j',
    async (respond, text, headers) => {
      const { call, statuses, admin } = await setUp([{ operation: 'getCredit', respond }])
      const response: TestResponse<unknown> = await call('GET', '/api/billing/credit')
      expect(response).toMatchObject({ status: (respond as { status: number }).status, text, headers })
      expect(response.headers['content-type'] === undefined).toBe(text === '')
      const lengths = ['content-length', 'transfer-encoding'].filter((name) => name in response.headers)
      expect(lengths).toHaveLength([204, 304].includes(response.status) ? 0 : 1)
      expect(response.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      await admin('DELETE', '/faults')
      expect(await statuses(1)).toEqual([200])
    },
  )

  test('a delay takes real time, even if the clock is frozen, and leaves no timer or listener', async () => {
    const { call, faults, simulation } = await setUp([{ operation: 'getCredit', delay: 60 }])
    const began = performance.now()
    const { status, headers } = await call('GET', '/api/billing/credit')
    expect(performance.now() - began).toBeGreaterThanOrEqual(55)
    expect(status).toBe(200)
    expect(headers.date).toBe('Thu, 15 Jan 2026 12:00:00 GMT')
    expect(await faults()).toMatchObject([{ used: 1 }])
    expect(getEventListeners(simulation.stopping.signal, 'abort')).toEqual([])
  })

  test('a delay ends when the simulator stops', async () => {
    const simulator = await setUp([{ operation: 'getCredit', delay: 60_000 }])
    const { call, close } = simulator
    const triggered = waitForEvent(simulator, 'change')
    const ended = call('GET', '/api/billing/credit').then(
      () => 'ended',
      () => 'ended',
    )
    await triggered
    await close()
    expect(await ended).toBe('ended') // earlier than after a minute
  })

  /** Sends a request. @returns how the connection ends, and the text received before that */
  function readToEnd(
    { port, url, authorization }: Pick<TestSimulator, 'port' | 'url' | 'authorization'>,
    [method, path, body = '']: [method: string, path: string, body?: string],
  ): Promise<{ end: string; text: string }> {
    const headers = ['Accept: application/json', 'Content-Type: application/json']
    const length = `Content-Length: ${body.length}`
    const request = formatRequest(method, path, [`Authorization: ${authorization()}`, ...headers, length])
    return new Promise((resolve) => {
      let text = ''
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
      const send = (): unknown => socket.write(request + body)
      // libuv reports a reset as an end if unread data, such as TLS session tickets, came before it.
      const socket = url.startsWith('https:')
        ? connectTls(options).once('session', () => setImmediate(send))
        : connect(options, send)
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve({ end: error.code ?? '', text }))
      socket.on('end', () => resolve({ end: 'end', text }))
    })
  }

  const dropping = [...genericFaults, crash].filter(({ fault }) => getSend(fault) !== undefined)
  const endings: Record<DropMode, [end: string, isHalf: boolean, description: string]> = {
    reset: ['ECONNRESET', false, 'resets the connection'],
    empty: ['end', false, 'closes the connection without a response'],
    truncate: ['end', true, 'closes the connection halfway through the response'],
  }

  describe.each(['http', 'https'])('over %s', (scheme) => {
    test.each(dropping)('$name: $description', async ({ fault }) => {
      const simulator = await start({
        scenario: small,
        ...(scheme === 'https' && { tls: createCertificate() }),
      })
      const { url, admin } = simulator
      expect(url).toMatch(`${scheme}://`)
      const shortened = fault.delay === undefined ? fault : { ...fault, delay: 20 }
      await admin('POST', '/faults', { operation: 'orderService', times: 1, ...shortened })
      const call = ['POST', '/api/product/101', '{"clientid":11}'] as const
      const { end, text } = await readToEnd(simulator, [...call])
      const [ending, isHalf, description] = endings[fault.drop as DropMode]
      const [, length, received] = /content-length: (\d+)[^]*?\r\n\r\n([^]*)$/.exec(text) ?? []
      expect({ end, received: received?.length }).toEqual({
        end: ending,
        received: isHalf ? Math.floor(Number(length) / 2) : undefined,
      })
      expect(text === '').toBe(!isHalf)
      const { requests } = (await admin<RequestPage>('GET', '/requests')).json
      const isExecuted = fault.phase === 'after'
      expect(requests).toMatchObject([
        { status: isHalf ? 200 : null, reason: expect.stringContaining(description) as string },
      ])
      expect(requests[0]?.change === null).toBe(!isExecuted)
      const { json: findings } = await admin<Finding[]>('GET', '/findings')
      expect(findings.map(({ finding }) => finding)).toEqual(isExecuted ? ['order-lost'] : [])
      await readToEnd(simulator, [...call]) // the fault is exhausted, and the server still works
      expect((await admin<RequestPage>('GET', '/requests?limit=1')).json.requests).toMatchObject([
        { status: 200 },
      ])
    })
  })

  test.each([{ name: 'truncate' }, { drop: 'truncate' }])(
    'a truncated read has half of the real response: %j',
    async (fault) => {
      const simulator = await start({ scenario: small })
      const { text } = await simulator.call('GET', '/api/products')
      await simulator.admin('POST', '/faults', { operation: 'listProducts', ...fault })
      const [, half] = (await readToEnd(simulator, ['GET', '/api/products'])).text.split('\r\n\r\n')
      expect(half).toBe(text.slice(0, Math.floor(text.length / 2)))
      expect(half?.length).toBeGreaterThan(20)
    },
  )
})

describe('a stale response', () => {
  const stale = { operation: 'listServices', stale: 1 }
  const count = async ({ call }: TestSimulator) => (await call<object[]>('GET', '/api/services')).json.length

  test.each([
    [1, [2, 2, 3, 4]],
    [2, [2, 3, 2, 3]],
  ])('uses the records before the last %i changes by requests', async (changes, expected) => {
    const simulator = await setUp([{ ...stale, stale: changes }])
    const lists: number[] = []
    for (let i = 0; i < 4; i++) {
      lists.push(await count(simulator))
      await simulator.call('POST', '/api/product/101', order)
    }
    expect(lists).toEqual(expected)
  })

  test('needs an earlier state; otherwise the request is executed and not counted', async () => {
    const simulator = await setUp([{ ...stale, times: 1 }])
    const { admin, call, faults } = simulator
    expect(await count(simulator)).toBe(2)
    await admin('PATCH', '/accounts/reseller', { credit: 99 }) // no change by a request
    expect(await count(simulator)).toBe(2)
    expect(await faults()).toMatchObject([{ seen: 0, used: 0 }])
    await call('POST', '/api/product/101', order)
    expect([await count(simulator), await count(simulator)]).toEqual([2, 3])
    expect(await faults()).toMatchObject([{ seen: 1, used: 1, exhausted: true }])
    const { json } = await admin<RequestPage>('GET', '/requests?operation=listServices')
    expect(json.requests[1]).toMatchObject({
      forced: false,
      reason: 'fault 1 (responds with the records of one change ago; 1 of 1 time)',
    })
    await admin('POST', '/reset')
    expect(await count(simulator)).toBe(2)
    expect(await faults()).toMatchObject([{ seen: 0 }])
  })

  test('has the earlier credit, but the current credentials and faults', async () => {
    const { admin, call, faults } = await setUp([{ operation: '*', stale: 1 }])
    await call('POST', '/api/product/101', order)
    await admin('PATCH', '/accounts/reseller', { tokens: ['new'] })
    const authorization = `Basic ${Buffer.from('reseller:new').toString('base64')}`
    const { json } = await call('GET', '/api/billing/credit', { headers: { authorization } })
    expect(json).toEqual({ credit: 100 })
    expect((await call('GET', '/api/service/5003')).headers['sim-reason']).toBe(
      'there is no service 5003; fault 1 (responds with the records of one change ago; triggered 2 times)',
    )
    await call('POST', '/api/product/101', order) // `*` applies only to operations that read
    expect(await faults()).toMatchObject([{ used: 2 }])
  })

  test.each([
    [
      { operation: 'orderService', stale: 1 },
      'changes state, so it has no stale response. Use a read operation',
    ],
    [{ operation: 'rotateStickySession', stale: 1 }, 'phase "after" with drop'],
    [{ ...stale, stale: 0 }, 'expected number to be >=1'],
    [{ ...stale, stale: 101 }, 'expected number to be <=100'],
    [{ ...stale, respond: { status: 500 } }, "stale: Can't be combined with respond"],
  ])('is refused if it is impossible: %j', async (fault, message) => {
    const { admin, faults } = await setUp()
    const { status, text } = await admin('POST', '/faults', fault)
    expect({ status, text }).toEqual({
      status: 400,
      text: expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    })
    expect(await faults()).toEqual([])
  })
})

test.each([
  [{ 'Retry-After': 1 }, { 'retry-after': '1' }],
  [{ 'Set-Cookie': ['a=1', 2] }, { 'set-cookie': ['a=1', '2'] }],
  [{ 'X-Many': ['a', 'b'] }, { 'x-many': 'a, b' }],
])('headers of a response may be numbers and lists: %j', async (headers, expected) => {
  const { call, admin } = await setUp([{ operation: 'getCredit', respond: { status: 503, headers } }])
  expect((await call('GET', '/api/billing/credit')).headers).toMatchObject(expected)
  expect((await admin('GET', '/requests')).status).toBe(200)
  const exported = await admin<object>('GET', '/scenario')
  expect((await admin('PUT', '/scenario', exported.json)).status).toBe(200)
})
