import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { EventHub, mostReaders } from '../../src/admin/events.ts'
import { adminOf, small, two } from '../support/admin.ts'
import { start, type Started } from '../support/start.ts'

interface Told {
  event: string
  data: unknown
}

/** Listens to the stream; `next` gives the events one by one. */
async function listen({ port }: Started, query = '') {
  const told: Told[] = []
  const waiting: ((event: Told) => void)[] = []
  let text = ''
  let ended = false
  const request = get({ host: '127.0.0.1', port, path: `/__admin/events${query}` })
  onTestFinished(() => void request.destroy())
  const response = await new Promise<IncomingMessage>((resolve) => request.on('response', resolve))
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (event === '') continue
      const one = { event, data: JSON.parse(data) as unknown }
      const next = waiting.shift()
      if (next) next(one)
      else told.push(one)
    }
  })
  const end = new Promise<void>((resolve) => {
    response.on('close', () => {
      ended = true
      resolve()
    })
  })
  return {
    response,
    end,
    isEnded: () => ended,
    next: (): Promise<Told> => {
      const first = told.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve))
    },
  }
}

test('every request, change and reset is sent, in order', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const { response, next } = await listen(simulator)
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  expect(await next()).toMatchObject({
    event: 'change',
    data: { account: 'reseller', change: { credit: 80, services: { 5003: { password: '[redacted]' } } } },
  })
  expect(await next()).toMatchObject({
    event: 'request',
    data: { id: 1, operation: 'orderService', change: { credit: 80 } },
  })
  await simulator.call('GET', '/api/clients')
  expect(await next()).toMatchObject({
    event: 'request',
    data: { id: 2, operation: 'listClients', change: null },
  })
  await admin('PATCH', '/accounts/reseller', { credit: 5 })
  expect(await next()).toEqual({ event: 'change', data: { account: 'reseller', change: { credit: 5 } } })
  await admin('POST', '/accounts', { login: 'new' })
  expect(await next()).toEqual({ event: 'change', data: { account: 'new', change: {} } })
  await admin('DELETE', '/accounts/new')
  expect(await next()).toEqual({ event: 'change', data: { account: 'new', change: null } })
  await admin('POST', '/reset')
  expect(await next()).toEqual({ event: 'reset', data: { scenario: 'test' } })
  await admin('POST', '/scenarios/low-funds/load')
  expect(await next()).toEqual({ event: 'reset', data: { scenario: 'low-funds' } })
})

test('can be filtered by account', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  const { next } = await listen(simulator, '?account=other')
  await simulator.call('GET', '/api/clients')
  await admin('PATCH', '/accounts/reseller', { credit: 5 })
  await simulator.call('GET', '/api/services', { login: 'other' })
  expect(await next()).toMatchObject({ event: 'request', data: { account: 'other' } })
  expect((await admin('GET', '/events?account=nobody')).status).toBe(404)
})

test('the stream ends when the simulator stops', async () => {
  const simulator = await start({ scenario: small })
  const { end } = await listen(simulator)
  const began = performance.now()
  await simulator.close()
  await end
  expect(performance.now() - began).toBeLessThan(4000)
})

/** A reader that reads no further than the head. */
async function deafReader({ port }: Started): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /__admin/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'data')
  socket.pause()
  return socket
}

test('a reader that does not keep up is disconnected, and the others are not affected', async () => {
  const simulator = await start({ scenario: small })
  const deaf = await deafReader(simulator)
  const quick = await listen(simulator)
  const big = 'x'.repeat(40_000)
  for (let i = 0; i < 30; i++) {
    const faults = Array.from({ length: 20 }, (_, n) => ({
      id: n + 1,
      operation: 'getCredit',
      respond: { status: 500, body: `${i}${big}` },
    }))
    await simulator.call('PATCH', '/__admin/accounts/reseller', { body: { faults } })
    await quick.next()
  }
  deaf.resume()
  await once(deaf, 'close')
  expect(quick.isEnded()).toBe(false)
})

test('the number of readers is limited; one that leaves makes room', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const readers: Socket[] = []
  for (let i = 0; i < mostReaders; i++) readers.push(await deafReader(simulator))
  const { status, json } = await admin<{ error: string }>('GET', '/events')
  expect({ status, ...json }).toEqual({ status: 429, error: expect.stringContaining('100 readers') })
  readers[0]?.destroy()
  await expect.poll(() => joins(simulator)).toBe(true)
})

async function joins({ port }: Started): Promise<boolean> {
  const request = get({ host: '127.0.0.1', port, path: '/__admin/events' })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.destroy()
  return response.statusCode === 200
}

test('events that occur together are written together, and serialised once for all readers', async () => {
  const simulator = await start({ scenario: small })
  const hub = new EventHub(simulator.simulation.store)
  const writes: string[] = []
  const leave = Array.from({ length: 50 }, () =>
    hub.join(undefined, (piece) => {
      writes.push(piece)
      const began = performance.now()
      while (performance.now() - began < 0.2); // a reader takes its time
    }),
  )
  for (let i = 0; i < 100; i++) await simulator.call('GET', '/api/clients')
  const events = () => writes.filter((_, i) => i % 50 === 0).join('')
  await expect.poll(() => events().split('\n\n').length - 1).toBe(100)
  expect(writes.length, 'far fewer writes than events and readers').toBeLessThan((100 * 50) / 2)
  for (const end of leave) end()
  expect(hub.readers).toBe(0)
})
