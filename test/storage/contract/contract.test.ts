import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import type { StoreEvent } from '../../../src/store/Store.ts'
import { basic } from '../../support/ask.ts'
import { hasRedis, RedisServer } from '../../support/redis.ts'
import { createFolder } from '../../support/start.ts'
import { run, type Client } from '../support/simulators.ts'

/** Tests that every store must pass. */
let redis: RedisServer | undefined
beforeAll(async () => {
  redis = hasRedis ? await RedisServer.start('--appendonly', 'yes') : undefined
})
afterAll(() => redis?.stop())

let count = 0
const kinds: Record<string, () => SimulatorOptions> = {
  memory: () => ({}),
  file: () => ({ db: `${createFolder()}/db.json` }),
  redis: () => ({ store: redis?.url as string, storePrefix: `t${++count}` }),
}
/** Credit of `reseller` in scenario default, and the price of product 101 */
const [credit, price] = [250, 20]

describe.each(Object.keys(kinds).filter((kind) => kind !== 'redis' || hasRedis))('in %s', (kind) => {
  const begin = (more: SimulatorOptions = {}): Promise<Client> => run({ ...kinds[kind]?.(), ...more })

  test('an answered change is visible, recorded with the version before it, and counted', async () => {
    const sim = await begin()
    expect(sim.store.read('reseller') instanceof Promise).toBe(kind === 'redis')
    expect((await sim.order()).status).toBe(200)
    expect((await sim.api('GET', '/product/999')).status).toBe(422)
    expect((await sim.order('nobody')).status).toBe(401)
    expect(await sim.credit()).toBe(credit - price)
    const { total, dropped, requests } = await sim.journal()
    expect([total, dropped]).toEqual([4, 0])
    expect(requests.map(({ id, account, status, version }) => [id, account, status, version])).toEqual([
      [4, 'reseller', 200, 1],
      [3, null, 401, null],
      [2, 'reseller', 422, 1],
      [1, 'reseller', 200, 0],
    ])
    expect(requests[3]?.change).toMatchObject({ credit: credit - price })
    expect(await sim.coverage()).toMatchObject({ 'orderService 200': 1, 'getCredit 200': 1 })
    expect(await sim.coverage('?account=reseller')).toMatchObject({ 'orderService 200': 1 })
  })

  test('of many orders at once, as many are executed as the credit pays for', async () => {
    const sim = await begin()
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => sim.order()))
    const paid = outcomes.filter(({ status }) => status === 200)
    expect(paid).toHaveLength(Math.floor(credit / price))
    expect(new Set(paid.map(({ json }) => json.serviceId)).size).toBe(paid.length)
    expect(await sim.credit()).toBe(credit - paid.length * price)
  })

  test('a fault triggers exactly as often as configured, also under concurrency, and a rewind restores its count', async () => {
    const sim = await begin()
    const fault = { operation: 'getCredit', respond: { status: 500 }, delay: 20, times: 1 }
    await sim.admin('POST', '/faults', fault)
    const triggerCount = async (): Promise<number> => {
      const all = await Promise.all(Array.from({ length: 10 }, () => sim.api('GET', '/billing/credit')))
      return all.filter(({ status }) => status === 500).length
    }
    expect(await triggerCount()).toBe(1)
    const triggered = (await sim.journal()).requests.find(({ status }) => status === 500)
    expect((await sim.admin('POST', `/requests/${triggered?.id}/rewind`)).status).toBe(200)
    expect(await triggerCount()).toBe(1)
  })

  test('after a delayed request, a stale response shows the records on which that request was executed', async () => {
    const sim = await begin()
    const addFault = (fault: object) => sim.admin<object>('POST', '/faults', fault)
    await addFault({ operation: 'orderService', delay: 400, times: 1 })
    const delayed = sim.order()
    await expect.poll(async () => (await sim.admin('GET', '/faults')).json).toMatchObject([{ used: 1 }])
    expect((await sim.order()).status).toBe(200)
    expect((await delayed).status).toBe(200)
    await addFault({ operation: 'getCredit', stale: 1, times: 1 })
    expect([await sim.credit(), await sim.credit()]).toEqual([credit - price, credit - 2 * price])
    const { requests } = await sim.journal()
    const other = requests.find(
      ({ operation, change }) => operation === 'orderService' && change?.credit === credit - price,
    )
    expect((await sim.admin('POST', `/requests/${other?.id}/rewind`)).status).toBe(200)
    await addFault({ operation: 'getCredit', stale: 1, times: 1 })
    expect(await sim.credit(), 'the rewind has undone both orders').toBe(credit)
  })

  test('due entries are applied before a request, are recorded separately, and can be rewound', async () => {
    const sim = await begin()
    const timeline = [40, 50].map((due) => ({ after: 'PT0S', patch: { credit: due } }))
    const accounts = { reseller: { timeline } }
    const scenario = { description: 'Due.', extends: 'default', clock: '2026-01-15T12:00:00Z', accounts }
    await sim.admin('PUT', '/scenario', scenario)
    expect((await sim.admin('GET', '/accounts')).json).toMatchObject([{ credit: 50 }])
    await sim.admin('PUT', '/scenario', scenario)
    await sim.order()
    const [ordered] = (await sim.journal()).requests
    expect(ordered).toMatchObject({ version: 2, change: { credit: 30 }, before: { credit: 50 } })
    expect((await sim.admin('POST', '/requests/1/rewind')).status).toBe(200)
    expect(await sim.credit()).toBe(50)
  })

  test('the journal shows no credential, whoever sent it', async () => {
    const sim = await begin()
    for (const login of ['reseller', 'nobody'])
      await sim.api('GET', '/clients?token=secret', undefined, login)
    const { requests } = await sim.journal()
    expect(requests).toMatchObject(
      [401, 200].map((status) => ({ status, path: '/api/clients?token=[redacted]' })),
    )
  })

  test('a rewind goes back to the moment before a request, and is itself a change', async () => {
    const sim = await begin({ journal: 10 })
    await sim.admin('POST', '/accounts', { login: 'ana' })
    for (let i = 0; i < 3; i++) {
      await sim.order()
      await sim.admin('PATCH', '/accounts/ana', { credit: i })
    }
    const rewound = await sim.admin('POST', '/requests/2/rewind')
    expect(rewound.json).toMatchObject({ account: 'reseller', version: 4 })
    const undone = (await sim.journal()).requests.filter((entry) => 'rewound' in entry)
    expect(undone.map(({ id }) => id)).toEqual([3, 2])
    expect(await sim.credit()).toBe(credit - price)
    expect((await sim.order()).json.serviceId).toBe((await sim.order()).json.serviceId - 1)
    expect((await sim.admin('POST', '/requests/3/rewind')).status).toBe(200)
    expect(await sim.credit()).toBe(credit - 2 * price)
    for (let i = 0; i < 10; i++) await sim.credit()
    expect((await sim.admin('POST', '/requests/2/rewind')).status).toBe(409)
    await sim.admin('POST', '/reset')
    await sim.credit()
    const { requests } = await sim.journal()
    await sim.admin('POST', '/snapshots/before-load/restore')
    const { status, json } = await sim.admin('POST', `/requests/${requests[0]?.id}/rewind`)
    expect([status, JSON.stringify(json)]).toEqual([
      409,
      expect.stringContaining('can be rewound is none: the history starts over'),
    ])
  })

  test('a load takes everything with it, can be undone, and the undoing undone; numbers go on', async () => {
    const sim = await begin()
    await sim.order()
    expect((await sim.admin('POST', '/scenarios/low-funds/load')).status).toBe(200)
    expect(await sim.credit()).toBe(0.5)
    expect((await sim.journal()).requests.map(({ id }) => id)).toEqual([2])
    expect(await sim.coverage()).not.toHaveProperty('orderService 200')
    expect((await sim.admin<{ id: string; scenario: string }[]>('GET', '/snapshots')).json).toMatchObject([
      { id: 'before-load', scenario: 'default', time: expect.stringMatching(/Z$/) },
    ])
    for (const there of [credit - price, 0.5, credit - price]) {
      expect((await sim.admin('POST', '/snapshots/before-load/restore')).status).toBe(200)
      expect(await sim.credit()).toBe(there)
    }
    expect((await sim.journal()).total).toBe(4) // a restore keeps it
    const { json } = await sim.admin<object>('GET', '/health')
    expect(Object.values(json)).toEqual(['ok', expect.any(String), 'default'])
  })

  test('the reset of one account leaves the others alone, and can be undone', async () => {
    const sim = await begin()
    await sim.createAccount('ana')
    for (const login of ['reseller', 'ana', 'ana']) await sim.order(login)
    expect((await sim.admin('POST', '/reset?account=reseller')).status).toBe(200)
    expect(await sim.credit()).toBe(credit)
    expect(await sim.credit('ana')).toBe(credit - 2 * price)
    expect((await sim.journal()).requests.map(({ account }) => account)).toEqual([
      'ana',
      'reseller',
      'ana',
      'ana',
    ])
    expect(await sim.coverage()).toMatchObject({ 'orderService 200': 2 })
    expect(await sim.coverage('?account=reseller')).toEqual({ 'getCredit 200': 1 })
    await sim.order('ana')
    await sim.admin('POST', '/snapshots/before-load/restore')
    expect(await sim.credit()).toBe(credit - price)
    expect(await sim.credit('ana')).toBe(credit - 3 * price)
    await sim.admin('POST', '/snapshots/before-load/restore')
    expect(await sim.credit()).toBe(credit)
  })

  test('accounts are created once, listed in that order, and deleted with what they own', async () => {
    const sim = await begin()
    for (const login of ['zoe', 'ana']) await sim.createAccount(login)
    const both = await Promise.all([1, 2].map(() => sim.admin('POST', '/accounts', { login: 'ben' })))
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]))
    const logins = async (): Promise<string[]> =>
      (await sim.admin<{ login: string }[]>('GET', '/accounts')).json.map(({ login }) => login)
    expect(await logins()).toEqual(['reseller', 'zoe', 'ana', 'ben'])
    await sim.order('zoe')
    expect((await sim.admin('DELETE', '/accounts/zoe')).status).toBe(204)
    expect((await sim.admin('DELETE', '/accounts/zoe')).status).toBe(404)
    expect((await sim.order('zoe')).status).toBe(401)
    expect(await logins()).toEqual(['reseller', 'ana', 'ben'])
    await sim.createAccount('zoe')
    expect((await sim.admin('GET', '/requests?account=zoe')).json).toMatchObject({ total: 0 })
    expect(await sim.coverage()).not.toHaveProperty('orderService 200')
    expect(await sim.coverage('?account=zoe')).toEqual({})
    expect(await sim.credit('zoe')).toBe(credit)
    expect((await sim.admin('GET', '/snapshots')).json).toEqual([])
  })

  test('a restore of the same load is a change that can be rewound, and undoes what came after the snapshot', async () => {
    const sim = await begin()
    await sim.order()
    await sim.admin('POST', '/snapshots')
    await sim.order()
    await sim.createAccount('ana')
    await sim.order('ana')
    expect((await sim.admin('POST', '/snapshots/s1/restore')).status).toBe(200)
    expect(await sim.credit()).toBe(credit - price)
    const { requests } = await sim.journal()
    const rewound = requests.filter((entry) => 'rewound' in entry).map(({ id }) => id)
    expect([requests[0]?.version, rewound]).toEqual([3, [2]])
    expect(
      (await sim.admin('GET', '/requests?account=ana')).status,
      'it is gone with all that was known',
    ).toBe(404)
    expect((await sim.admin('POST', '/requests/1/rewind')).json).toMatchObject({ version: 4 })
    expect(await sim.credit()).toBe(credit)
    await sim.admin('POST', '/reset')
    await sim.order()
    await sim.admin('POST', '/snapshots/s1/restore')
    await sim.credit()
    expect((await sim.journal()).requests[0], 'another load').toMatchObject({ version: 0 })
  })

  test('a wait counts the requests that end, whatever the journal keeps', async () => {
    const sim = await begin({ journal: 0 })
    let ended: number | undefined
    const waiting = sim
      .admin('POST', '/requests/wait', { operation: 'getCredit', count: 2 })
      .then(({ status }) => (ended = status))
    const call = async (): Promise<number | undefined> => {
      await sim.credit()
      return ended
    }
    await expect.poll(call).toBe(200)
    await waiting
    expect((await sim.journal()).requests).toEqual([])
    const wait = (more: object) => sim.admin('POST', '/requests/wait', { count: 2, timeout: 0, ...more })
    expect(await wait({ operation: 'getCredit' }), 'afterwards').toMatchObject({ status: 200 })
    expect(await wait({ status: '4xx' }), 'of other requests').toMatchObject({ status: 408 })
  })

  test('changes without an account go to the only one that was not created at runtime', async () => {
    const sim = await begin()
    for (const login of ['ana', 'ben']) await sim.createAccount(login)
    expect(
      (await sim.admin('POST', '/faults', { operation: 'getCredit', respond: { status: 500 } })).status,
    ).toBe(201)
    expect((await sim.api('GET', '/billing/credit')).status).toBe(500)
    expect((await sim.admin('GET', '/faults')).status, 'a read').toBe(400)
    const { json } = await sim.admin<object>('GET', '/scenario')
    expect((await sim.admin('PUT', '/scenario', json)).status).toBe(200)
    expect(
      (await sim.admin('POST', '/clock/advance', { by: 'PT1H' })).status,
      'the export has the mark',
    ).toBe(200)
    await sim.admin('DELETE', '/accounts/reseller')
    expect((await sim.admin('POST', '/clock/advance', { by: 'PT1H' })).status).toBe(400)
  })

  test('snapshots hold their moment; the oldest beyond fifty is dropped', async () => {
    const sim = await begin()
    await sim.admin('POST', '/snapshots')
    await sim.order()
    for (let i = 0; i < 50; i++) await sim.admin('POST', '/snapshots')
    const all = (await sim.admin<{ id: string }[]>('GET', '/snapshots')).json.map(({ id }) => id)
    expect([all.length, all[0], all.at(-1)]).toEqual([50, 's2', 's51'])
    await sim.order()
    expect((await sim.admin('POST', '/snapshots/s1/restore')).status).toBe(404)
    expect((await sim.admin('POST', '/snapshots/s2/restore')).status).toBe(200)
    expect(await sim.credit()).toBe(credit - price)
    await sim.order()
    await sim.admin('POST', '/snapshots/s2/restore')
    expect(await sim.credit()).toBe(credit - price)
  })

  test('the journal is bounded, counts what it dropped, and is cleared for one account or for all', async () => {
    const sim = await begin({ journal: 4 })
    await sim.createAccount('ana')
    for (const login of ['ana', 'reseller', 'ana', 'reseller', 'ana', 'reseller']) await sim.credit(login)
    const { total, dropped, requests } = await sim.journal()
    expect([total, dropped, requests.map(({ id }) => id)]).toEqual([4, 2, [6, 5, 4, 3]])
    await sim.admin('DELETE', '/requests?account=ana')
    expect(await sim.journal()).toMatchObject({ total: 2, dropped: 2, requests: [{ id: 6 }, { id: 4 }] })
    await sim.credit()
    expect((await sim.journal()).requests.map(({ id }) => id)).toEqual([7, 6, 4])
    await sim.admin('DELETE', '/requests')
    for (let i = 0; i < 5; i++) await sim.credit()
    expect(await sim.journal()).toMatchObject({
      total: 4,
      dropped: 1,
      requests: [12, 11, 10, 9].map((id) => ({ id })),
    })
    expect(await sim.coverage()).toMatchObject({ 'getCredit 200': 12 })
  })

  test('listeners hear of changes before the requests that made them, and of loads', async () => {
    const sim = await begin()
    const { store } = sim
    const heard: StoreEvent[] = []
    const listen = () => store.on((event) => void heard.push(event))
    listen()()
    const off = listen()
    await store.whenListening()
    await sim.order()
    await sim.admin('POST', '/accounts', { login: 'ana' })
    await sim.admin('DELETE', '/accounts/ana')
    await sim.admin('DELETE', '/requests?account=reseller')
    await sim.admin('POST', '/reset')
    const told = (): unknown[] =>
      heard.map((event) => {
        if (event.type === 'change') return [event.account, event.change && Object.keys(event.change)[0]]
        if (event.type === 'request') return event.record.operation
        return [event.type, event.scenario]
      })
    await expect
      .poll(told)
      .toEqual([
        ['reseller', 'services'],
        'orderService',
        ['ana', undefined],
        ['ana', null],
        ['reset', 'default'],
      ])
    off()
    const next = new Promise(store.on.bind(store))
    await store.whenListening()
    await sim.order()
    await next
    expect(heard).toHaveLength(5)
  })

  test('a wait ends with the request it waits for, and a lost response is marked', async () => {
    const sim = await begin()
    await sim.order()
    await sim.admin('POST', '/faults', { operation: 'orderService', delay: 3000, phase: 'after', times: 1 })
    const wanted = { operation: 'orderService', count: 2 }
    const waiting = sim.admin<{ total: number }>('POST', '/requests/wait', wanted)
    const leaving = new AbortController()
    const json = 'application/json'
    const headers = { authorization: basic('reseller:secret'), accept: json, 'content-type': json }
    const order = { method: 'POST', body: '{"clientid":11}', headers, signal: leaving.signal }
    const left = fetch(`${sim.url}/api/product/101`, order).catch(({ name }: Error) => name)
    expect((await waiting).status).toBe(200)
    leaving.abort()
    expect(await left).toBe('AbortError')
    await sim.order()
    const findings = async () => (await sim.admin('GET', '/findings')).json
    await expect
      .poll(findings)
      .toMatchObject([{ finding: 'ordered-twice', requests: [{ id: 2 }, { id: 3 }] }])
  })
})
