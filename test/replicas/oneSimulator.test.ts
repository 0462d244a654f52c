import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startServer, type RunningSimulator } from '../../src/server.ts'
import type { Store } from '../../src/state/Store.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'
import { SlowNetwork } from '../support/SlowNetwork.ts'

interface Answer<T> {
  status: number
  case: string | null
  body: T
}

interface Entry {
  id: number
  operation: string | null
  account: string | null
  status: number
  case: string | null
}

describe.skipIf(!hasRedis)('three replicas act as one simulator', () => {
  let redis: RedisServer
  let replicas: RunningSimulator<Store>[]
  beforeAll(async () => {
    redis = await RedisServer.start()
    // At the same time: one loads the scenario, the others join.
    replicas = await Promise.all([1, 2, 3].map(() => startServer({ store: redis.url, scenario: 'default' })))
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()))
    await redis.stop()
  })

  const url = (replica: number): string => replicas[replica]?.url ?? ''

  async function admin<T>(replica: number, method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const reply = await fetch(`${url(replica)}/__admin${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const text = await reply.text()
    return { status: reply.status, case: null, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }

  async function api<T>(
    replica: number,
    login: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> {
    const reply = await fetch(`${url(replica)}/api${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(login)}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    return {
      status: reply.status,
      case: reply.headers.get('sim-case'),
      body: (reply.headers.get('content-type')?.startsWith('application/json')
        ? JSON.parse(text)
        : text) as T,
    }
  }

  /** One more, whose way to the store can be disturbed, until the end of the test. */
  async function distant(): Promise<{ network: SlowNetwork; replica: RunningSimulator<Store> }> {
    const network = await SlowNetwork.start(redis.port)
    const replica = await startServer({ store: network.url, scenario: 'default' })
    onTestFinished(async () => {
      await replica.close()
      await network.stop()
    })
    return { network, replica }
  }

  /** A new account, made on one of them. */
  async function account(replica = 0): Promise<{ name: string; login: string }> {
    const { status, body } = await admin<{ login: string; password: string }>(
      replica,
      'POST',
      '/accounts',
      {},
    )
    expect(status).toBe(201)
    return { name: body.login, login: `${body.login}:${body.password}` }
  }

  test('a change by one is visible to the others', async () => {
    const { name, login } = await account()
    const order = await api<{ serviceId: number; invoiceId: number }>(1, login, 'POST', '/product/101', {
      clientid: 11,
    })
    expect(order.status).toBe(200)
    const service = (await api(2, login, 'GET', `/service/${order.body.serviceId}`)).body
    expect(service).toMatchObject({ status: 'Active' })
    expect((await api<{ credit: number }>(0, login, 'GET', '/billing/credit')).body).toEqual({ credit: 230 })
    await admin(2, 'PATCH', `/accounts/${name}`, { credit: 7 })
    expect((await api(1, login, 'GET', '/billing/credit')).body).toEqual({ credit: 7 })
    await admin(1, 'DELETE', `/accounts/${name}`)
    for (const one of [0, 1, 2]) expect((await api(one, login, 'GET', '/clients')).status).toBe(401)
  })

  test('credit is spent once, whichever replica handles the order', async () => {
    const { name, login } = await account()
    await admin(1, 'PATCH', `/accounts/${name}`, { credit: 200 })
    const orders = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        api(index % 3, login, 'POST', '/product/101', { clientid: 11 }),
      ),
    )
    expect(orders.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(new Set(orders.map((order) => order.case))).toEqual(new Set([null, 'insufficient-funds']))
    expect((await api(2, login, 'GET', '/billing/credit')).body).toEqual({ credit: 0 })
  })

  test('an address is bound once, a list updated once, a fault strikes once', async () => {
    const { name, login } = await account(2)
    const bound = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        api(index % 3, login, 'POST', '/product/101', { clientid: 11, setip: '203.0.113.77' }),
      ),
    )
    expect(bound.filter(({ status }) => status === 200)).toHaveLength(1)
    const updates = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        api(index % 3, login, 'PUT', '/service/5001', { update_list: 'true' }),
      ),
    )
    expect(updates.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(updates.filter((update) => update.case === 'update-list-throttled')).toHaveLength(8)
    await admin(1, 'POST', `/faults?account=${name}`, {
      operation: 'getCredit',
      respond: 'unauthenticated',
      times: 1,
    })
    const struck = await Promise.all(
      Array.from({ length: 9 }, (_, index) => api(index % 3, login, 'GET', '/billing/credit')),
    )
    expect(struck.filter(({ status }) => status === 401)).toHaveLength(1)
  })

  test('all show the same journal, coverage and findings', async () => {
    const { name, login } = await account()
    for (const one of [0, 1, 2, 1]) await api(one, login, 'GET', '/clients')
    await api(0, login, 'GET', '/service/1')
    const pages = await Promise.all(
      [0, 1, 2].map((one) =>
        admin<{ total: number; requests: Entry[]; dropped: number }>(one, 'GET', `/requests?account=${name}`),
      ),
    )
    expect(pages[0]?.body.total).toBe(5)
    expect(pages[0]?.body.requests.map(({ operation }) => operation)).toEqual([
      'getService',
      'listClients',
      'listClients',
      'listClients',
      'listClients',
    ])
    const ids = pages[0]?.body.requests.map(({ id }) => id) ?? []
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    expect(new Set(ids).size).toBe(5)
    for (const page of pages) expect(page.body).toEqual(pages[0]?.body)
    const covered = await Promise.all(
      [0, 1, 2].map((one) =>
        admin<{ covered: number; total: number; operations: unknown[] }>(
          one,
          'GET',
          `/coverage?account=${name}`,
        ),
      ),
    )
    expect(covered[0]?.body.covered).toBe(2)
    for (const one of covered) expect(one.body).toEqual(covered[0]?.body)
    const all = await Promise.all([0, 1, 2].map((one) => admin(one, 'GET', `/findings?account=${name}`)))
    for (const one of all) expect(one.body).toEqual(all[0]?.body)
    await admin(1, 'DELETE', `/requests?account=${name}`)
    for (const one of [0, 1, 2])
      expect((await admin<{ total: number }>(one, 'GET', `/requests?account=${name}`)).body.total).toBe(0)
  })

  test('repeated requests are shown in full by all, but stored compactly', async () => {
    const { name, login } = await account()
    const times = 12
    for (let n = 0; n < times; n++) await api(0, login, 'GET', '/products')
    type Shown = Entry & { time: string; request: { headers: Record<string, string> } } & {
      response: { headers: Record<string, string>; body: unknown[] }
    }
    const pages = await Promise.all(
      [0, 1, 2].map((one) => admin<{ requests: Shown[] }>(one, 'GET', `/requests?account=${name}`)),
    )
    for (const page of pages) expect(page.body).toEqual(pages[0]?.body)
    const shown = pages[1]?.body.requests ?? []
    expect(shown).toHaveLength(times)
    const { body } = await api<unknown[]>(2, login, 'GET', '/products')
    for (const { request, response, time } of shown) {
      expect(request.headers).toMatchObject({ authorization: '[redacted]', accept: 'application/json' })
      expect(Object.keys(request.headers)).toEqual(Object.keys(shown.at(-1)?.request.headers ?? {}))
      expect(response.body).toEqual(body)
      expect(new Date(response.headers['date'] ?? '').toISOString().slice(0, 19)).toBe(time.slice(0, 19))
    }
    const client = await redis.client()
    const [journal] = await client.keys('*:j')
    const stored = (await client.xrevrange(journal ?? '', '+', '-', 'COUNT', times)).map(
      ([, fields]) => String(fields).length,
    )
    await client.quit()
    expect(Math.min(...stored)).toBeLessThan(Math.max(...stored) / 3)
  })

  test('waiting at one replica sees requests that another handles', async () => {
    const { name, login } = await account()
    const waiting = admin<{ total: number }>(0, 'POST', '/requests/wait', {
      operation: 'getCredit',
      account: name,
      count: 2,
      timeout: 10_000,
    })
    await api(1, login, 'GET', '/billing/credit')
    await api(2, login, 'GET', '/billing/credit')
    expect(await waiting).toMatchObject({ status: 200, body: { total: 2 } })
  })

  test('a wait without patience counts what is there', async () => {
    const { name, login } = await account()
    await api(1, login, 'GET', '/billing/credit')
    for (const timeout of [0, 1, 2])
      expect(await admin(0, 'POST', '/requests/wait', { account: name, timeout })).toMatchObject({
        status: 200,
        body: { total: 1 },
      })
  })

  test('waiting and events need no journal', async () => {
    const settings = { store: redis.url, storePrefix: 'unjournaled', journal: 0 }
    const two = [await startServer(settings), await startServer(settings)]
    try {
      const waiting = fetch(`${two[0]?.url}/__admin/requests/wait`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ operation: 'getCredit', count: 3, timeout: 10_000 }),
      })
      const headers = { authorization: `Basic ${btoa('reseller:secret')}` }
      const isOver = waiting.then(() => true)
      do await fetch(`${two[1]?.url}/api/billing/credit`, { headers })
      while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))])))
      expect((await waiting).status).toBe(200)
    } finally {
      await Promise.all(two.map((one) => one.close()))
    }
  })

  test('a deleted account leaves its coverage to the whole, not to the next of its login', async () => {
    const { name, login } = await account()
    await api(1, login, 'GET', '/clients')
    const covered = async (path: string): Promise<number> =>
      (await admin<{ covered: number }>(2, 'GET', `/coverage${path}`)).body.covered
    const all = await covered('')
    expect(await covered(`?account=${name}`)).toBe(1)
    await admin(0, 'DELETE', `/accounts/${name}`)
    await admin(0, 'POST', '/accounts', { login: name })
    expect([await covered(`?account=${name}`), await covered('')]).toEqual([0, all])
  })

  test('each emits the events of all', async () => {
    const { name, login } = await account()
    const ended = new AbortController()
    const reply = await fetch(`${url(0)}/__admin/events?account=${name}`, { signal: ended.signal })
    const reader = (reply.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader.read()).value ?? ''
    await api(1, login, 'POST', '/product/101', { clientid: 11 })
    await admin(2, 'PATCH', `/accounts/${name}`, { credit: 3 })
    while (!text.includes('"credit":3}')) text += (await reader.read()).value ?? ''
    ended.abort()
    expect(text).toContain('event: request')
    expect(text).toContain('"operation":"orderService"')
    expect(text.match(/event: change/g)?.length).toBe(2)
    expect(text).not.toContain(login.split(':')[1])
  })

  test('a stream that says it is connected misses nothing, however distant the store', async () => {
    const { name } = await account()
    const { network, replica } = await distant()
    network.delay = 200
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    const reply = await fetch(`${replica.url}/__admin/events?account=${name}`, { signal: ended.signal })
    const reader = (reply.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (part: string): Promise<void> => {
      while (!text.includes(part)) text += (await reader.read()).value ?? ''
    }
    await until(': connected\n\n')
    await admin(1, 'PATCH', `/accounts/${name}`, { credit: 1 })
    const changed = until('"change":')
    // The first one may be lost, but a stream that has begun shows some.
    for (let credit = 2; !text.includes('"change":'); credit++) {
      await admin(1, 'PATCH', `/accounts/${name}`, { credit })
      await Promise.race([changed, new Promise((resolve) => setImmediate(resolve))])
    }
    expect(text).toMatch(/^: connected\n\nevent: change\ndata: .*"credit":1}/)
  })

  test('a wait that is cut off from the store does not pass a part for the whole', async () => {
    const { name, login } = await account()
    const { network, replica } = await distant()
    const waiting = fetch(`${replica.url}/__admin/requests/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: name, count: 4, timeout: 2000 }),
    })
    const headers = { authorization: `Basic ${btoa(login)}` }
    for (let n = 0; n < 3; n++) {
      await fetch(`${replica.url}/api/clients`, { headers })
      await fetch(`${replica.url}/__admin/requests?account=${name}`) // the wait's own look at the journal comes first
    }
    network.mute()
    expect((await api(1, login, 'GET', '/clients')).status).toBe(200)
    const { status } = await waiting
    expect(status, await (await waiting).text()).toBe(503)
  })

  test('rewind, reproduction, snapshots and the clock work across replicas', async () => {
    const { name, login } = await account()
    await api(0, login, 'POST', '/product/101', { clientid: 11 })
    await api(1, login, 'POST', '/product/101', { clientid: 11 })
    const { requests } = (await admin<{ requests: Entry[] }>(2, 'GET', `/requests?account=${name}`)).body
    const [second, first] = requests.map(({ id }) => id)
    const repro = await admin<{ scenario: { accounts: Record<string, { credit: number }> } }>(
      0,
      'GET',
      `/requests/${second}/repro`,
    )
    expect(repro.body.scenario.accounts[name]?.credit).toBe(230)
    const snapshot = await admin<{ id: string }>(1, 'POST', '/snapshots')
    expect((await admin<object>(2, 'POST', `/requests/${first}/rewind`)).status).toBe(200)
    for (const one of [0, 1, 2])
      expect((await api(one, login, 'GET', '/billing/credit')).body).toEqual({ credit: 250 })
    expect((await admin(0, 'POST', `/snapshots/${snapshot.body.id}/restore`)).status).toBe(200)
    for (const one of [0, 1, 2])
      expect((await api(one, login, 'GET', '/billing/credit')).body).toEqual({ credit: 210 })
    await admin(0, 'PUT', `/clock?account=${name}`, { now: '2031-05-05T00:00:00Z', frozen: true })
    expect((await admin(2, 'GET', `/clock?account=${name}`)).body).toEqual({
      now: '2031-05-05T00:00:00.000Z',
      frozen: true,
    })
  })

  test('a load applies to all; a request that began before it changes nothing after it', async () => {
    const slow = { operation: 'orderService', delay: 400 }
    await admin(0, 'POST', '/scenarios/default/load')
    await admin(0, 'POST', '/faults?account=reseller', slow)
    const late = api(1, 'reseller:secret', 'POST', '/product/101', { clientid: 11 })
    const delayed = async (): Promise<number> =>
      (await admin<{ used?: number }[]>(0, 'GET', '/faults?account=reseller')).body[0]?.used ?? 0
    await expect.poll(delayed).toBe(1)
    await admin(2, 'POST', '/scenarios/low-funds/load')
    await late
    for (const one of [0, 1, 2]) {
      expect((await admin(one, 'GET', '/health')).body).toMatchObject({ scenario: 'low-funds' })
      expect(
        (await api<{ credit: number }>(one, 'reseller:secret', 'GET', '/billing/credit')).body.credit,
      ).toBe(0.5)
    }
    await admin(1, 'POST', '/snapshots/before-load/restore')
    for (const one of [0, 1, 2])
      expect((await api(one, 'reseller:secret', 'GET', '/billing/credit')).body).toEqual({ credit: 250 })
  })
})
