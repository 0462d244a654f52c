import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/http/Connections.ts'
import { replyTo, sendRaw } from '../support/raw.ts'
import { start, type Started } from '../support/start.ts'

/* What becomes of the requests of a connection that is slow, broken, pipelined or closed. */

function head(sim: Started, line: string, ...more: string[]): string {
  return [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${sim.authorization()}`,
    ...more,
    '',
    '',
  ].join('\r\n')
}

function order(sim: Started, length = 15): string {
  const headers = ['Content-Type: application/json', `Content-Length: ${length}`]
  return `${head(sim, 'POST /api/product/101', ...headers)}{"clientid":11}`
}

function statuses(reply: string): number[] {
  return [...reply.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
}

async function recorded(sim: Started): Promise<string[]> {
  const { json } = await sim.call<{ requests: { operation: string }[] }>('GET', '/__admin/requests')
  return json.requests.map(({ operation }) => operation)
}

async function delay(sim: Started, operation: string, milliseconds: number): Promise<void> {
  await sim.call('POST', '/__admin/faults', { body: { operation, delay: milliseconds } })
}

async function isBegun(sim: Started): Promise<void> {
  await expect
    .poll(async () => (await sim.call<unknown[]>('GET', '/__admin/faults')).json)
    .toMatchObject([{ used: 1 }])
}

/** Limits that a test can wait for. */
async function startImpatient(): Promise<Started> {
  const usual = { ...limits }
  onTestFinished(() => void Object.assign(limits, usual))
  Object.assign(limits, { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 20 })
  return start()
}

test('the limits are the documented ones', () => {
  expect(limits).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 })
  expect(limits.connectionsCheckingInterval).toBeLessThanOrEqual(1000)
})

test('100 slow requests time out, and keep nobody else waiting', async () => {
  const sim = await startImpatient()
  const beginnings = ['', 'GET /api/services HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', order(sim, 100)]
  const slow = beginnings.flatMap((bytes) =>
    Array.from({ length: 33 }, () => replyTo(sim.port, (socket) => void socket.write(bytes))),
  )
  expect((await sim.call('GET', '/api/services')).status).toBe(200)
  for (const reply of await Promise.all(slow))
    expect(reply).toMatch(/^(HTTP\/1\.1 408 [^]*\{"error":"Request Timeout"\})?$/)
  expect(await recorded(sim)).toEqual(['listServices'])
})

test.each([
  ['close', 'X', [200]],
  ['keep-alive', 'X', [200, 400]],
  ['keep-alive', 'GET /api HTTP/1.1\r\nno header\r\n\r\n', [200, 400]],
] as const)(
  'a whole order is answered (%s), whatever the same packet has behind it',
  async (connection, behind, answers) => {
    const sim = await start()
    const bytes = order(sim).replace('Content-Type', `Connection: ${connection}\r\nContent-Type`) + behind
    expect(statuses(await sendRaw(sim.port, bytes))).toEqual(answers)
    expect(await recorded(sim)).toEqual(['orderService'])
  },
)

test('pipelined requests are answered one after the other', async () => {
  const sim = await start()
  const pair = head(sim, 'GET /api/clients') + order(sim)
  const reply = await sendRaw(sim.port, pair.repeat(10) + head(sim, 'GET /api/clients', 'Connection: close'))
  expect(statuses(reply)).toEqual(Array(21).fill(200))
  const ids = [...reply.matchAll(/"orderId":(\d+)/g)].map(([, id]) => Number(id))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(10)
})

test('a pipelined request is not carried out if the client leaves before its turn', async () => {
  const sim = await start()
  await delay(sim, 'listClients', 60_000)
  const socket = connect(sim.port, '127.0.0.1')
  socket.write(head(sim, 'GET /api/clients') + order(sim))
  await isBegun(sim)
  const left = once(socket, 'close')
  socket.destroy()
  await left
  await expect.poll(() => recorded(sim)).toEqual(['listClients'])
})

test('a connection on which more than 64 requests wait is closed', async () => {
  const sim = await start()
  await delay(sim, 'listClients', 60_000)
  const one = head(sim, 'GET /api/clients')
  const socket = connect(sim.port, '127.0.0.1')
  const ended = once(
    socket.on('error', () => {}),
    'close',
  )
  socket.write(one.repeat(65))
  await isBegun(sim)
  expect(socket.destroyed).toBe(false)
  socket.write(one)
  await ended
  await expect.poll(() => recorded(sim)).toEqual(['listClients'])
})

test('what was asked is answered to the end while the simulator stops, however slowly the client reads', async () => {
  const sim = await start()
  const long = 'x'.repeat(60_000)
  await sim.call('POST', '/__admin/faults', {
    body: { operation: 'listClients', respond: { status: 200, body: long } },
  })
  const socket = connect(sim.port, '127.0.0.1')
  let bytes = 0
  socket.on('data', (piece) => (bytes += piece.length)).once('data', () => socket.pause())
  socket.write(head(sim, 'GET /api/clients').repeat(60))
  await expect.poll(() => recorded(sim)).not.toHaveLength(0)
  const closed = Promise.all([sim.close(), once(socket, 'close')])
  socket.resume()
  await closed
  expect(bytes).toBeGreaterThan(60 * long.length)
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
  await expect.poll(() => recorded(sim)).toHaveLength(1)
  await Promise.all([sim.close(), ...idle.map((socket) => once(socket, 'close'))])
})
