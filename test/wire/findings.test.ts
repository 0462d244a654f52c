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

const rotate = '/api/sticky/rotate/5002/us1/abc'
const noAccept = { headers: { accept: undefined } }

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  const admin = adminOf(() => simulator)
  const call = (method: string, path: string, options: CallOptions = {}) =>
    simulator.call(method, path, options).catch(() => undefined)
  const findings = async () => (await admin<Finding[]>('GET', '/findings')).json
  const arm = (operation: string, fault: object) =>
    admin('POST', '/faults?account=reseller', { operation, times: 1, ...fault })
  return {
    ...simulator,
    admin,
    call,
    findings,
    arm,
    get: (path: string, headers: CallOptions['headers'] = {}) => call('GET', path, { headers }),
    order: (options: CallOptions = {}) =>
      call('POST', '/api/product/101', { body: { clientid: 11 }, ...options }),
    /** An order that is paid, but whose response is lost. */
    lose: async (how: object = { drop: 'reset' }) => {
      await arm('orderService', { phase: 'after', ...how })
      await call('POST', '/api/product/101', { body: { clientid: 11 } })
    },
    update: (body: object = { update_list: 'true' }) => call('PUT', '/api/service/5001', { body }),
    advance: async (by: string) =>
      expect((await admin('POST', '/clock/advance?account=reseller', { by })).status).toBe(200),
    /** Goes back to what was before `between` happened. */
    restoreAfter: async (between: () => Promise<unknown>) => {
      const { json } = await admin<{ id: string }>('POST', '/snapshots')
      await between()
      await admin('POST', `/snapshots/${json.id}/restore`)
    },
    /** Names, and the ids of the requests that show them */
    found: async () =>
      (await findings()).map(({ finding, requests }) => [finding, ...requests.map(({ id }) => id)]),
  }
}

type Client = Awaited<ReturnType<typeof setUp>>

test.each<[string, (client: Client) => Promise<unknown>, ...(string | number)[][]]>([
  [
    'nothing, if the client follows the documentation',
    async ({ get, order, update }) => {
      await get('/api/products')
      await order()
      await order()
      await update({ password: 'c2VjcmV0', update_list: 'true' })
      for (const path of [rotate, '/api/sticky/resetall/5002', '/api/products']) await get(path)
    },
  ],
  [
    'an order again after the connection broke',
    async ({ lose, order }) => [await lose(), await order()],
    ['duplicate-order', 1, 2],
  ],
  [
    'after the response was cut',
    async ({ lose, order }) => [await lose({ drop: 'truncate' }), await order()],
    ['duplicate-order', 1, 2],
  ],
  [
    'after it was replaced',
    async ({ lose, order }) => [await lose({ respond: { status: 502 } }), await order()],
    ['duplicate-order', 1, 2],
  ],
  [
    'not an order that was never paid, another one, or the order of another account',
    async ({ arm, order, lose, admin }) => {
      await arm('orderService', { drop: 'reset' })
      await order()
      await order()
      await lose()
      await order({ body: { clientid: 11, setip: '192.0.2.44' } })
      await admin('PATCH', '/accounts/other', { credit: 100 })
      await order({ login: 'other' })
    },
  ],
  [
    'not an order that was restored',
    async ({ restoreAfter, lose, order }) => [await restoreAfter(() => lose()), await order()],
  ],
  [
    'not an order that was rewound',
    async ({ lose, admin, order }) => {
      await lose()
      expect((await admin('POST', '/requests/1/rewind')).status).toBe(200)
      await admin('DELETE', '/faults?account=reseller')
      await order()
    },
  ],
  ['not the first 429, which comes as a surprise', async ({ update }) => [await update(), await update()]],
  [
    'an update before the time of the 429',
    async ({ update, advance }) => [await update(), await update(), await advance('PT30M'), await update()],
    ['throttle-ignored', 2, 3],
  ],
  [
    'also if a fault made the 429',
    async ({ arm, update }) => [
      await arm('updateService', { respond: 'update-list-throttled' }),
      await update(),
      await update(),
    ],
    ['throttle-ignored', 1, 2],
  ],
  [
    'not if the 429 never arrived',
    async ({ arm, update }) => {
      await update()
      await arm('updateService', { phase: 'after', drop: 'truncate' })
      await update()
      await update()
    },
  ],
  [
    'not an update after that time, or of something else',
    async ({ update, advance }) => {
      await update()
      await update()
      await update({ setip: '192.0.2.45' })
      await advance('PT1H')
      await update()
    },
  ],
  [
    'not a 429 that was restored',
    async ({ restoreAfter, update }) => [
      await restoreAfter(async () => [await update(), await update()]),
      await update(),
    ],
  ],
  ...[rotate, '/api/sticky/changettl/5002/15', '/api/sticky/resetall/5002'].map(
    (path): [string, (client: Client) => Promise<unknown>, (string | number)[]] => [
      `${path} again within a second`,
      async ({ get }) => [await get(path), await get(path)],
      ['unsafe-get', 1, 2],
    ],
  ),
  [
    'in another spelling',
    async ({ get }) => [await get(rotate), await get('/api/sticky/rotate/5002/us1/%61bc?_=1')],
    ['unsafe-get', 1, 2],
  ],
  [
    "not after more than a second by the world's clock",
    async ({ get, advance }) => [await get(rotate), await advance('PT2S'), await get(rotate)],
  ],
  [
    'but after a second',
    async ({ get, advance }) => [await get(rotate), await advance('PT1S'), await get(rotate)],
    ['unsafe-get', 1, 2],
  ],
  [
    'not responses that changed nothing, other paths and safe GETs',
    async ({ get, arm }) => {
      for (const path of ['/api/sticky/resetall/5001', '/api/sticky/rotate/5002/us1/nobody', '/api/clients'])
        for (const headers of [{}, { 'if-none-match': '"x"' }]) await get(path, headers)
      await arm('rotateStickySession', { drop: 'reset' })
      await get(rotate)
      await get(rotate)
      await get('/api/sticky/changettl/5002/10')
      await get('/api/sticky/changettl/5002/15')
    },
  ],
  [
    'not a rotation that was restored',
    async ({ restoreAfter, get }) => [await restoreAfter(() => get(rotate)), await get(rotate)],
  ],
  [
    'a password that is not base64',
    async ({ update }) => update({ password: 'not encoded!' }),
    ['password-not-encoded', 1],
  ],
  [
    'not one that was encoded once',
    async ({ update }) => {
      for (const password of ['password', 'secret', 'abcd', 'Tr0ub4dor&3', '12345678'])
        await update({ password: btoa(password) })
    },
  ],
  [
    'missing headers, across a restore',
    async ({ restoreAfter, call }) => [
      await restoreAfter(() => call('GET', '/api/clients', noAccept)),
      await call('GET', '/api/clients', noAccept),
    ],
    ['header-missing', 1, 2],
  ],
])('finds %s', async (_what, act, ...expected) => {
  const client = await setUp(two)
  await act(client)
  expect(await client.found()).toEqual(expected)
})

test.each<[Record<string, string>, string]>([
  [{ 'if-none-match': '"x"' }, 'as a conditional request'],
  [{ 'if-unmodified-since': 'Thu, 15 Jan 2026 12:00:00 GMT' }, 'as a conditional request'],
  [{ 'sec-purpose': 'prefetch' }, 'as a prefetch'],
  [{ purpose: 'prefetch' }, 'as a prefetch'],
  [{ 'x-purpose': 'preview' }, 'as a prefetch'],
])('finds a rotation with %j', async (headers, how) => {
  const { get, findings } = await setUp()
  expect((await get(rotate, headers))?.status).toBe(200)
  expect(await findings()).toMatchObject([
    { finding: 'unsafe-get', message: expect.stringContaining(`was fetched ${how}. `) },
  ])
})

test.each(['x', 'käse', 'pass', 'secret', 'hunter2', 'password', 'Tr0ub4dor&3', 'hunter2 is my password'])(
  'finds a password that was encoded twice: %s',
  async (password) => {
    const { update, findings } = await setUp()
    await update({ password: btoa(Buffer.from(password).toString('base64')) })
    expect(await findings()).toMatchObject([
      { finding: 'password-not-encoded', message: expect.stringContaining('twice') },
    ])
  },
)

describe.each(['its own', 'a forced'])('after %s 429 that names the next whole second', (kind) => {
  test.each([
    ['PT1H', []],
    ['PT59M59.5S', ['throttle-ignored']],
  ])('an update %s later', async (by, expected) => {
    const { arm, update, advance, found } = await setUp({ ...small, clock: '2026-01-15T12:00:00.400Z' })
    if (kind === 'a forced') await arm('updateService', { respond: 'update-list-throttled' })
    else await update()
    expect((await update())?.text).toContain('possible: 2026-01-15 13:00:01')
    await advance(by)
    await update()
    expect((await found()).map(([name]) => name)).toEqual(expected)
  })
})

test('finds an order again after the client gave up waiting', async () => {
  const { arm, simulation, url, authorization, order, found } = await setUp()
  await arm('orderService', { phase: 'after', delay: 60_000 })
  const ordered = new Promise<void>((resolve) => {
    simulation.store.on(({ type }) => type === 'request' && resolve())
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
  waiting.destroy()
  await order()
  await expect.poll(found).toEqual([['duplicate-order', 1, 2]])
})

test('a finding says what the client did and what to do, the worst first', async () => {
  const { get, call, update, lose, order, findings } = await setUp()
  await call('GET', '/api/clients', noAccept)
  await get('/api/clients', { accept: '*/*' })
  await get('/api/products', { 'content-type': undefined })
  await get('/api/services', {
    accept: 'text/html, application/json;q=0.9',
    'content-type': 'application/json; charset=utf-8',
  })
  await update({ password: 'not encoded!' })
  await lose()
  await order()
  await get(rotate, { purpose: 'prefetch' })
  expect(await findings()).toMatchObject([
    {
      finding: 'duplicate-order',
      severity: 'high',
      account: 'reseller',
      operation: 'orderService',
      message: expect.stringMatching(
        /^POST \/api\/product\/101 was sent again .* paid twice\. The API has no idempotency key/,
      ),
      requests: [
        { id: 6, method: 'POST', path: '/api/product/101', time: '2026-01-15T12:00:00.000Z', status: null },
        { id: 7, status: 200 },
      ],
    },
    { finding: 'unsafe-get', message: expect.stringContaining('was fetched as a prefetch. ') },
    { finding: 'password-not-encoded', severity: 'medium', operation: 'updateService' },
    {
      finding: 'header-missing',
      severity: 'low',
      operation: null,
      message: expect.stringContaining(
        'The client called listClients without Accept: application/json, and listProducts without Content-Type: application/json. ',
      ),
      requests: [{ id: 1 }, { id: 2 }, { id: 3 }],
    },
  ])
})

test('findings can be filtered by account, and a reset clears them', async () => {
  const { admin, call, found, findings } = await setUp(two)
  await call('GET', '/api/clients', { headers: { accept: undefined, 'content-type': undefined } })
  await call('GET', '/api/clients', { login: 'other', ...noAccept })
  expect(await findings()).toMatchObject([{ account: null, requests: [{ id: 1 }, { id: 2 }] }])
  const { json } = await admin<Finding[]>('GET', '/findings?account=reseller')
  expect(json).toMatchObject([
    {
      account: 'reseller',
      message: expect.stringContaining(
        'without Accept: application/json and Content-Type: application/json. ',
      ),
    },
  ])
  await admin('POST', '/reset')
  expect(await found()).toEqual([])
})
