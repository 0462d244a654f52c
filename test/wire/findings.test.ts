import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/findings/findings.ts'
import { findingRules } from '../../src/findings/findings.ts'
import { createCertificate } from '../support/certificate.ts'
import { small, two } from '../support/scenario.ts'
import { waitForEvent, start, type CallOptions } from '../support/start.ts'

const rotate = '/api/sticky/rotate/5002/us1/abc'
const noAccept = { headers: { accept: undefined } }

async function setUp(scenario: object = small, tls?: { cert: string; key: string }) {
  const simulator = await start({ scenario, ...(tls && { tls }) })
  const { admin } = simulator
  const call = (method: string, path: string, options: CallOptions = {}) =>
    simulator.call(method, path, options).catch(() => undefined)
  const findings = async () => (await admin<Finding[]>('GET', '/findings')).json
  return {
    ...simulator,
    admin,
    call,
    findings,
    addFault: (operation: string, fault: object) =>
      admin('POST', '/faults?account=reseller', { operation, times: 1, ...fault }),
    get: (path: string, headers: CallOptions['headers'] = {}) => call('GET', path, { headers }),
    order: (options: CallOptions = {}) =>
      call('POST', '/api/product/101', { body: { clientid: 11 }, ...options }),
    update: (body: object = { update_list: 'true' }) => call('PUT', '/api/service/5001', { body }),
    advance: async (by: string) =>
      expect((await admin('POST', '/clock/advance?account=reseller', { by })).status).toBe(200),
    /** Names, and the ids of the requests that show them */
    found: async () =>
      (await findings()).map(({ finding, requests }) => [finding, ...requests.map(({ id }) => id)].join(' ')),
  }
}

type Client = Awaited<ReturnType<typeof setUp>>

/** Makes two calls at the same time. Both are refused, the second one later. */
async function throttleBoth({ admin, addFault, get }: Client, first: string, second: string): Promise<void> {
  await admin('PUT', '/clock?account=reseller', { frozen: false })
  await addFault('getCredit', retryAfter(429, first))
  await addFault('getCredit', { ...retryAfter(429, second), delay: 400 })
  await Promise.all([get(credit), get(credit)])
}

/** Places an order that is paid, but whose response is lost. */
async function lose({ addFault, order }: Client, how: object = { drop: 'reset' }): Promise<void> {
  await addFault('orderService', { phase: 'after', ...how })
  await order()
}

/** Steps of a client, by name. Other steps are `PT1H`, which advances the clock, and paths, which are fetched. */
const steps: Record<string, (client: Client) => Promise<unknown>> = {
  order: ({ order }) => order(),
  orderBound: ({ order }) => order({ body: { clientid: 11, setip: '192.0.2.44' } }),
  orderOfClient: ({ order }) => order({ body: { clientid: 12 } }),
  orderOfAnother: async ({ admin, order }) => {
    await admin('PATCH', '/accounts/other', { credit: 100 })
    await order({ login: 'other' })
  },
  allowUnknown: ({ admin }) =>
    admin('PATCH', '/accounts/reseller', { assumptions: { unknownService: 'empty' } }),
  dropOrder: ({ addFault }) => addFault('orderService', { drop: 'reset' }),
  lose: (client) => lose(client),
  loseEnd: (client) => lose(client, { drop: 'truncate' }),
  loseBy502: (client) => lose(client, { respond: { status: 502 } }),
  loseList: ({ addFault }) => addFault('listServices', { phase: 'after', drop: 'truncate' }),
  throttle: ({ addFault }) => addFault('getCredit', retryAfter(429, '2')),
  throttleTogether: (client) => throttleBoth(client, '60', '60'),
  throttleDifferently: (client) => throttleBoth(client, '60', '1'),
  overload: ({ addFault }) => addFault('getCredit', retryAfter(503, 'Thu, 15 Jan 2026 12:00:02 GMT')),
  loseThrottle: ({ addFault }) => addFault('getCredit', { ...retryAfter(429, '2'), drop: 'truncate' }),
  update: ({ update }) => update(),
  bind: ({ update }) => update({ setip: '192.0.2.45' }),
  forceThrottle: ({ addFault }) => addFault('updateService', { respond: 'update-list-throttled' }),
  dropUpdate: ({ addFault }) => addFault('updateService', { phase: 'after', drop: 'truncate' }),
  dropRotation: ({ addFault }) => addFault('rotateStickySession', { drop: 'reset' }),
  loseRotation: async ({ addFault, get }) => {
    await addFault('rotateStickySession', { phase: 'after', drop: 'reset' })
    await get(rotate)
  },
  rotate: ({ get }) => get(rotate),
  prefetchTtl: ({ get }) => get(`${ttl}/15`, { purpose: 'prefetch' }),
  rotateTogether: ({ get }) => together(() => get(rotate)),
  updateTogether: ({ update }) => together(() => update()),
  readTogether: ({ get }) => together(() => get(credit)),
  readAlone: ({ get }) => get(credit, { connection: 'close' }),
  refuse: ({ get }) => get(missing),
  refuseAlone: ({ get }) => get(missing, { connection: 'close' }),
  rotateAlone: ({ get }) => get(rotate, { connection: 'close' }),
  orderAlone: ({ order }) => order({ headers: { connection: 'close' } }),
  refuseTogether: ({ get }) => together(() => get(missing)),
  intrude: ({ call }) => call('GET', '/api/clients', { login: 'reseller:guess' }),
  orderByIntruder: ({ call }) =>
    call('POST', '/api/product/101', { login: 'reseller:guess', body: { clientid: 11 } }),
  orderOthersByIntruder: async ({ call }) => {
    for (const clientid of [12, 13])
      await call('POST', '/api/product/101', { login: 'reseller:guess', body: { clientid } })
  },
  anonymously: ({ call }) => call('GET', '/api/clients', { login: null }),
  orderOfNobody: ({ order }) => order({ body: { clientid: 99 } }),
  orderOfNobodyElse: ({ order }) => order({ body: { clientid: 98 } }),
  orderWithIp: ({ order }) => order({ body: { clientid: 11, ip: '192.0.2.44' } }),
  orderOfNobodyWithIp: ({ order }) => order({ body: { clientid: 99, ip: '192.0.2.44' } }),
  forceRefusal: ({ addFault }) => addFault('getCredit', { respond: 'unauthenticated' }),
  hurry: ({ admin }) => admin('PUT', '/clock?account=reseller', { frozen: false, rate: 100_000 }),
  change: ({ admin }) => admin('PATCH', '/accounts/reseller', { credit: 90 }),
  conditionally: async ({ get }) => {
    for (const path of ['/api/clients', '/api/sticky/rotate/5002/us1/nobody'])
      await get(path, { 'if-none-match': '"x"' })
  },
  plainPassword: ({ update }) => update({ password: 'not encoded!' }),
  passwords: async ({ update }) => {
    for (const password of ['password', 'secret', 'abcd', 'Tr0ub4dor&3', '12345678'])
      await update({ password: btoa(password) })
  },
  noAccept: ({ call }) => call('GET', '/api/clients', noAccept),
  save: ({ admin }) => admin('POST', '/snapshots'),
  restore: async ({ admin }) => {
    const { json } = await admin<{ id: string }[]>('GET', '/snapshots')
    await admin('POST', `/snapshots/${json.at(-1)?.id}/restore`)
  },
  rewind: async ({ admin }) => {
    expect((await admin('POST', '/requests/1/rewind')).status).toBe(200)
    await admin('DELETE', '/faults?account=reseller')
  },
}

const retryAfter = (status: number, value: string): object => ({
  respond: { status, headers: { 'Retry-After': value } },
})

const [services, credit] = ['/api/services', '/api/billing/credit']
const missing = '/api/service/9999'

/** Sends a request three times at once. */
const together = (send: () => Promise<unknown>) => Promise.all([send(), send(), send()])

const [ttl, reset] = ['/api/sticky/changettl/5002', '/api/sticky/resetall/5002']

const table: [what: string, does: string, ...found: string[]][] = [
  [
    'no findings for a client that follows the documentation',
    `/api/products order order ${rotate} ${reset} update`,
  ],
  [
    'ordered-twice: repeated after the response was truncated',
    `loseEnd order ${services}`,
    'ordered-twice 1 2',
  ],
  [
    'ordered-twice: repeated after the response was replaced',
    `loseBy502 order ${services}`,
    'ordered-twice 1 2',
  ],
  ['ordered-twice: repeated with another address', `lose orderBound ${services}`, 'ordered-twice 1 2'],
  [
    'none for an order that is repeated after a list showed the first one',
    `lose ${services} order lose /api/billing/invoices order`,
  ],
  ['none if the first order was not paid', 'dropOrder order order'],
  [
    'none for orders for another client or by another account',
    `lose ${services} orderOfClient orderOfAnother`,
  ],
  ['none if a restored snapshot undid the order', `save lose ${services} restore order`],
  ['none if a rewind undid the order', `lose ${services} rewind order`],
  ['order-lost: the response was lost', 'lose', 'order-lost 1'],
  [
    'order-lost: a list that shows the order was truncated, too',
    `loseEnd loseList ${services} HEAD`,
    'order-lost 1',
  ],
  [
    'order-lost: its id was requested before the order',
    'allowUnknown /api/service/5003 lose',
    'order-lost 2',
  ],
  ['findings for several orders', `lose orderOfClient /api/service/5003 loseEnd`, 'order-lost 4'],
  ['none if the client reads the service', 'lose /api/service/5003'],
  ['none if the client reads the invoice', 'lose /api/billing/invoice/9002'],
  ['none if the client lists the invoices', 'lose /api/billing/invoices'],
  [
    'retry-after-ignored: called before Retry-After has passed',
    `throttle ${credit} ${credit}`,
    'retry-after-ignored 1 2',
  ],
  [
    'retry-after-ignored: Retry-After is a date',
    `overload ${credit} PT1S ${credit}`,
    'retry-after-ignored 1 2',
  ],
  [
    'none for a call after Retry-After, or of another operation',
    `throttle ${credit} ${services} PT2S ${credit}`,
  ],
  ['none for calls that were under way at the same time', 'throttle readTogether'],
  [
    'retry-after-ignored: called on another connection at once',
    'throttle readAlone readAlone',
    'retry-after-ignored 1 2',
  ],
  [
    'none if one of the refusals that were under way at the same time allows the call',
    'throttleTogether PT59.7S readAlone',
  ],
  [
    'retry-after-ignored: none of these refusals allows the call',
    'throttleTogether PT50S readAlone',
    'retry-after-ignored 1 3',
  ],
  [
    'retry-after-ignored: a much shorter wait under way at the same time allows nothing',
    'throttleDifferently PT2S readAlone',
    'retry-after-ignored 1 3',
  ],
  ['none if the response with Retry-After never arrived', `loseThrottle ${credit} ${credit}`],
  ['none for the first 429', 'update update'],
  [
    'throttle-ignored: updated before the time in the 429',
    'update update PT30M update',
    'throttle-ignored 2 3',
  ],
  ['throttle-ignored: a fault caused the 429', 'forceThrottle update update', 'throttle-ignored 1 2'],
  ['none if the 429 never arrived', 'update dropUpdate update update'],
  ['none for updates that were under way at the same time', 'update updateTogether'],
  ['none for an update after that time, or of another field', 'update update bind PT1H update'],
  ['unsafe-get: a rotation is repeated within a second', 'rotate rotate', 'unsafe-get 1 2'],
  ['none for a TTL that is already set', `${ttl}/15 ${ttl}/15`],
  ['unsafe-get: a change of the TTL as a prefetch', `${ttl}/10 prefetchTtl`, 'unsafe-get 2'],
  ['none if the response to the first rotation was lost', 'loseRotation rotate'],
  ['unsafe-get: a reset is repeated', `${reset} ${reset}`, 'unsafe-get 1 2'],
  ['none for a rotation after more than a second of the account’s clock', 'rotate PT2S rotate'],
  ['unsafe-get: a rotation is repeated after exactly a second', 'rotate PT1S rotate', 'unsafe-get 1 2'],
  ['none if the first rotation changed nothing', 'dropRotation rotate rotate'],
  [
    'none for calls that can’t change anything',
    '/api/sticky/resetall/5001 /api/sticky/resetall/5001 conditionally',
  ],
  ['none for rotations that were under way at the same time', 'readTogether rotateTogether'],
  ['unsafe-get: repeated beside other open connections', 'readTogether rotate rotate', 'unsafe-get 4 5'],
  ['none for another path', `${ttl}/10 ${ttl}/15`],
  ['password-not-encoded: not base64', 'plainPassword', 'password-not-encoded 1'],
  ['none for passwords that were encoded once', 'passwords'],
  ['refusal-repeated: a third time', 'refuse refuse refuse', 'refusal-repeated 1 2 3'],
  ['refusal-repeated: with wrong credentials', 'intrude intrude intrude', 'refusal-repeated 1 2 3'],
  ['refusal-repeated: without credentials', 'anonymously anonymously anonymously', 'refusal-repeated 1 2 3'],
  [
    'refusal-repeated: an order with wrong credentials',
    'orderByIntruder orderOthersByIntruder orderByIntruder orderByIntruder',
    'refusal-repeated 1 4 5',
  ],
  [
    'refusal-repeated: an order',
    'orderOfNobody orderOfNobodyElse orderOfNobody order orderOfNobody orderOfNobody orderOfNobody',
    'refusal-repeated 5 6 7',
  ],
  ['none if the account changed in between', 'refuse change refuse refuse intrude intrude throttle intrude'],
  ['none after more than a minute of the account’s clock', 'hurry refuse refuse refuse'],
  ['none if the refusals were under way at the same time', 'refuseTogether'],
  [
    'none for other requests and refusals',
    'orderOfNobody orderOfNobodyElse orderOfNobody intrude /api/sticky/list/9999 /api/sticky/list/9999 /api/sticky/list/9999',
  ],
  [
    'none for a request that was forced to fail twice',
    `forceRefusal ${credit} forceRefusal ${credit} ${credit}`,
  ],
  ['unknown-field: the address of an order, twice', 'orderWithIp orderWithIp', 'unknown-field 1 2'],
  ['none for an unknown field in a request that was refused', 'orderOfNobodyWithIp'],
  ['header-missing: before and after a restore', 'save noAccept restore noAccept', 'header-missing 1 2'],
  ['refusal-repeated: on a connection each', 'refuseAlone refuseAlone refuseAlone', 'refusal-repeated 1 2 3'],
  ['unsafe-get: on a connection each', 'rotateAlone rotateAlone', 'unsafe-get 1 2'],
  ['ordered-twice: on a connection each', `lose orderAlone ${services}`, 'ordered-twice 1 2'],
]

test('every finding has a row in this table', () => {
  const tested = table.flatMap(([, , ...found]) => found.map((one) => one.split(' ', 1)[0]))
  expect(Object.keys(findingRules).filter((name) => !tested.includes(name))).toEqual([])
})

async function follow(does: string, tls?: { cert: string; key: string }): Promise<string[]> {
  const client = await setUp(two, tls)
  for (const step of does.split(' '))
    if (step.startsWith('/')) await client.get(step)
    else if (step === 'HEAD') await client.call('HEAD', services)
    else if (step.startsWith('PT')) await client.advance(step)
    else await (steps[step] as (by: Client) => Promise<unknown>)(client)
  return client.found()
}

test.each(table)('%s', async (_what, does, ...expected) => {
  expect(await follow(does)).toEqual(expected)
})

const overTls = table.filter(([what]) => /on a connection each|rotations .* at the same time/.test(what))
test.each(overTls)('%s, over TLS, whose handshakes take time', async (_what, does, ...expected) => {
  expect(await follow(does, createCertificate())).toEqual(expected)
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
    { finding: 'unsafe-get', message: expect.stringContaining(`was fetched ${how}.`) },
  ])
})

test.each(['x', 'käse', 'Tr0ub4dor&3', 'hunter2 is my password'])(
  'finds a password that was encoded twice: %s',
  async (password) => {
    const { update, findings } = await setUp()
    await update({ password: btoa(Buffer.from(password).toString('base64')) })
    expect(await findings()).toMatchObject([
      { finding: 'password-not-encoded', message: expect.stringContaining('twice') },
    ])
  },
)

test.each([false, true])(
  'finds an order that is repeated after the client’s timeout (with another in between: %s)',
  async (withOthers) => {
    const simulator = await setUp()
    const { addFault, url, authorization, order, found } = simulator
    await addFault('orderService', { phase: 'after', delay: 1000 })
    const ordered = waitForEvent(simulator, 'request')
    const headers = {
      authorization: authorization(),
      'content-type': 'application/json',
      accept: 'application/json',
    }
    const waiting = request(`${url}/api/product/101`, { method: 'POST', headers })
    waiting.on('error', () => {})
    waiting.end('{"clientid":11}')
    await ordered
    if (withOthers) {
      await addFault('orderService', { delay: 50 })
      await order()
    }
    waiting.destroy()
    await order()
    await expect.poll(found).toEqual([withOthers ? 'ordered-twice 1 3' : 'ordered-twice 1 2'])
  },
)

test('no finding for an order that appears in a delayed list', async () => {
  const client = await setUp()
  await client.addFault('listServices', { phase: 'before', delay: 500 })
  const listing = client.get(services)
  const used = async () =>
    (await client.admin<{ used: number }[]>('GET', '/faults?account=reseller')).json[0]?.used
  await expect.poll(used).toBe(1)
  await lose(client)
  expect((await listing)?.text).toContain('"service_id":5002')
  expect(await client.found()).toEqual([])
})

test('findings describe the mistake and give advice, worst first', async () => {
  const client = await setUp()
  const { get, call, update, order, findings } = client
  await call('GET', '/api/clients', noAccept)
  await get('/api/clients', { accept: '*/*;q=0.8' })
  await get('/api/clients', { accept: 'application/*' })
  await get('/api/products', { 'content-type': undefined })
  await get('/api/services', {
    accept: 'text/html, application/json;q=0.9',
    'content-type': 'application/json; charset=utf-8',
  })
  await update({ password: 'not encoded!' })
  await lose(client)
  await order()
  await get(rotate, { purpose: 'prefetch' })
  expect(await findings()).toMatchObject([
    {
      finding: 'ordered-twice',
      severity: 'high',
      account: 'reseller',
      operation: 'orderService',
      message: expect.stringMatching(/^POST \/api\/product\/101 was sent again .* ordered twice\.$/),
      advice: expect.stringMatching(/^The API has no idempotency key/),
      requests: [
        { id: 7, method: 'POST', path: '/api/product/101', time: '2026-01-15T12:00:00.000Z', status: null },
        { id: 8, status: 200 },
      ],
    },
    { finding: 'unsafe-get', message: expect.stringContaining('was fetched as a prefetch.') },
    { finding: 'password-not-encoded', severity: 'medium', operation: 'updateService' },
    {
      finding: 'header-missing',
      severity: 'low',
      operation: null,
      message: expect.stringContaining(
        'The client called listClients without Accept: application/json, and listProducts without Content-Type: application/json.',
      ),
      requests: [{ id: 1 }, { id: 4 }],
    },
  ])
})

test.each([
  [
    '/api/billing/credit',
    / The credit that was read afterwards shows that an order was placed, but not which\.$/,
  ],
  ['/api/clients', /no later response showed service 5003, order 7003, invoice 9002\.$/],
])('an order that is unknown after %s', async (path, message) => {
  const client = await setUp()
  await client.get('/api/billing/credit')
  await lose(client)
  await client.get(path)
  expect(await client.findings()).toMatchObject([{ message: expect.stringMatching(message) }])
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
        'without Accept: application/json and Content-Type: application/json.',
      ),
    },
  ])
  await admin('POST', '/reset')
  expect(await found()).toEqual([])
})

test.each(['reset', 'empty', 'truncate'])(
  'orders sent at the same time are not repeats of one whose response is lost (%s)',
  async (drop) => {
    const { addFault, order, found } = await setUp()
    await addFault('orderService', { phase: 'after', drop })
    await Promise.all([order(), order(), order()])
    expect(await found()).toEqual([expect.stringMatching(/^order-lost \d$/)])
  },
)
