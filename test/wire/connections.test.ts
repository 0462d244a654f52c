import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RequestPage } from '../../src/contract/shapes.ts'
import { limits } from '../../src/http/limits.ts'
import { createCertificate } from '../support/certificate.ts'
import { sendAndRead, sendRaw } from '../support/raw.ts'
import { basic, start, type TestSimulator } from '../support/start.ts'

/* Requests on connections that are slow, broken, pipelined or closed. */

function head(sim: TestSimulator, line: string, ...more: string[]): string {
  const lines = ['Host: localhost', `Authorization: ${sim.authorization()}`]
  return [`${line} HTTP/1.1`, ...lines, ...more, '', ''].join('\r\n')
}

function order(sim: TestSimulator, length = 15): string {
  const headers = ['Content-Type: application/json', `Content-Length: ${length}`]
  return `${head(sim, 'POST /api/product/101', ...headers)}{"clientid":11}`
}

async function listRecorded(sim: TestSimulator): Promise<string[]> {
  const { json } = await sim.call<{ requests: { operation: string }[] }>('GET', '/__admin/requests')
  return json.requests.map(({ operation }) => operation)
}

/** Starts a simulator whose timeouts are short enough for a test. */
async function startWithShortLimits(): Promise<TestSimulator> {
  const original = { ...limits }
  onTestFinished(() => void Object.assign(limits, original))
  Object.assign(limits, { headersTimeout: 1000, requestTimeout: 1000, connectionsCheckingInterval: 20 })
  return start()
}

test('the limits are the documented ones', () => {
  expect(limits).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 })
  expect(limits.connectionsCheckingInterval).toBeLessThanOrEqual(1000)
})

test('100 slow requests time out without delaying others', async () => {
  const sim = await startWithShortLimits()
  const endless = order(sim).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  const chunks = `${endless.split('{')[0]}200000\r\n${' '.repeat(0x20_0000)}\r\n`
  const beginnings = ['', 'GET /api/services HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', order(sim, 100)]
  const slow = [...Array.from({ length: 33 }, () => beginnings).flat(), chunks].map((bytes) =>
    sendAndRead(sim.port, (socket) => void socket.write(bytes)),
  )
  expect((await sim.call('GET', '/api/services')).status).toBe(200)
  for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^(HTTP\/1\.1 408 [^{]*)?$/)
  expect(await listRecorded(sim)).toEqual(['listServices'])
})

test.each(['stranger:secret', 'reseller:wrong', ''])(
  'wrong credentials (%s) are refused before the body arrives',
  async (credentials) => {
    const sim = await start()
    const bytes = order(sim, 990_000).replace(/Basic .*/, basic(credentials))
    const socket = connect(sim.port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(bytes)
    const [reply] = (await once(socket, 'data')) as [Buffer]
    expect(String(reply)).toMatch(credentials ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 400 /)
    // The rest of the body is discarded, and the connection can be used again.
    socket.write(' '.repeat(990_000 - 15) + head(sim, 'GET /api/clients'))
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(String(second)).toMatch(/^HTTP\/1\.1 200 /)
  },
)

describe('pipelined requests', () => {
  const next = (sim: TestSimulator): string => head(sim, 'GET /api/clients', 'Connection: close')

  test('are executed in their order, each after the previous response', async () => {
    const sim = await start()
    await sim.admin('POST', '/faults', { operation: 'listClients', delay: 50, times: 1 })
    const bytes = head(sim, 'GET /api/clients') + order(sim) + head(sim, 'GET /api/services') + next(sim)
    const reply = await sendAndRead(sim.port, (socket) => void socket.write(bytes))
    expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(4).fill('HTTP/1.1 200'))
    const { json } = await sim.admin<RequestPage>('GET', '/requests')
    expect(json.requests.map(({ operation }) => operation)).toEqual([
      'listClients',
      'listServices',
      'orderService',
      'listClients',
    ])
  })

  test.each<[what: string, fault: object | undefined, first: (sim: TestSimulator) => string]>([
    ['reset', { drop: 'reset' }, (sim) => order(sim)],
    ['truncated', { drop: 'truncate', phase: 'after' }, (sim) => order(sim)],
    [
      'closed on request',
      undefined,
      (sim) => order(sim).replace('Content-T', 'Connection: close\r\nContent-T'),
    ],
  ])('are not executed if the connection is %s before', async (_what, fault, first) => {
    const sim = await start()
    if (fault) await sim.admin('POST', '/faults', { operation: 'orderService', times: 1, ...fault })
    await sendAndRead(sim.port, (socket) => void socket.write(first(sim) + order(sim) + next(sim)))
    expect(await listRecorded(sim)).toEqual(['orderService'])
  })

  test('are not executed if the client disconnects before', async () => {
    const sim = await start()
    await sim.admin('POST', '/faults', { operation: 'orderService', delay: 200, times: 1 })
    const socket = connect(sim.port, '127.0.0.1').on('error', () => {})
    socket.write(order(sim).repeat(3))
    await expect
      .poll(async () => (await sim.admin<{ used: number }[]>('GET', '/faults')).json[0]?.used)
      .toBe(1)
    socket.destroy()
    await expect.poll(() => listRecorded(sim)).toEqual(['orderService'])
    expect((await sim.admin('GET', '/findings')).text).toContain('order-lost')
    expect(await listRecorded(sim)).toEqual(['orderService'])
  })

  test('are not repetitions, and do not ignore a Retry-After that they could not know', async () => {
    const sim = await start()
    const respond = { status: 429, headers: { 'Retry-After': '5' } }
    await sim.admin('POST', '/faults', { operation: 'listClients', respond, times: 1 })
    const bytes =
      head(sim, 'GET /api/clients').repeat(2) + head(sim, 'GET /api/service/9999').repeat(4) + next(sim)
    await sendAndRead(sim.port, (socket) => void socket.write(bytes))
    expect(await listRecorded(sim)).toHaveLength(7)
    expect(
      (await sim.admin<{ finding: string }[]>('GET', '/findings')).json.map((one) => one.finding),
    ).toEqual(['header-missing'])
  })
})

describe('a complete order is answered before unreadable data that follows it:', () => {
  const paid = ['HTTP/1.1 200', 'HTTP/1.1 400']
  const excess = /Content-Length is 15.* counted in characters/

  test.each<[what: string, bytes: (sim: TestSimulator) => string, replies: string[], reason: RegExp]>([
    ['a character too many', (sim) => `${order(sim)}}`, paid, excess],
    ['a request', (sim) => `${order(sim)}get /api/a HTTP/1.1\r\n\r\n`, paid, /Invalid method/],
    ['binary data', (sim) => `${order(sim)}\0\0`, paid, excess],
    [
      'a tunnel',
      (sim) => `${order(sim)}CONNECT a:1 HTTP/1.1\r\n\r\n`,
      ['HTTP/1.1 200', 'HTTP/1.1 405'],
      /not a proxy/,
    ],

    [
      'pipelined orders',
      (sim) => `${order(sim).repeat(3)}}`,
      ['HTTP/1.1 200', 'HTTP/1.1 200', ...paid],
      excess,
    ],
    [
      'the end of the connection',
      (sim) => `${order(sim).replace('Content-L', 'Connection: close\r\nContent-L')}}`,
      ['HTTP/1.1 200'],
      excess,
    ],
  ])('%s', async (_what, bytes, replies, reason) => {
    for (const fault of [undefined, { delay: 20 }, { delay: 20, phase: 'after' }]) {
      const sim = await start()
      if (fault) await sim.admin('POST', '/faults', { operation: 'orderService', ...fault })
      const reply = await sendAndRead(sim.port, (socket) => void socket.write(bytes(sim)))
      expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(replies)
      expect(await listRecorded(sim)).toEqual(
        replies.filter((one) => one.endsWith('200')).map(() => 'orderService'),
      )
      const { json } = await sim.admin<RequestPage>('GET', '/requests')
      expect(json.refused.last[0]?.reason).toMatch(reason)
      expect((await sim.admin('GET', '/findings')).text).not.toContain('order-lost')
    }
  })

  test('over TLS', async () => {
    const sim = await start({ tls: createCertificate() })
    const reply = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connectTls({ port: sim.port, rejectUnauthorized: false }, () =>
        socket.write(`${order(sim)}}`),
      )
      socket.on('data', (bytes) => (received += String(bytes))).on('close', () => resolve(received))
    })
    expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(paid)
  })

  test.each([
    ['a fault loses it', { phase: 'after', drop: 'reset' }, null],
    ['it takes longer than five seconds', { phase: 'after', delay: 60_000 }, ['HTTP/1.1 400']],
  ])('unless %s; the order is then orphaned', async (_what, fault, replies) => {
    const sim = await start()
    await sim.admin('POST', '/faults', { operation: 'orderService', ...fault })
    const reply = await sendAndRead(sim.port, (socket) => void socket.write(`${order(sim)}}`))
    expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(replies)
    await expect.poll(async () => (await sim.admin('GET', '/findings')).text).toContain('order-lost')
  })
})

const bad = 'Host: localhost\r\nBad Header: x'

test.each<[what: string, before: string, rest: string, path: string | null, method?: string]>([
  ['a faulty header', '{"clientid":11}', `GET /api/clients HTTP/1.1\r\n${bad}`, '/api/clients'],
  ['a faulty target', 'ab', 'GET /api/a b HTTP/1.1\r\n', null],
  ['an unknown method', '{"clientid":11}', 'GEX /api/a HTTP/1.1\r\n', '/api/a', 'GEX'],
  ['headers too long', '{}', `GET /api/a HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, '/api/a'],
])(
  'a refused request is named, not the one before it: %s',
  async (_what, body, rest, path, method = 'GET') => {
    const sim = await start()
    const bytes = head(sim, 'POST /api/product/101', `Content-Length: ${body.length}`) + body + rest
    await sendAndRead(sim.port, (socket) => void socket.write(`${bytes}\r\n\r\n`))
    const { refused } = (await sim.admin<RequestPage>('GET', '/requests')).json
    expect(refused).toMatchObject({ count: 1, last: [{ path, method: path === null ? null : method }] })
  },
)

test('an order with a trailing line break is executed', async () => {
  const sim = await start()
  const bytes = order(sim).replace('Content-Type', 'Connection: close\r\nContent-Type')
  expect(await sendRaw(sim.port, `${bytes}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await listRecorded(sim)).toEqual(['orderService'])
})

test('pending responses are completed while the simulator stops, however slowly the client reads', async () => {
  const sim = await start()
  const body = { operation: 'listClients', respond: { status: 200, body: 'x'.repeat(60_000) } }
  for (let i = 0; i < 100; i++) await sim.call('POST', '/__admin/faults', { body })
  const socket = connect(sim.port, '127.0.0.1')
  let bytes = 0
  socket.on('data', (piece) => (bytes += piece.length)).once('data', () => socket.pause())
  socket.write(head(sim, 'GET /__admin/faults'))
  await once(socket, 'data')
  const closed = Promise.all([sim.close(), once(socket, 'close')])
  socket.resume()
  await closed
  expect(bytes).toBeGreaterThan(6_000_000)
})

test('idle connections don’t keep the simulator from stopping', async () => {
  const sim = await start()
  const idle = await Promise.all(
    ['', 'GET /api/clients HTTP/1.1\r\nHost', head(sim, 'GET /api/clients')].map(async (bytes) => {
      const socket = connect(sim.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(bytes)
      return socket.on('error', () => {}).resume()
    }),
  )
  await expect.poll(() => listRecorded(sim)).toHaveLength(1)
  await Promise.all([sim.close(), ...idle.map((socket) => once(socket, 'close'))])
})
