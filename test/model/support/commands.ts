import * as fc from 'fast-check'
import { expect } from 'vitest'
import { filled, generated, type Account, type Entry, type Fault, type Patch } from './Account.ts'
import { agree, type Model } from './Model.ts'
import {
  advanced,
  cents,
  durationOf,
  end,
  lastId,
  nowOf,
  operations,
  patched,
  refused,
  scheduled,
  settled,
  strike,
} from './rules.ts'
import type { Answer, Subject } from './Subject.ts'
import { wildPatches } from './wild.ts'

type Act = (model: Model, real: Subject) => Promise<void>

/** One step, after which all that must hold is looked at. */
class Step implements fc.AsyncCommand<Model, Subject> {
  readonly #name: string
  readonly #act: Act

  constructor(name: string, act: Act) {
    this.#name = name
    this.#act = act
  }

  check = (): boolean => true

  async run(model: Model, real: Subject): Promise<void> {
    real.steps++
    await this.#act(model, real)
    await agree(model, real)
  }

  toString = (): string => this.#name
}

const of = fc.constantFrom
/** Steps of one kind, for whatever is drawn. */
const step = <T>(name: string, drawn: fc.Arbitrary<T>, act: (value: T) => Act) =>
  drawn.map((value) => new Step(`${name} ${JSON.stringify(value)}`, act(value)))

const logins = of('reseller', 'reseller', 'reseller', 'ana', 'new', 'two')
const serviceIds = of(...Array.from({ length: 9 }, (_, i) => String(5001 + i)))
const wrongIds = of(
  '9',
  '0',
  '-1',
  '1.5',
  '05001',
  '0x1389',
  'abc',
  '%00',
  '__proto__',
  '99999999999999999999',
)
const ids = (right: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrongIds })
const id = ids(serviceIds)
const pid = ids(of('101', '102', '103', '201', '202'))
const ips = of(
  '192.0.2.1',
  '192.0.2.2',
  '192.0.2.3',
  '192.0.2.4',
  '203.0.113.5',
  '',
  '1.2.3',
  '01.2.3.4',
  '1.2.3.256',
)
const clientIds = of<unknown>(11, 11, 11, 12, 12, 99, -1, 0, 1.5, '11', null)
const optional = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(fields, { requiredKeys })

const templates: [
  operation: string,
  template: string,
  path?: Record<string, fc.Arbitrary<string>>,
  body?: fc.Arbitrary<unknown>,
][] = [
  ['listClients', 'GET clients'],
  ['getStats', 'GET stats/{id}', { id }],
  ['getRate', 'GET rate/{id}', { id }],
  ['getProduct', 'GET product/{pid}', { pid }],
  [
    'orderService',
    'POST product/{pid}',
    { pid },
    optional({ clientid: clientIds, setip: ips }, ['clientid']),
  ],
  ['orderService', 'POST product/{pid}', { pid }, fc.record({ clientid: of(11, 12) })],
  [
    'orderService',
    'POST product/{pid}',
    { pid: of('101', '201') },
    of<unknown>({}, [], { clientid: 11, setip: 5 }),
  ],
  ['listProducts', 'GET products'],
  [
    'listProductsOrderedBy',
    'GET products/orderby/{field}',
    { field: of('productId', 'productName', 'price', 'groupId', 'created_at', 'size') },
  ],
  ['getNetworkErrors', 'GET networkstatus/errors/{id}', { id }],
  ['getNetworkInactive', 'GET networkstatus/inactive/{id}', { id }],
  ['getCredit', 'GET billing/credit'],
  ['listInvoices', 'GET billing/invoices'],
  ['getInvoice', 'GET billing/invoice/{id}', { id: ids(of('9001', '9002', '9003')) }],
  ['getService', 'GET service/{id}', { id }],
  ['listServices', 'GET services'],
  ['updateService', 'PUT service/{id}', { id }, optional({ setip: ips })],
  [
    'updateService',
    'PUT service/{id}',
    { id },
    optional({
      setip: ips,
      update_list: of<unknown>('true', 'true', 'true', 'false', '', true),
      password: of<unknown>('cHc=', 'w7zDpA==', 'cHc', '!!', '', 'AAA=', 7),
    }),
  ],
  ['updateService', 'PUT service/{id}', { id }, of<unknown>({ update_list: 'true' }, [], undefined)],
  [
    'getIpList',
    'GET iplist/{typel}/{formatl}/{id}',
    {
      id,
      typel: of('http-ip', 'socks-ip', 'http-auth', 'ppr-http', 'ppr-socks', 'ftp'),
      formatl: of('csv', 'txt', 'json', 'xml'),
    },
  ],
  ['listStickySessions', 'GET sticky/list/{id}', { id }],
  [
    'rotateStickySession',
    'GET sticky/rotate/{id}/{server}/{session}',
    { id: of('5003', '5004', '5001'), server: of('us1', 'de2'), session: of('abc', 'def') },
  ],
  ['changeStickyTtl', 'GET sticky/changettl/{id}/{ttl}', { id, ttl: of('1', '5', '15', '4', 'x') }],
  ['resetStickySessions', 'GET sticky/resetall/{id}', { id }],
]

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
type Credentials = 'password' | 'token' | 'wrong' | 'none' | 'bearer' | 'no colon'

/** The Authorization header, and how it is refused where no account is looked at. */
function authorization(login: string, account: Account | undefined, how: Credentials) {
  const { password = 'secret', tokens = [] } = account ?? {}
  if (how === 'none') return { name: 'unauthenticated' as const }
  if (how === 'bearer') return { header: 'Bearer abc', name: 'invalid-authorization-header' as const }
  if (how === 'no colon') return { header: basic('reseller'), name: 'invalid-credentials-format' as const }
  const secret = how === 'wrong' ? `${password}?` : how === 'token' ? (tokens.at(-1) ?? password) : password
  return {
    header: basic(`${login}:${secret}`),
    name: how === 'wrong' || !account ? ('unauthenticated' as const) : undefined,
  }
}

interface Call {
  login: string
  how: Credentials
  operation: string
  method: string
  url: string
  path: Record<string, string>
  body: unknown
}

const calls: fc.Arbitrary<Call> = fc
  .tuple(
    logins,
    of<Credentials>(
      ...Array<'password'>(20).fill('password'),
      'token',
      'token',
      'wrong',
      'none',
      'bearer',
      'no colon',
    ),
    of(...templates),
  )
  .chain(([login, how, [operation, template, path = {}, body = of(undefined)]]) =>
    fc.record({ path: fc.record(path), body }).map((drawn) => {
      const [method = '', url = ''] = template.split(' ')
      const filledIn = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => drawn.path[name] ?? '')
      return { login, how, operation, method, url: `/api/${filledIn}`, ...drawn }
    }),
  )

/** A request of the API: what it must give, faults included, and what the journal tells of it. */
const request = step(
  '',
  calls,
  ({ login, how, operation, method, url, path, body }) =>
    async (model, real) => {
      const account = model.account(login)
      const { header, name } = authorization(login, account, how)
      const answer = await real.call(method, url, body, header === undefined ? {} : { authorization: header })
      const { requests } = (await real.admin('GET', '/requests?limit=1')).body as {
        requests: { id: number; account: string | null }[]
      }
      const [entry] = requests
      const identified = name === undefined ? login : null
      expect(entry, 'the journal has the request').toMatchObject({
        operation,
        method,
        account: identified,
        ...(answer && { status: answer.status }),
      })
      if (!account || name !== undefined) return expectAnswer(answer, refused(name ?? 'unauthenticated'))
      model.marks.push({
        id: entry?.id ?? 0,
        login,
        load: model.state.loads[login] ?? 0,
        before: structuredClone(account),
      })
      const fault = strike(account, operation)
      const isDone = fault?.phase !== 'before'
      const after = structuredClone(account)
      const expected = isDone ? operations[operation]?.(after, path, body) : undefined
      model.set(login, settled(after))
      if (!fault) return expectAnswer(answer, expected ?? refused('unprocessable'))
      if (fault.drop) return expect(answer, 'the fault drops the connection').toBeUndefined()
      expect(answer).toMatchObject(fault.respond as object)
    },
)

function expectAnswer(
  answer: Answer | undefined,
  expected: { status: number; body: unknown; case?: string },
): void {
  const { status = 0, body } = answer ?? {}
  const given = { status, body, ...(answer && status >= 400 && { case: answer.headers.get('sim-case') }) }
  expect(given).toEqual(filled(expected, given))
}

/** A change of an account by the control plane: what it must become, or undefined if it must be refused. */
const control = <T>(
  name: string,
  drawn: fc.Arbitrary<T>,
  send: (value: T, at: string, real: Subject) => Promise<Answer>,
  rule: (account: Account, value: T) => Account | undefined,
) =>
  step(name, fc.tuple(logins, drawn), ([login, value]) => async (model, real) => {
    const account = model.account(login)
    const { status, text } = await send(value, `?account=${login}`, real)
    if (!account) return expect(status, text).toBe(404)
    const after = rule(structuredClone(account), value)
    expect(status < 300, `${status} ${text}`).toBe(after !== undefined)
    if (!after) expect(status, text).toBe(400)
    else model.set(login, after)
  })

const patch = (name: string, drawn: fc.Arbitrary<Patch>) =>
  control(
    name,
    drawn,
    (value, at, real) => real.admin('PATCH', `/accounts/${at.slice('?account='.length)}`, value),
    (account, value) => {
      const after = patched(account, value)
      return after && settled(after)
    },
  )

const usd = fc.oneof(
  fc.integer({ min: 0, max: 5000 }).map((amount) => amount / 100),
  of(0, 100, -1, 0.001),
)
const statuses = of('Active', 'Active', 'Suspended', 'Terminated', 'Pending')
const tameParts: Record<string, fc.Arbitrary<unknown>> = {
  credit: usd,
  tokens: fc.uniqueArray(of('tok_a', 'tok_b')),
  limits: optional({
    updateListInterval: of(0, 1, 600),
    activation: of(null, 0, 60),
    payment: of(null, 0, 30),
  }),
  assumptions: optional({
    productSort: of('asc', 'desc'),
    unknownSortField: of('unprocessable', 'ignore'),
    updateResult: of('requested', 'all'),
    inactiveTtlBody: of('none', 'array'),
    orderedService: of('Active', 'Pending'),
    orderedInvoice: of('Paid', 'Unpaid', 'Payment Pending', 'Pending'),
    unknownInvoice: of('empty', 'unprocessable'),
    unknownService: of('unprocessable', 'empty'),
    geo: of('code', 'object'),
    hiddenProducts: of('unlisted', 'listed'),
    rebindOwn: of('allowed', 'refused'),
    emptyBind: of('absent', 'empty'),
    usageOfFpr: of('unprocessable', 'empty'),
  }),
  clients: fc.dictionary(of('12', '13'), of({ email: 'x@example.com' }, null), { minKeys: 1 }),
  products: fc.dictionary(
    of('101', '103', '201'),
    fc.oneof(
      usd.map((price) => ({ price })),
      of(null),
    ),
    { minKeys: 1, maxKeys: 1 },
  ),
  invoices: fc.dictionary(
    of('9001', '9002'),
    fc.oneof(
      of('Paid', 'Unpaid', 'Refunded').map((status) => ({ status })),
      of(null),
    ),
    { minKeys: 1 },
  ),
  services: fc.dictionary(
    serviceIds,
    fc.oneof(
      statuses.map((status) => ({ status })),
      statuses.map((status) => ({ status })),
      fc.oneof(ips, of(null)).map((bindedip) => ({ bindedip })),
      fc.record({ client: of(11, 99), product: of(101, 201, 999) }),
      of(null),
    ),
    { minKeys: 1, maxKeys: 2 },
  ),
}
/** Of parts that have nothing to do with each other: what a new service takes of a new product is a question of its own. */
const tame = fc
  .subarray(Object.keys(tameParts), { minLength: 1, maxLength: 2 })
  .map((names) => (names.includes('services') ? names.filter((name) => name !== 'products') : names))
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, tameParts[name] as fc.Arbitrary<unknown>]))),
  )

const durations = of('PT0S', 'PT1S', 'PT30S', 'PT1M', 'PT10M', 'PT1H', 'P1D', 'P40D')
const added = fc.oneof(
  fc
    .dictionary(serviceIds, fc.record({ usage: of(1, 120) }), { minKeys: 1, maxKeys: 2 })
    .map((services) => ({ services })),
  of({ credit: 5 }, { credit: -20 }),
)
const timed = { status: tameParts['services'], credit: tameParts['credit'] }
const entries = fc
  .tuple(
    fc.oneof(
      durations.map((after) => ({ after })),
      of({ at: '2026-01-16T00:00:00Z' }, { at: '2025-01-01T00:00:00Z' }),
    ),
    fc.oneof(
      (timed.status as NonNullable<typeof timed.status>).map((services) => ({ patch: { services } })),
      (timed.credit as NonNullable<typeof timed.credit>).map((credit) => ({ patch: { credit } })),
      added.map((add) => ({ add })),
    ),
    fc.oneof(
      { weight: 2, arbitrary: of({}) },
      {
        weight: 1,
        arbitrary: durations.filter((one) => one !== 'PT0S').map((every) => ({ every, times: 3 })),
      },
      { weight: 1, arbitrary: of({ description: 'told' }, { times: 2 }) },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Omit<Entry, 'id' | 'at'>)

const schedule = control(
  'POST /timeline',
  entries,
  (entry, at, real) => real.admin('POST', `/timeline${at}`, entry),
  (account, entry) => scheduled(account, entry)?.account,
)

const faults = fc
  .record({
    operation: of('*', 'orderService', 'updateService', 'getCredit', 'rotateStickySession', 'nobody'),
    phase: of<'before' | 'after'>('before', 'after'),
    effect: of(
      { drop: 'empty' as const },
      { drop: 'reset' as const },
      { respond: { status: 503, body: { error: 'forced' } } },
    ),
    times: of(1, 2),
    after: of(0, 1),
  })
  .map(({ effect, ...rest }) => ({ ...rest, ...effect }))
const fault = control(
  'POST /faults',
  faults,
  (one, at, real) => real.admin('POST', `/faults${at}`, one),
  (account, one) => {
    if (one.operation === 'nobody' || account.next.fault >= lastId) return undefined
    const named = { ...one, id: account.next.fault++, seen: 0, used: 0 } as Fault
    return { ...account, faults: [...account.faults, named] }
  },
)
const clear = control(
  'DELETE',
  of('/faults', '/timeline'),
  (path, at, real) => real.admin('DELETE', path + at),
  (account, path) => ({ ...account, [path.slice(1)]: [] }),
)

const advance = control(
  'advance',
  fc.oneof(durations, durations, of('x', '-PT1H', 'PT')),
  (by, at, real) => real.admin('POST', `/clock/advance${at}`, { by }),
  (account, by) => {
    const to = nowOf(account) + durationOf(by)
    return by.startsWith('P') && by !== 'PT' && to <= end ? advanced(account, to) : undefined
  },
)
const setClock = control(
  'PUT /clock',
  of({ now: '2026-01-15T12:00:00Z' }, { now: '2026-01-20T00:00:00Z' }, { rate: 60 }, { rate: 0 }),
  (clock, at, real) => real.admin('PUT', `/clock${at}`, clock),
  (account, { now, rate = account.clock.rate }: { now?: string; rate?: number }) => {
    const to = now === undefined ? nowOf(account) : Date.parse(now)
    if (to < nowOf(account) || rate <= 0) return undefined
    return advanced({ ...account, clock: { ...account.clock, rate } }, to)
  },
)

/** Whatever a wild patch makes, it is only of what it names. */
const wild = step('wild patch', wildPatches, (value) => async (model, real) => {
  const account = model.account('reseller')
  const { status, text } = await real.admin('PATCH', '/accounts/reseller', value)
  if (!account) return expect(status, text).toBe(404)
  expect([200, 400], text).toContain(status)
  if (status === 400) return
  const after = { ...account, next: generated } as unknown as Record<string, unknown>
  for (const [key, part] of Object.entries(value)) {
    const isRecords = ['clients', 'products', 'services', 'invoices'].includes(key) && part
    after[key] = isRecords
      ? { ...(after[key] as object), ...Object.fromEntries(Object.keys(part).map((one) => [one, generated])) }
      : generated
  }
  if ('clock' in value)
    Object.assign(after, {
      services: generated,
      timeline: generated,
      history: generated,
      credit: generated,
      invoices: generated,
    })
  if ('assumptions' in value) after['limits'] = generated
  model.set('reseller', after as unknown as Account)
  if (!('faults' in value)) return
  await agree(model, real)
  await real.admin('DELETE', '/faults?account=reseller')
  model.set('reseller', { ...(model.account('reseller') as Account), faults: [] })
})

const create = step(
  'POST /accounts',
  of<{ login: string; scenario?: string }>(
    { login: 'new' },
    { login: 'two' },
    { login: 'ana' },
    { login: 'a:b' },
    { login: 'x', scenario: 'nothing' },
  ),
  (body) => async (model, real) => {
    const isTaken = model.account(body.login) !== undefined
    const answer = await real.admin('POST', '/accounts', body)
    const hasModel = Object.keys(model.state.scenario).length > 0
    const expected = body.login === 'a:b' ? 400 : isTaken ? 409 : body.scenario ? 404 : hasModel ? 201 : 400
    expect(answer.status, answer.text).toBe(expected)
    if (expected !== 201) return
    const { password, token } = answer.body as { password: string; token: string }
    model.state.created[body.login] = { password, token }
    model.place(body.login, settled(model.original(body.login) as Account))
  },
)

const remove = step('DELETE /accounts', logins, (login) => async (model, real) => {
  const { status } = await real.admin('DELETE', `/accounts/${login}`)
  expect(status).toBe(model.account(login) ? 204 : 404)
  for (const part of ['accounts', 'created', 'loads'] as const) delete model.state[part][login]
})

const token = step('POST /tokens', logins, (login) => async (model, real) => {
  const { status, body } = await real.admin('POST', `/accounts/${login}/tokens`)
  const account = model.account(login)
  expect(status).toBe(account ? 201 : 404)
  if (account) account.tokens.push((body as { token: string }).token)
})

const resets = step(
  'reset',
  of<string | undefined>(undefined, 'reseller', 'ana', 'new'),
  (login) => async (model, real) => {
    const account = login === undefined ? undefined : model.account(login)
    const { status } = await real.admin('POST', login === undefined ? '/reset' : `/reset?account=${login}`)
    if (login === undefined) return model.load(model.state.scenario)
    const original = model.original(login)
    expect(status).toBe(!account ? 404 : original ? 200 : 400)
    if (!account || !original) return
    model.snapshots.set('before-load', { state: structuredClone(model.state), only: login })
    model.place(login, settled(original))
    forget(model, login)
  },
)

function forget(model: Model, login: string): void {
  model.marks.splice(0, model.marks.length, ...model.marks.filter((mark) => mark.login !== login))
}

const reload = step(
  'load the export',
  of('application/json', 'application/yaml'),
  (type) => async (model, real) => {
    const { text } = await real.admin('GET', '/scenario', undefined, { accept: type })
    expect(await real.admin('PUT', '/scenario', text, { 'content-type': type })).toMatchObject({
      status: 200,
    })
    model.load(model.state.accounts)
  },
)

const refusedLoad = step(
  'PUT /scenario',
  of(
    '{"accounts":{"x":{"credit":-1}}}',
    'a: [',
    '{"description":"x","accounts":{"x":{"password":"x","services":{"1":{"client":1,"product":2}}}}}',
  ),
  (text) => async (_model, real) => {
    expect(await real.admin('PUT', '/scenario', text)).toMatchObject({ status: 400 })
  },
)

const snapshot = step('POST /snapshots', of(''), () => async (model, real) => {
  const { status, body } = await real.admin('POST', '/snapshots')
  expect(status).toBe(201)
  model.snapshots.set((body as { id: string }).id, { state: structuredClone(model.state) })
})

const restore = step('restore', fc.nat(9), (n) => async (model, real) => {
  const [name, kept] = [...model.snapshots][n % (model.snapshots.size + 1)] ?? ['nothing']
  const { status } = await real.admin('POST', `/snapshots/${name}/restore`)
  expect(status).toBe(kept ? 200 : 404)
  if (!kept) return
  const { state, only } = structuredClone(kept)
  if (only === undefined) return model.replace(state, false)
  if (model.account(only)) model.snapshots.set('before-load', { state: structuredClone(model.state), only })
  model.place(only, state.accounts[only] as Account)
  if (state.created[only]) model.state.created[only] = state.created[only]
})

const rewind = step('rewind', fc.nat(99), (n) => async (model, real) => {
  const mark = model.marks[n % (model.marks.length || 1)]
  if (!mark) return
  const { status, text } = await real.admin('POST', `/requests/${mark.id}/rewind`)
  const isReached = model.state.loads[mark.login] === mark.load
  expect(status, text).toBe(isReached ? 200 : 409)
  if (isReached) model.set(mark.login, structuredClone(mark.before))
})

const empty = step('DELETE /requests', logins, (login) => async (model, real) => {
  const { status } = await real.admin('DELETE', `/requests?account=${login}`)
  expect(model.account(login) ? [204] : [204, 404]).toContain(status) // of a deleted account there may be some left
  forget(model, login)
})

const restart = step('restart', of(''), () => async (model, real) => {
  model.exported = undefined
  if (!(await real.restart())) return
  model.marks.length = 0
  model.snapshots.clear()
})

/** Every read has the same answer from the simulator that has loaded the export. */
const compare = step('ask both', logins, (login) => async (model, real) => {
  const account = model.account(login)
  if (!account) return
  await real.admin('DELETE', `/faults?account=${login}`)
  account.faults = []
  await agree(model, real)
  const all = [...Object.keys(account.services), 'abc'].flatMap((one) => [
    `service/${one}`,
    `stats/${one}`,
    `rate/${one}`,
    `sticky/list/${one}`,
    ...['http-auth/csv', 'ppr-http/txt', 'socks-ip/json'].map((list) => `iplist/${list}/${one}`),
  ])
  for (const path of [
    'clients',
    'products',
    'services',
    'billing/invoices',
    'products/orderby/productName',
    ...Object.keys(account.products).map((one) => `product/${one}`),
    ...all,
  ]) {
    const { header = '' } = authorization(login, account, 'password')
    const [here, there] = [
      await real.call('GET', `/api/${path}`, undefined, { authorization: header }),
      await real.other('GET', `/api/${path}`, undefined, { authorization: header }),
    ]
    expect([here?.status, here?.text], path).toEqual([there.status, there.text])
    expect(here?.status, here?.text).toBeLessThan(500)
  }
})

const orderPath = { path: '', calls: 8 }
/** Of those who want the last money or one address at once, nobody gets what another one got. */
const parallel = step(
  'at once',
  fc.record({ pid: of('101', '102', '201'), ip: of(undefined, '192.0.2.3', '203.0.113.5') }),
  ({ pid: product, ip }) =>
    async (model, real) => {
      const account = model.account('reseller')
      if (!account) return
      await real.admin('DELETE', '/faults?account=reseller')
      account.faults = []
      const { header = '' } = authorization('reseller', account, 'password')
      const asked = Array.from({ length: orderPath.calls }, (_, i) =>
        ip === undefined
          ? {
              operation: 'orderService',
              path: { pid: product },
              url: `product/${product}`,
              method: 'POST',
              body: { clientid: 11 },
            }
          : {
              operation: 'updateService',
              path: { id: String(5001 + i) },
              url: `service/${5001 + i}`,
              method: 'PUT',
              body: { setip: ip },
            },
      )
      const answers = await Promise.all(
        asked.map(async (one) => ({
          ...one,
          answer: await real.call(one.method, `/api/${one.url}`, one.body, { authorization: header }),
        })),
      )
      const idOf = ({ answer }: { answer: Answer | undefined }) =>
        (answer?.body as { serviceId?: number } | undefined)?.serviceId ?? 0
      const inOrder = answers.toSorted(
        (a, b) => (a.answer?.status ?? 0) - (b.answer?.status ?? 0) || idOf(a) - idOf(b),
      )
      let after = structuredClone(account)
      for (const { operation, path, body, answer } of inOrder) {
        const expected = operations[operation]?.(after, path, body)
        after = settled(after)
        expectAnswer(answer, expected ?? refused('unprocessable'))
      }
      expect(cents(after.credit)).toBeGreaterThanOrEqual(0)
      model.set('reseller', after)
    },
)

const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary })
export const steps = fc.oneof(
  often(60, request),
  often(12, patch('PATCH', tame)),
  often(10, wild),
  often(12, schedule),
  often(8, advance),
  often(2, setClock),
  often(5, fault),
  often(2, clear),
  often(8, rewind),
  often(3, create),
  often(2, remove),
  often(2, token),
  often(2, resets),
  often(2, reload),
  often(1, refusedLoad),
  often(2, snapshot),
  often(3, restore),
  often(1, empty),
  often(2, restart),
  often(2, compare),
  often(3, parallel),
)
