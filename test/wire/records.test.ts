import { describe, expect, test } from 'vitest'
import { reseller, scenarioWith } from '../support/scenario.ts'
import { start } from '../support/start.ts'

async function startWith(changes: object = {}) {
  const simulator = await start({ scenario: scenarioWith(changes) })
  const patch = (services: object) =>
    simulator.admin<{ details: { path: string }[] }>('PATCH', '/accounts/reseller', { services })
  return { ...simulator, patch }
}

const days = { '2026-01-13': 0.1, '2026-01-14': 0.2, '2026-01-15': 1e12 }
const reversed = Object.fromEntries(Object.entries(days).toReversed())
const limit = 10_000

test.each<[what: string, usage: object, patches: (object | null)[], rate: object[]]>([
  ['nothing', {}, [], [{ limit, rate: 0 }]],
  ['a limit', { limit: 5 }, [], [{ limit: 5, rate: 0 }]],
  ['days', { stats: { '2026-01-13': 0.1, '2026-01-14': 0.2 } }, [], [{ limit, rate: 0.3 }]],
  ['days in ascending order', { stats: days }, [], [{ limit, rate: 0.1 + 0.2 + 1e12 }]],
  ['days in another order', { stats: reversed }, [], [{ limit, rate: 0.1 + 0.2 + 1e12 }]],
  ['no limit, which gives an empty array', { limit: null }, [], []],
  ['a limit that was removed', {}, [{ limit: null }], []],
  ['a limit that was added', { limit: null }, [{ limit: 500 }], [{ limit: 500, rate: 0 }]],
  ['a rate that isn’t the sum of the days', { stats: days }, [{ rate: 7 }], [{ limit, rate: 7 }]],
  [
    'a rate that is the sum of the days again',
    { stats: { '2026-01-14': 2 } },
    [{ rate: 7 }, { rate: null }],
    [{ limit, rate: 2 }],
  ],
  ['days that were removed', { stats: days }, [{ stats: null }], [{ limit, rate: 0 }]],
  ['usage that was removed', { limit: 5, stats: days }, [null], [{ limit, rate: 0 }]],
])('the usage of a service: %s, also after another change and a load', async (_, usage, patches, rate) => {
  const { admin, call, patch } = await startWith({ services: { 5002: { client: 11, product: 201, usage } } })
  for (const one of patches) expect((await patch({ 5002: { usage: one } })).status).toBe(200)
  expect((await call('GET', '/api/rate/5002')).json).toEqual(rate)
  await patch({ 5002: { username: 'renamed' } })
  expect((await admin('PUT', '/scenario', (await admin('GET', '/scenario')).json)).status).toBe(200)
  expect((await call('GET', '/api/rate/5002')).json).toEqual(rate)
})

test('a scenario may remove a limit of the scenario that it extends', async () => {
  const accounts = { reseller: { services: { 5101: { usage: { limit: null } } } } }
  const { call } = await start({ scenario: { extends: 'default', accounts } })
  expect((await call('GET', '/api/rate/5101')).json).toEqual([])
})

describe('an IP list', () => {
  const update = { body: { update_list: 'true' } }
  const ips = ['198.51.100.1', '198.51.100.2', '198.51.100.3']
  const listed = { services: { 5001: { ...reseller.services[5001], ips } } }

  test('determines the IP count; an update keeps it, and clears the network status', async () => {
    const { call } = await startWith(listed)
    expect((await call('GET', '/api/service/5001')).json).toMatchObject({ ip_count: 3 })
    await call('PUT', '/api/service/5001', update)
    const { json } = await call<string[]>('GET', '/api/iplist/http-ip/json/5001')
    expect(json).toHaveLength(3)
    expect(json).not.toContain('198.51.100.1:8080')
    for (const status of ['errors', 'inactive'])
      expect((await call('GET', `/api/networkstatus/${status}/5001`)).json).toEqual([])
  })
})

test('a released address can’t be bound again while another service has it', async () => {
  const { admin, call, patch } = await startWith({ assumptions: { heldAddress: 'released' } })
  const bound = await call('PUT', '/api/service/5001', { body: { setip: '192.0.2.13' } })
  expect(bound.status).toBe(200)
  const again = await patch({ 5003: { status: 'Active' } })
  expect([again.status, again.json.details[0]?.path]).toEqual([400, 'services.5003.bindedip'])
  const refused = await admin<{ details: { path: string }[] }>('PATCH', '/accounts/reseller', {
    assumptions: { heldAddress: 'held' },
  })
  expect([refused.status, refused.json.details[0]?.path]).toEqual([400, 'assumptions.heldAddress'])
  expect((await admin('PUT', '/scenario', (await admin('GET', '/scenario')).json)).status).toBe(200)
})
