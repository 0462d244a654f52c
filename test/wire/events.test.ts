import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { small, two } from '../support/scenario.ts'
import { start, type TestSimulator } from '../support/start.ts'

interface SentEvent {
  event: string
  data: unknown
}

/** Listens to the stream. `next` resolves to the next event, or to undefined at the end. */
async function listen({ url }: TestSimulator, query = '') {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`${url}/__admin/events${query}`, { signal: leaving.signal })
  const events = parseEvents(response)
  return { response, next: async () => (await events.next()).value }
}

async function* parseEvents({ body }: Response): AsyncGenerator<SentEvent, undefined> {
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + piece).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (event !== '') yield { event, data: JSON.parse(data) as unknown }
    }
  }
}

test('every request, change and reset is sent, in order', async () => {
  const simulator = await start({ scenario: small })
  const { admin } = simulator
  const { response, next } = await listen(simulator)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
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
  await admin('POST', '/accounts', { login: 'new' })
  expect(await next()).toEqual({ event: 'change', data: { account: 'new', change: {} } })
  await admin('DELETE', '/accounts/new')
  expect(await next()).toEqual({ event: 'change', data: { account: 'new', change: null } })
  await admin('POST', '/reset')
  expect(await next()).toEqual({ event: 'reset', data: { scenario: 'test' } })
  await admin('POST', '/scenarios/low-funds/load')
  expect(await next()).toEqual({ event: 'reset', data: { scenario: 'low-funds' } })
})

test('due changes are sent on time without any request', async () => {
  const simulator = await start({ scenario: small })
  await simulator.admin('PUT', '/clock', { frozen: false, rate: 100_000 })
  await simulator.admin('POST', '/timeline', { after: 'PT1H', patch: { credit: 7 } })
  const { next } = await listen(simulator)
  expect(await next()).toMatchObject({ event: 'change', data: { change: { credit: 7 } } })
})

test('events can be filtered by account', async () => {
  const simulator = await start({ scenario: two })
  const { admin } = simulator
  const { next } = await listen(simulator, '?account=other')
  await simulator.call('GET', '/api/clients')
  await admin('PATCH', '/accounts/reseller', { credit: 5 })
  await simulator.call('GET', '/api/services', { login: 'other' })
  expect(await next()).toMatchObject({ event: 'request', data: { account: 'other' } })
  expect((await admin('GET', '/events?account=nobody')).status).toBe(404)
})

test('the stream ends when the simulator stops', async () => {
  const simulator = await start({ scenario: small })
  const { next } = await listen(simulator)
  await simulator.close()
  expect(await next()).toBeUndefined()
})

test('a slow reader is disconnected without affecting others', async () => {
  const simulator = await start({ scenario: small })
  const deaf = connect(simulator.port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void deaf.destroy())
  deaf.write('GET /__admin/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await once(deaf, 'data')
  deaf.pause()
  const quick = await listen(simulator)
  const body = 'x'.repeat(60_000)
  for (let id = 1; id <= 200; id++) {
    await simulator.call('POST', '/__admin/faults', {
      body: { id, operation: 'getCredit', respond: { status: 500, body } },
    })
    expect(await quick.next()).toMatchObject({ event: 'change' })
  }
  deaf.resume()
  await once(deaf, 'close')
  await simulator.call('POST', '/__admin/reset')
  expect(await quick.next()).toMatchObject({ event: 'reset' })
})
