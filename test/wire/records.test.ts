import { describe, expect, test } from 'vitest'
import { adminOf } from '../support/admin.ts'
import { start, stateOf } from '../support/start.ts'

const account = {
  password: 'secret',
  credit: 100,
  clients: { 11: {} },
  products: {
    101: { productName: 'Static', price: 20, product_type: 'fpr', ip_count: 2 },
    102: { productName: 'Rotating', price: 5, product_type: 'ppr' },
  },
  services: {
    5001: {
      client: 11,
      product: 101,
      bindedip: '192.0.2.1',
      ips: ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
    },
    5002: { client: 11, product: 101, bindedip: '192.0.2.2', status: 'Suspended' },
    5101: { client: 11, product: 102, usage: { stats: { '2026-01-14': 120 } } },
  },
}

async function startWith(more: object = {}) {
  const simulator = await start({
    scenario: { clock: '2026-01-15T12:00:00Z', accounts: { reseller: { ...account, ...more } } },
  })
  const admin = adminOf(() => simulator)
  const patch = (services: object) =>
    admin<{ details: { path: string }[] }>('PATCH', '/accounts/reseller', { services })
  return { simulator, admin, patch }
}

describe('the limit of usage', () => {
  const rateOf = async (simulator: Awaited<ReturnType<typeof start>>) =>
    (await simulator.call('GET', '/api/rate/5101')).json

  test('null means none: the rate is an empty array, also after an export and a load', async () => {
    const { simulator, admin, patch } = await startWith()
    expect(await rateOf(simulator)).toEqual([{ limit: 10_000, rate: 120 }])
    expect((await patch({ 5101: { usage: { limit: null } } })).status).toBe(200)
    expect(await rateOf(simulator)).toEqual([])
    await patch({ 5101: { status: 'Active', username: 'renamed' } })
    expect(await rateOf(simulator)).toEqual([])
    await admin('PUT', '/scenario', (await admin<object>('GET', '/scenario')).json)
    expect(await rateOf(simulator)).toEqual([])
    await patch({ 5101: { usage: { limit: 500 } } })
    expect(await rateOf(simulator)).toEqual([{ limit: 500, rate: 120 }])
  })

  test('a scenario may say null, and may extend one that has a limit', async () => {
    const extended = {
      extends: 'default',
      accounts: { reseller: { services: { 5101: { usage: { limit: null } } } } },
    }
    expect(await rateOf(await start({ scenario: extended }))).toEqual([])
  })

  test('what is used of it may be said where it is not the sum of the days', async () => {
    const { simulator, patch } = await startWith()
    await patch({ 5101: { usage: { rate: 7 } } })
    expect(await rateOf(simulator)).toEqual([{ limit: 10_000, rate: 7 }])
    await patch({ 5101: { usage: { rate: null } } })
    expect(await rateOf(simulator)).toEqual([{ limit: 10_000, rate: 120 }])
  })
})

describe('an IP list', () => {
  test('decides the number of addresses, and keeps it when it is updated', async () => {
    const { simulator, admin } = await startWith()
    const services = async () =>
      (await admin<{ services: Record<string, { ip_count: number }> }>('GET', '/accounts/reseller')).json
        .services
    expect((await services())['5001']?.ip_count).toBe(3)
    await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    const list = (await simulator.call('GET', '/api/iplist/http-ip/json/5001')).json as string[]
    expect(list).toHaveLength(3)
    expect(list).not.toContain('198.51.100.1:8080')
  })

  test('of another number of addresses than is given is refused with its place', async () => {
    const { simulator, patch } = await startWith()
    const before = stateOf(simulator)
    const { status, json } = await patch({ 5001: { ip_count: 5 } })
    expect({ status, path: json.details[0]?.path }).toEqual({ status: 400, path: 'services.5001.ip_count' })
    expect(stateOf(simulator)).toEqual(before)
  })

  test('that is updated takes its addresses out of the network status', async () => {
    const { simulator, patch } = await startWith()
    await patch({ 5001: { errors: ['198.51.100.1'], inactive: ['198.51.100.2', '198.51.100.3'] } })
    await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    for (const status of ['errors', 'inactive'])
      expect((await simulator.call('GET', `/api/networkstatus/${status}/5001`)).json).toEqual([])
  })
})

describe('the address of a service that is not Active', () => {
  const bind = { body: { setip: '192.0.2.2' } }

  test('is held by default', async () => {
    const { simulator } = await startWith()
    const { status, headers } = await simulator.call('PUT', '/api/service/5001', bind)
    expect([status, headers['sim-case']]).toEqual([422, 'ip-already-bound'])
  })

  test('may be read as released: then nobody can have it back while another has it', async () => {
    const { simulator, admin, patch } = await startWith({ assumptions: { heldAddress: 'released' } })
    expect((await simulator.call('PUT', '/api/service/5001', bind)).status).toBe(200)
    const again = await patch({ 5002: { status: 'Active' } })
    expect([again.status, again.json.details[0]?.path]).toEqual([400, 'services.5002.bindedip'])
    const held = await admin<{ details: { path: string }[] }>('PATCH', '/accounts/reseller', {
      assumptions: { heldAddress: 'held' },
    })
    expect([held.status, held.json.details[0]?.path]).toEqual([400, 'assumptions.heldAddress'])
    const exported = (await admin<object>('GET', '/scenario')).json
    expect((await admin('PUT', '/scenario', exported)).status).toBe(200)
  })
})
