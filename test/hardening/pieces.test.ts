import { get, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startForAll } from '../support/start.ts'

/** More than the buffers of a connection hold, so that a reply is on its way until somebody reads it */
const services = 20_000

const sim = startForAll({
  scenario: {
    description: 'Large.',
    clock: '2026-01-15T12:00:00Z',
    accounts: {
      reseller: {
        password: 'secret',
        credit: 100,
        clients: { 11: { email: 'ana@example.com' } },
        products: {
          101: { productName: 'Static', price: 1, product_type: 'fpr' },
          102: { productName: 'Rotating', price: 1, product_type: 'ppr' },
        },
        services: Object.fromEntries(
          Array.from({ length: services }, (_, i) => [
            5001 + i,
            {
              client: 11,
              product: 102,
              username: 'u'.repeat(200),
              sticky: { sessions: [{ server: 'us1', session: 'abc' }] },
            },
          ]),
        ),
      },
    },
  },
})

const account = '/__admin/accounts/reseller'
const last = 5000 + services

/** Changes what stands at the begin, in the midst and at the end of a world: fields, records, and what lies deeper. */
async function changeAll(): Promise<void> {
  const { call } = sim()
  const patch = {
    credit: 50,
    services: { 5001: { status: 'Suspended' }, [last - 1]: { status: 'Suspended' }, [last - 2]: null },
  }
  expect((await call('PATCH', account, { body: patch })).status).toBe(200)
  for (const path of [`/api/sticky/changettl/${last}/15`, `/api/sticky/rotate/${last - 3}/us1/abc`])
    expect((await call('GET', path)).status).toBe(200)
  expect((await call('POST', '/api/product/101', { body: { clientid: 11 } })).status).toBe(200)
}

test.each([account, '/__admin/scenario'])('GET %s is a consistent view of the world', async (path) => {
  const { call, url } = sim()
  await call('POST', '/__admin/reset')
  const before = (await call('GET', path)).text
  const [reply] = (await once(get(url + path), 'response')) as [IncomingMessage]
  await changeAll()
  expect((await text(reply)) === before).toBe(true)
  expect((await call('GET', path)).text === before).toBe(false)
})

test('a PATCH responds with the world it produced, despite later changes', async () => {
  const { call, url } = sim()
  await call('POST', '/__admin/reset')
  const asking = request(url + account, { method: 'PATCH', headers: { 'content-type': 'application/json' } })
  asking.end('{"credit":70}')
  const [reply] = (await once(asking, 'response')) as [IncomingMessage]
  await changeAll()
  const shown = await text(reply)
  await call('POST', '/__admin/reset')
  await call('PATCH', account, { body: { credit: 70 } })
  expect((await call('GET', account)).text === shown).toBe(true)
})

test('a request is reproduced from the world it ran on, despite later changes', async () => {
  const { call, url } = sim()
  await call('POST', '/__admin/reset')
  await call('GET', '/api/clients')
  const { json } = await call<{ requests: { id: number }[] }>('GET', '/__admin/requests?limit=1')
  const path = `/__admin/requests/${json.requests[0]?.id}/repro`
  const before = (await call('GET', path)).text
  const [reply] = (await once(get(url + path), 'response')) as [IncomingMessage]
  await changeAll()
  expect((await text(reply)) === before).toBe(true)
  expect((await call('GET', path)).text === before).toBe(true)
})

test('a snapshot shares no mutable data', async () => {
  const { call } = sim()
  await call('POST', '/__admin/reset')
  const before = (await call('GET', '/__admin/scenario')).text
  const { json } = await call<{ id: string }>('POST', '/__admin/snapshots')
  for (let i = 0; i < 2; i++) {
    await changeAll()
    await call('POST', `/__admin/snapshots/${json.id}/restore`)
    expect((await call('GET', '/__admin/scenario')).text === before).toBe(true)
  }
})

test('a patch that touches too many records is refused, and the error names the limit', async () => {
  const { call } = sim()
  const before = (await call('GET', account)).text
  const touched = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [5001 + i, { price: 2 }]))
  for (const [patch, count] of [
    [{ services: touched }, 1001],
    [{ credit: 1, services: null }, services],
  ] as const) {
    const { status, text: said } = await call('PATCH', account, { body: patch })
    expect(status).toBe(400)
    expect(said).toContain('"path":"services"')
    expect(said).toMatch(
      new RegExp(`touches ${count}\\d* records, but at most 1000 are allowed: send several patches`),
    )
  }
  expect((await call('GET', account)).text === before).toBe(true)
})

test('refuses more services than can be loaded, and YAML of a large world', async () => {
  const { call } = sim()
  const many = `{${Array.from({ length: 200_001 }, (_, i) => `"${i + 1}":{}`).join()}}`
  const { status, text: said } = await call('PUT', '/__admin/scenario', {
    raw: `{"description":"x","accounts":{"a":{"password":"x","services":${many}}}}`,
  })
  expect(status).toBe(400)
  expect(said).toContain('accounts.a.services: there are 200001; at most 200000 are loaded')
  await call('GET', '/api/clients')
  const { json } = await call<{ requests: { id: number }[] }>('GET', '/__admin/requests?limit=1')
  for (const path of ['/__admin/scenario', `/__admin/requests/${json.requests[0]?.id}/repro`])
    expect(await call('GET', path, { headers: { accept: 'application/yaml' } })).toMatchObject({
      status: 400,
      text: expect.stringContaining('YAML may have 1048576 bytes; ask for application/json'),
    })
})
