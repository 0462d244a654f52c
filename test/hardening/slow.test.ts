import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/http/guards/limits.ts'
import { start, type Started } from '../support/start.ts'

/** Clients of each kind; PROXYSIM_SLOW=1000 for the long trial, which waits for the limit of bodies (30 s) too. */
const many = Number(process.env['PROXYSIM_SLOW'] ?? 150)
const isLong = process.env['PROXYSIM_SLOW'] !== undefined

const head = (sim: Started, length: number): string =>
  `POST /api/product/101 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: ${sim.authorization()}\r\nContent-Length: ${length}\r\n`

/** Connections that send something and then wait; each resolves with what it was told in the end. */
async function waiting(
  sim: Started,
  count: number,
  bytes: string,
): Promise<{ sockets: Socket[]; told: Promise<string>[] }> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(sim.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    }),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const told = sockets.map(
    (socket) =>
      new Promise<string>((resolve) => {
        let text = ''
        socket.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        socket.on('error', () => {}).on('close', () => resolve(text))
      }),
  )
  return { sockets, told }
}

/** The time that half of the requests stay under, in milliseconds; of several series the best, as others use the machine too. */
async function median(sim: Started, series = 6, requests = 50): Promise<number> {
  const medians: number[] = []
  for (let i = 0; i < series; i++) {
    const times: number[] = []
    for (let n = 0; n < requests; n++) {
      const began = performance.now()
      expect((await sim.call('GET', '/api/services')).status).toBe(200)
      times.push(performance.now() - began)
    }
    medians.push(times.toSorted((a, b) => a - b)[requests / 2] as number)
  }
  return Math.min(...medians)
}

test(`${many * 4} slow and incomplete requests delay no others, and time out`, {
  timeout: 60_000,
}, async ({ annotate }) => {
  const sim = await start()
  await median(sim) // the first requests compile
  const alone = await median(sim)
  const began = performance.now()
  const silent = await waiting(sim, many, '')
  const headers = await waiting(sim, many, 'GET /api/services HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  const bodies = await waiting(sim, many, `${head(sim, 100)}\r\n{"clientid":11`)
  const dripping = await waiting(sim, many, head(sim, 100))
  const drip = setInterval(() => {
    for (const socket of dripping.sockets) if (socket.writable) socket.write('X')
  }, 1000)
  onTestFinished(() => clearInterval(drip))

  const among = await median(sim)
  expect(among / alone, `${among.toFixed(2)} ms among them, ${alone.toFixed(2)} ms alone`).toBeLessThan(5)

  // A header that is not whole after 10 seconds is given up, however steadily it drips; the check comes once a second.
  for (const told of await Promise.all([...headers.told, ...dripping.told, ...silent.told]))
    expect(told).toMatch(/^(HTTP\/1\.1 408 |$)/)
  const seconds = (performance.now() - began) / 1000
  expect(seconds).toBeGreaterThan(9)
  expect(seconds).toBeLessThan(20)
  for (const told of isLong ? await Promise.all(bodies.told) : []) expect(told).toMatch(/^HTTP\/1\.1 408 /)
  expect((performance.now() - began) / 1000).toBeLessThan(45)
  await annotate(JSON.stringify({ held: many * 4, alone, among, seconds }))
  expect((await sim.call('GET', '/api/billing/credit')).status).toBe(200)
})

test('a body that stalls is answered 408, and its request is neither carried out nor recorded', async () => {
  const usual = { ...limits }
  onTestFinished(() => void Object.assign(limits, usual))
  Object.assign(limits, { headersTimeout: 1000, requestTimeout: 1000, connectionsCheckingInterval: 20 })
  const sim = await start()
  const { told } = await waiting(sim, 1, `${head(sim, 100)}\r\n{"clientid":11`)
  expect(await told[0]).toMatch(/^HTTP\/1\.1 408 [^]*\{"error":"Request Timeout"\}$/)
  expect((await sim.call('GET', '/__admin/requests')).json).toMatchObject({ total: 0 })
})

test('an order that arrives too late behind a request that is still being answered gets its own answer', async () => {
  const usual = { ...limits }
  onTestFinished(() => void Object.assign(limits, usual))
  Object.assign(limits, { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 20 })
  const sim = await start()
  for (const fault of [
    { operation: 'listClients', delay: 3000 },
    { operation: 'orderService', delay: 1000 },
  ])
    expect((await sim.call('POST', '/__admin/faults', { body: fault })).status).toBe(201)
  const first = `GET /api/clients HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${sim.authorization()}\r\n\r\n`
  const order = `${head(sim, 15)}\r\n{"clientid":11}`
  const { sockets, told } = await waiting(sim, 1, first + order.slice(0, 40))
  const { told: alone } = await waiting(sim, 1, order.slice(0, 40))
  expect(await alone[0]).toMatch(/^HTTP\/1\.1 408 /) // so the other is too late, too
  sockets[0]?.write(order.slice(40))
  expect((await told[0])?.match(/HTTP\/1\.1 \d+|"orderId"/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    '"orderId"',
    'HTTP/1.1 408',
  ])
})
