import { get } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) =>
    request.on('response', resolve),
  )
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

test('each request, each change and each reset is told, in their order', async () => {
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

test('of one account, where one is named', async () => {
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

test('a reader that does not keep up is cut off, and the rest goes on', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const slow = connect(simulator.port, '127.0.0.1', () => {
    slow.write('GET /__admin/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  })
  slow.on('error', () => {})
  onTestFinished(() => void slow.destroy())
  await new Promise((resolve) => slow.once('data', resolve))
  slow.pause()
  const quick = await listen(simulator)
  const listening = () => simulator.simulation.store.listening
  expect(listening()).toBeGreaterThanOrEqual(2)
  const big = 'x'.repeat(500_000)
  const before = listening()
  for (let i = 0; i < 60 && listening() === before; i++) {
    await admin('PATCH', '/accounts/reseller', {
      faults: Array.from({ length: 20 }, (_, n) => ({
        id: n + 1,
        operation: 'getCredit',
        respond: { status: 500, body: `${i}${big.slice(0, 40_000)}` },
      })),
    })
    await quick.next()
  }
  expect(listening()).toBe(before - 1)
  expect(quick.isEnded()).toBe(false)
})
