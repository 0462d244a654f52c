import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { adminOf, small, two } from '../support/admin.ts'
import { start, type CallOptions } from '../support/start.ts'

interface Finding {
  finding: string
  severity: string
  account: string | null
  operation: string | null
  message: string
  requests: { id: number; method: string; path: string; status: number | null; time: string }[]
}

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  const admin = adminOf(() => simulator)
  return {
    ...simulator,
    admin,
    arm: (fault: object) => admin('POST', '/faults?account=reseller', fault),
    order: (options: CallOptions = {}) =>
      simulator
        .call('POST', '/api/product/101', { body: { clientid: 11 }, ...options })
        .catch(() => undefined),
    update: (body: object) => simulator.call('PUT', '/api/service/5001', { body }),
    /** Goes back to what was before `between` happened. */
    restoreAfter: async (between: () => Promise<unknown>) => {
      const { json } = await admin<{ id: string }>('POST', '/snapshots')
      await between()
      await admin('POST', `/snapshots/${json.id}/restore`)
    },
    found: async () =>
      (await admin<Finding[]>('GET', '/findings')).json.map(({ finding, requests }) => [
        finding,
        ...requests.map(({ id }) => id),
      ]),
  }
}

test('a client that follows the documentation causes none', async () => {
  const { call, order, update, found } = await setUp()
  await call('GET', '/api/products')
  await order()
  await order()
  await order({ body: { clientid: 11, setip: '192.0.2.44' } })
  await update({ password: 'c2VjcmV0', update_list: 'true' })
  await call('GET', '/api/sticky/rotate/5002/us1/abc')
  await call('GET', '/api/sticky/resetall/5002')
  await call('GET', '/api/products')
  expect(await found()).toEqual([])
})

describe('duplicate-order', () => {
  test.each([
    ['the connection broke', { drop: 'reset' }],
    ['the answer was cut', { drop: 'truncate' }],
    ['the answer was replaced', { respond: { status: 502 } }],
  ])('the same order again when %s', async (_how, how) => {
    const { admin, arm, order, found } = await setUp()
    await arm({ operation: 'orderService', phase: 'after', times: 1, ...how })
    await order()
    await order()
    expect(await found()).toEqual([['duplicate-order', 1, 2]])
    const { json } = await admin<Finding[]>('GET', '/findings')
    expect(json[0]).toMatchObject({
      account: 'reseller',
      operation: 'orderService',
      message: expect.stringContaining('paid twice'),
      requests: [
        { id: 1, method: 'POST', path: '/api/product/101', time: '2026-01-15T12:00:00.000Z' },
        { id: 2, status: 200 },
      ],
    })
  })

  describe('an order repeated after the client gave up waiting', () => {
    /** An order that is carried out, but whose answer takes a minute. */
    async function setUpSlow() {
      const { arm, simulation, url, authorization, ...rest } = await setUp()
      await arm({ operation: 'orderService', phase: 'after', delay: 60_000, times: 1 })
      const ordered = new Promise<void>((resolve) => {
        simulation.store.on(
          (event) => event.type === 'change' && JSON.stringify(event.change).includes('credit') && resolve(),
        )
      })
      const headers = {
        authorization: authorization(),
        'content-type': 'application/json',
        accept: 'application/json',
      }
      const waiting = request(`${url}/api/product/101`, { method: 'POST', headers })
      waiting.on('error', () => {})
      waiting.end('{"clientid":11}')
      await ordered
      const giveUp = async (): Promise<void> => {
        const entered = new Promise<void>((resolve) => {
          simulation.store.on(({ type }) => type === 'request' && resolve())
        })
        waiting.destroy()
        await entered
      }
      return { ...rest, giveUp }
    }

    test('and hung up', async () => {
      const { giveUp, order, found } = await setUpSlow()
      await giveUp()
      await order()
      expect(await found()).toEqual([['duplicate-order', 1, 2]])
    })

    test('even if the simulator learns only later that it hung up', async () => {
      const { giveUp, order, found } = await setUpSlow()
      await order()
      await giveUp()
      await expect.poll(found).toEqual([['duplicate-order', 2, 1]])
    })
  })

  test("not if the first was never paid, differs, or is another account's", async () => {
    const { arm, admin, order, found } = await setUp(two)
    await arm({ operation: 'orderService', drop: 'reset', times: 1 })
    await order()
    await order()
    await arm({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
    await order()
    await order({ body: { clientid: 11, setip: '192.0.2.44' } })
    await admin('PATCH', '/accounts/other', { credit: 100 })
    await order({ login: 'other' })
    expect(await found()).toEqual([])
  })
})

describe('what a restore undid is neither a duplicate nor too early', () => {
  test('an order', async () => {
    const { arm, order, restoreAfter, found } = await setUp()
    await restoreAfter(async () => {
      await arm({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
      await order()
    })
    await order()
    expect(await found()).toEqual([])
  })

  test('an update of the list', async () => {
    const { update, restoreAfter, found } = await setUp()
    await restoreAfter(async () => {
      await update({ update_list: 'true' })
      await update({ update_list: 'true' })
    })
    expect((await update({ update_list: 'true' })).status).toBe(200)
    expect(await found()).toEqual([])
  })

  test('a rotation', async () => {
    const { call, restoreAfter, found } = await setUp()
    await restoreAfter(() => call('GET', '/api/sticky/rotate/5002/us1/abc'))
    await call('GET', '/api/sticky/rotate/5002/us1/abc')
    expect(await found()).toEqual([])
  })

  test('an order that was rewound', async () => {
    const { admin, arm, order, found } = await setUp()
    await arm({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
    await order()
    expect((await admin('POST', '/requests/1/rewind')).status).toBe(200)
    await admin('DELETE', '/faults')
    await order()
    expect(await found()).toEqual([])
  })

  test('but missing headers are still found', async () => {
    const { call, restoreAfter, found } = await setUp()
    await restoreAfter(() => call('GET', '/api/clients', { headers: { accept: undefined } }))
    await call('GET', '/api/clients', { headers: { accept: undefined } })
    expect(await found()).toEqual([['header-missing', 1, 2]])
  })
})

describe('throttle-ignored', () => {
  test('update_list repeated before the time that the 429 named', async () => {
    const { admin, update, found } = await setUp()
    await update({ update_list: 'true' })
    await update({ update_list: 'true' })
    expect(await found(), 'the first 429 comes as a surprise').toEqual([])
    await admin('POST', '/clock/advance', { by: 'PT30M' })
    await update({ update_list: 'true' })
    expect(await found()).toEqual([['throttle-ignored', 2, 3]])
    const { json } = await admin<Finding[]>('GET', '/findings')
    expect(json[0]?.message).toContain('2026-01-15 13:00:00')
  })

  test('also if a fault made the 429', async () => {
    const { arm, update, found } = await setUp()
    await arm({ operation: 'updateService', respond: 'update-list-throttled', times: 1 })
    await update({ update_list: 'true' })
    await update({ update_list: 'true' })
    expect(await found()).toEqual([['throttle-ignored', 1, 2]])
  })

  test('not if the 429 never arrived', async () => {
    const { arm, update, found } = await setUp()
    await update({ update_list: 'true' })
    await arm({ operation: 'updateService', phase: 'after', drop: 'truncate', times: 1 })
    await update({ update_list: 'true' }).catch(() => undefined)
    await update({ update_list: 'true' })
    expect(await found()).toEqual([])
  })

  describe.each(['its own', 'a forced'])('after %s 429 that names the next whole second', (kind) => {
    const setUpRefused = async () => {
      const { arm, update, ...rest } = await setUp({ ...small, clock: '2026-01-15T12:00:00.400Z' })
      if (kind === 'a forced')
        await arm({ operation: 'updateService', respond: 'update-list-throttled', times: 1 })
      else await update({ update_list: 'true' })
      expect((await update({ update_list: 'true' })).text).toContain('possible: 2026-01-15 13:00:01')
      return { ...rest, update }
    }

    test('not if the client waits as long as the throttle counts, to the millisecond', async () => {
      const { admin, update, found } = await setUpRefused()
      await admin('POST', '/clock/advance', { by: 'PT1H' })
      expect((await update({ update_list: 'true' })).status).toBe(200)
      expect(await found()).toEqual([])
    })

    test('but if it waits half a second less', async () => {
      const { admin, update, found } = await setUpRefused()
      await admin('POST', '/clock/advance', { by: 'PT59M59.5S' })
      await update({ update_list: 'true' })
      expect((await found()).map(([name]) => name)).toEqual(['throttle-ignored'])
    })
  })

  test('not if the client waits, or sends something else', async () => {
    const { admin, update, found } = await setUp()
    await update({ update_list: 'true' })
    await update({ update_list: 'true' })
    await update({ setip: '192.0.2.45' })
    await admin('POST', '/clock/advance', { by: 'PT1H' })
    await update({ update_list: 'true' })
    expect(await found()).toEqual([])
  })
})

describe('unsafe-get', () => {
  const rotate = '/api/sticky/rotate/5002/us1/abc'

  test.each([rotate, '/api/sticky/changettl/5002/15', '/api/sticky/resetall/5002'])(
    '%s again within a second',
    async (path) => {
      const { admin, call, found } = await setUp()
      await call('GET', path)
      await call('GET', path)
      expect(await found()).toEqual([['unsafe-get', 1, 2]])
      expect((await admin<Finding[]>('GET', '/findings')).json[0]?.message).toContain('within a second')
    },
  )

  test.each<[string, Record<string, string>]>([
    ['conditional', { 'if-none-match': '"x"' }],
    ['conditional', { 'if-modified-since': 'Thu, 15 Jan 2026 12:00:00 GMT' }],
    ['prefetch', { 'sec-purpose': 'prefetch' }],
    ['conditional', { 'if-match': '"x"' }],
    ['conditional', { 'if-unmodified-since': 'Thu, 15 Jan 2026 12:00:00 GMT' }],
    ['prefetch', { purpose: 'prefetch' }],
    ['prefetch', { 'x-purpose': 'preview' }],
  ])('as a %s: %j', async (how, headers) => {
    const { admin, call, found } = await setUp()
    expect((await call('GET', rotate, { headers })).status).toBe(200)
    expect(await found()).toEqual([['unsafe-get', 1]])
    expect((await admin<Finding[]>('GET', '/findings')).json[0]?.message).toContain(how)
  })

  test('as a HEAD request', async () => {
    const { call, found } = await setUp()
    expect((await call('HEAD', rotate)).status).toBe(200)
    expect(await found()).toEqual([['unsafe-get', 1]])
  })

  test.each([`${rotate}?_=1`, '/api/sticky/rotate/5002/us1/%61bc'])(
    'the same in another spelling: %s',
    async (path) => {
      const { call, found } = await setUp()
      await call('GET', rotate)
      expect((await call('GET', path)).status).toBe(200)
      expect(await found()).toEqual([['unsafe-get', 1, 2]])
    },
  )

  test("not if more than a second has passed by the world's clock", async () => {
    const { admin, call, found } = await setUp()
    await call('GET', rotate)
    await admin('POST', '/clock/advance', { by: 'PT2S' })
    await call('GET', rotate)
    expect(await found()).toEqual([])
    await admin('POST', '/clock/advance', { by: 'PT1S' })
    await call('GET', rotate)
    expect(await found()).toEqual([['unsafe-get', 2, 3]])
  })

  test.each([
    ['a service of the other type', '/api/sticky/resetall/5001'],
    ['a TTL of a service of the other type', '/api/sticky/changettl/5001/5'],
    ['a session that there is not', '/api/sticky/rotate/5002/us1/nobody'],
  ])('not for answers that changed nothing: %s', async (_what, path) => {
    const { call, found } = await setUp()
    await call('GET', path)
    await call('GET', path, { headers: { 'if-none-match': '"x"' } })
    expect(await found()).toEqual([])
  })

  test('not if a fault prevented the operation', async () => {
    const { arm, call, found } = await setUp()
    await arm({ operation: 'rotateStickySession', drop: 'reset', times: 1 })
    await call('GET', rotate).catch(() => undefined)
    await call('GET', rotate)
    expect(await found()).toEqual([])
  })

  test('not for other paths or safe GETs', async () => {
    const { call, found } = await setUp()
    await call('GET', '/api/sticky/changettl/5002/10')
    await call('GET', '/api/sticky/changettl/5002/15')
    await call('GET', '/api/clients', { headers: { 'if-none-match': '"x"' } })
    await call('GET', '/api/clients')
    expect(await found()).toEqual([])
  })
})

describe('password-not-encoded', () => {
  test('a password that is not base64', async () => {
    const { admin, update, found } = await setUp()
    await update({ password: 'not encoded!' })
    expect(await found()).toEqual([['password-not-encoded', 1]])
    expect((await admin('GET', '/findings')).text).not.toContain('not encoded!')
  })

  test.each([
    'x',
    'pw',
    'käse',
    'pass',
    'abcd',
    'secret',
    'hunter2',
    'password',
    'Tr0ub4dor&3',
    'correct horse battery staple',
    'hunter2 is my password',
  ])('a password that was encoded twice: %s', async (password) => {
    const { admin, update, found } = await setUp()
    await update({ password: btoa(Buffer.from(password).toString('base64')) })
    expect(await found()).toEqual([['password-not-encoded', 1]])
    expect((await admin<Finding[]>('GET', '/findings')).json[0]?.message).toContain('twice')
  })

  test('not for one that was encoded once', async () => {
    const { update, found } = await setUp()
    for (const password of ['password', 'secret', 'abcd', 'Tr0ub4dor&3', '12345678'])
      await update({ password: btoa(password) })
    expect(await found()).toEqual([])
  })
})

test('header-missing: Accept or Content-Type not sent as documented, reported once', async () => {
  const { admin, call, found } = await setUp()
  await call('GET', '/api/clients', { headers: { accept: undefined } })
  await call('GET', '/api/clients', { headers: { accept: '*/*' } })
  await call('GET', '/api/products', { headers: { 'content-type': undefined } })
  await call('GET', '/api/services', {
    headers: {
      accept: 'text/html, application/json;q=0.9',
      'content-type': 'application/json; charset=utf-8',
    },
  })
  expect(await found()).toEqual([['header-missing', 1, 2, 3]])
  const { json } = await admin<Finding[]>('GET', '/findings')
  expect(json).toMatchObject([{ severity: 'low', account: 'reseller', operation: null }])
  expect(json[0]?.message).toContain(
    'listClients without Accept: application/json, and listProducts without Content-Type: application/json.',
  )
})

test('header-missing names operations that lack both headers once', async () => {
  const { admin, call } = await setUp()
  await call('GET', '/api/clients', { headers: { accept: undefined, 'content-type': undefined } })
  const [finding] = (await admin<Finding[]>('GET', '/findings')).json
  expect(finding?.message).toContain(
    'The client called listClients without Accept: application/json and Content-Type: application/json. ',
  )
})

test('the worst findings come first', async () => {
  const { admin, arm, call, order, update } = await setUp()
  await call('GET', '/api/clients', { headers: { accept: undefined } })
  await update({ password: 'not encoded!' })
  await arm({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
  await order()
  await order()
  const { json } = await admin<Finding[]>('GET', '/findings')
  expect(json.map(({ finding, severity, operation }) => [finding, severity, operation])).toEqual([
    ['duplicate-order', 'high', 'orderService'],
    ['password-not-encoded', 'medium', 'updateService'],
    ['header-missing', 'low', 'listClients'],
  ])
})

test('findings can be filtered by account, and a reset clears them', async () => {
  const { admin, call, found } = await setUp(two)
  await call('GET', '/api/clients', { headers: { accept: undefined } })
  await call('GET', '/api/clients', { login: 'other', headers: { accept: undefined } })
  expect(await found()).toEqual([['header-missing', 1, 2]])
  expect((await admin<Finding[]>('GET', '/findings')).json).toMatchObject([{ account: null }])
  const { json } = await admin<Finding[]>('GET', '/findings?account=other')
  expect(json).toMatchObject([{ account: 'other', requests: [{ id: 2 }] }])
  await admin('POST', '/reset')
  expect(await found()).toEqual([])
})
