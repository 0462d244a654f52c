import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  connectSimulator,
  openSimulator,
  ScenarioError,
  SimulatorError,
  startSimulator,
  UserError,
  type ScenarioInput,
  type SimulatorHandle,
  type StartOptions,
} from 'proxysim'

const small: ScenarioInput = {
  description: 'One client, one product, ten dollars.',
  accounts: {
    reseller: {
      password: 'secret',
      credit: 10,
      clients: { 11: { email: 'ana@example.com' } },
      products: { 101: { productName: 'Static 10', price: 4, product_type: 'fpr', ip_count: 10 } },
    },
  },
}

test('each call in the reference is tested here', () => {
  const [reference = '', tests = ''] = ['../../docs/library.md', 'handle.test.ts'].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  )
  const names = [...reference.matchAll(/^### (?:[a-z]+\.)+(\w+)\(\)$/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !tests.includes(`.${name}(`))).toEqual([])
})

/** Sends a request as the client under test would. */
function get(sim: SimulatorHandle, path: string, authorization = sim.authorization()) {
  return fetch(`${sim.url}/api/${path}`, { headers: { authorization, ...json } })
}

const json = { accept: 'application/json', 'content-type': 'application/json' }

const order = (sim: SimulatorHandle) =>
  fetch(`${sim.url}/api/product/101`, {
    method: 'POST',
    headers: { authorization: sim.authorization(), ...json },
    body: '{"clientid":11}',
  })

test('orders, and sees requests, responses and changes', async () => {
  await using sim = await startSimulator({ scenario: small })
  expect(sim.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await order(sim)).status).toBe(200)
  const { requests, ...counts } = await sim.requests({ operation: 'orderService' })
  expect(counts).toEqual({ total: 1, dropped: 0, refused: { count: 0, last: [] } })
  const change = expect.objectContaining({ credit: 6 }) as object
  expect(requests[0]).toMatchObject({ operation: 'orderService', status: 200, case: null, change })
  expect((await sim.requests({ status: 422 })).total).toBe(0)
  expect((await sim.state()).credit).toBe(6)
  const { percent, covered, operations } = await sim.coverage()
  expect(covered).toBe(1)
  expect(percent).toBeGreaterThan(0)
  expect(operations.map(({ operation }) => operation)).toContain('orderService')
  expect(await sim.coverage('junit')).toContain('<testsuite')
  expect(await sim.coverage('markdown')).toContain('orderService')
  expect((await sim.har()).log).toHaveProperty('entries')
  expect(await sim.findings()).toEqual([])
  await sim.clearRequests()
  expect((await sim.requests()).total).toBe(0)
})

test('patches, resets and restores a snapshot', async () => {
  await using sim = await startSimulator({ scenario: small })
  await sim.patch({ credit: 0, assumptions: { productSort: 'desc' } })
  expect((await order(sim)).headers.get('sim-case')).toBe('insufficient-funds')
  const productSort = (await sim.assumptions()).find(({ id }) => id === 'productSort')
  expect(productSort).toMatchObject({ default: 'asc', alternatives: ['desc'], value: 'desc' })
  const empty = await sim.snapshot()
  expect((await sim.snapshots()).map(({ id }) => id)).toEqual([empty, 'before-load'])
  expect(await sim.reset()).toMatchObject({ accounts: ['reseller'] })
  expect((await order(sim)).status).toBe(200)
  await sim.restore(empty)
  expect((await sim.state()).credit).toBe(0)
})

test('knows the current password', async () => {
  await using sim = await startSimulator({ scenario: small })
  const before = sim.authorization('reseller')
  expect(Buffer.from(before.slice(6), 'base64').toString()).toBe('reseller:secret')
  await sim.patch({ password: 'a:b' })
  expect((await get(sim, 'clients')).status).toBe(200)
  expect((await get(sim, 'clients', before)).status).toBe(401)
  expect(await sim.rewind(1)).toEqual({ account: 'reseller', version: 2 })
  await expect(sim.rewind(99)).rejects.toMatchObject({ status: 404 })
  expect((await get(sim, 'clients')).status).toBe(200)
  await sim.load({ ...small, accounts: { other: { ...small.accounts?.['reseller'], password: 'new' } } })
  expect((await get(sim, 'clients')).status).toBe(200)
  expect(() => sim.authorization('reseller')).toThrow('No account "reseller" is known. Known: other.')
})

test('loads scenarios by name and by document, exports the state as a scenario, and reproduces a request', async () => {
  await using sim = await startSimulator()
  expect((await sim.scenarios()).map(({ name }) => name)).toContain('low-funds')
  expect((await sim.load('low-funds')).scenario).toBe('low-funds')
  expect((await sim.health()).scenario).toBe('low-funds')
  await sim.load(small)
  await order(sim)
  const exported = await sim.scenario()
  const { scenario, curl } = await sim.repro(1)
  expect(curl).toContain(`${sim.url}/api/product/101`)
  await sim.load('default')
  for (const [document, credit] of [[exported, 6] as const, [scenario, 10] as const]) {
    await sim.load(document)
    expect((await sim.state()).credit).toBe(credit)
  }
})

test('sets the clock, and schedules changes', async () => {
  await using sim = await startSimulator({ scenario: { ...small, clock: '2026-01-15T12:00:00Z' } })
  expect(await sim.clock.read()).toEqual({ now: '2026-01-15T12:00:00.000Z', frozen: true, rate: 1 })
  const { id } = await sim.schedule({ after: 'PT1H', patch: { credit: 1 } })
  expect((await sim.timeline()).timeline).toMatchObject([{ id, at: '2026-01-15T13:00:00.000Z' }])
  expect((await sim.clock.advance('PT1H')).now).toBe('2026-01-15T13:00:00.000Z')
  expect((await sim.state()).credit).toBe(1)
  const { id: removed } = await sim.schedule({ after: 'PT1H', patch: { credit: 2 } })
  await sim.unschedule(removed)
  expect((await sim.timeline()).timeline).toEqual([])
  await sim.schedule({ after: 'PT1H', patch: { credit: 2 } })
  await sim.clearTimeline()
  await sim.clock.sleep(1000)
  expect((await sim.clock.now()).toISOString()).toBe('2026-01-15T13:00:01.000Z')
  await sim.clock.set(new Date('2026-02-01T00:00:00Z'))
  expect(await sim.clock.now()).toEqual(new Date('2026-02-01T00:00:00Z'))
  expect((await sim.state()).credit).toBe(1)
  expect(await sim.clock.setRate(60)).toMatchObject({ rate: 60 })
  expect((await sim.clock.resume()).frozen).toBe(false)
  expect((await sim.clock.freeze()).frozen).toBe(true)
  for (const now of ['2026-01-01T00:00:00Z', undefined as never, new Date('soon'), 7 as never])
    await expect(sim.clock.set(now)).rejects.toMatchObject({ status: 400 })
})

test('adds faults, lists and removes them, and waits for requests', async () => {
  await using sim = await startSimulator({ scenario: small })
  await sim.fault({ operation: 'orderService', respond: 'insufficient-funds', times: 1 })
  const refused = { error: 'Unprocessed entity or not enough funds to order' }
  expect(await (await order(sim)).json()).toEqual(refused)
  expect(await sim.faults()).toMatchObject([{ operation: 'orderService', used: 1, exhausted: true }])
  await sim.clearFaults()
  expect(await sim.faults()).toEqual([])
  const { id } = await sim.fault('lost')
  await sim.removeFault(id)
  expect(await sim.faults()).toEqual([])
  await sim.fault({ operation: '*', respond: { status: 503, body: 'later' } })
  expect((await order(sim)).status).toBe(503)
  await sim.clearFaults()
  const waiting = sim.waitForRequests({ operation: 'getCredit', count: 2 })
  await get(sim, 'billing/credit')
  await get(sim, 'billing/credit')
  expect((await waiting).requests).toHaveLength(2)
  const never = sim.waitForRequests({ operation: 'getRate', timeout: 1 })
  await expect(never).rejects.toMatchObject({ status: 408 })
})

test('creates isolated accounts for tests', async () => {
  await using sim = await startSimulator({ scenario: small })
  const [one, two] = await Promise.all([sim.createAccount(), sim.createAccount({ login: 'two' })])
  await one.patch({ credit: 0 })
  await one.fault({ operation: 'listClients', drop: 'empty' })
  await two.clock.advance('P1D')
  await two.patch({ credit: 2 })
  expect((await get(sim, 'billing/credit', two.authorization)).status).toBe(200)
  expect(await (await get(sim, 'billing/credit', one.authorization)).json()).toEqual({ credit: 0 })
  expect(sim.authorization('two')).toBe(two.authorization)
  expect([(await one.requests()).total, (await sim.requests()).total]).toEqual([1, 2])
  expect(await sim.faults({ account: one.login })).toHaveLength(1)
  expect(await sim.accounts()).toHaveLength(3)
  await expect(sim.state()).rejects.toThrow('Several accounts exist')

  await one.reset()
  expect([(await one.state()).credit, await one.faults()]).toEqual([10, []])
  expect((await get(sim, 'clients', one.authorization)).status).toBe(200)
  expect((await sim.account('two').state()).credit).toBe(2)
  await sim.reset({ account: 'two' })
  expect((await two.state()).credit).toBe(10)

  const byToken = `Basic ${Buffer.from(`two:${await sim.token('two')}`).toString('base64')}`
  expect((await get(sim, 'clients', byToken)).status).toBe(200)
  await sim.deleteAccount(one.login)
  await two[Symbol.asyncDispose]()
  expect(await sim.accounts()).toHaveLength(1)
  expect((await get(sim, 'clients', byToken)).status).toBe(401)
})

test('disposing of an account that was deleted or lost succeeds; deleting it twice fails', async () => {
  await using sim = await startSimulator({ scenario: small })
  {
    await using deleted = await sim.createAccount()
    await deleted.delete()
    await expect(deleted.delete()).rejects.toMatchObject({ status: 404 })
    await using _lost = await sim.createAccount()
    await sim.load(small)
  }
  expect(await sim.accounts()).toHaveLength(1)
})

test('refuses invalid input with the reason, and changes nothing', async () => {
  await using sim = await startSimulator({ scenario: small })
  const refused = await sim.patch({ credit: -1 }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(SimulatorError)
  expect(refused).toMatchObject({ status: 400, details: [{ path: expect.stringContaining('credit') }] })
  const [unknown, empty] = ['low-fund', ''] as [string, string] // as if read from the environment
  await expect(sim.load(unknown)).rejects.toThrow('low-funds')
  const typo = { description: 'x', accounts: { a: { passwort: 'x' } as never } }
  await expect(sim.load(typo)).rejects.toMatchObject({ status: 400 })
  await expect(sim.restore('s99')).rejects.toMatchObject({ status: 404 })
  await expect(sim.load(empty)).rejects.toThrow('The scenario must not be empty.')
  await expect(sim.restore('')).rejects.toThrow('The snapshot must not be empty.')
  for (const value of [NaN, Infinity, -Infinity]) {
    const not = `must be a finite number, not ${value}.`
    const respond = { status: 500, body: { sizes: [value] } }
    await expect(sim.patch({ credit: value })).rejects.toThrow(`credit ${not}`)
    await expect(sim.patch({ products: { 101: { price: value } } })).rejects.toThrow(`price ${not}`)
    await expect(sim.fault({ operation: '*', respond })).rejects.toThrow(not)
    await expect(sim.requests({ limit: value })).rejects.toThrow(`limit ${not}`)
  }
  await sim.patch({ credit: undefined } as never) // JSON omits it
  const idle = sim.fault({ operation: 'getCredit' })
  await expect(idle).rejects.toThrow('A fault needs an effect: respond')
  await expect(sim.createAccount({ login: 'reseller' })).rejects.toMatchObject({ status: 409 })
  expect((await sim.state()).credit).toBe(10)
})

test('refuses a misspelt option of each call, which would otherwise apply to more than meant, and changes nothing', async () => {
  await using sim = await startSimulator({ scenario: small })
  await sim.patch({ credit: 5 })
  await sim.clock.freeze()
  const before = await sim.state()
  const scope = { acount: 'reseller' } as object
  const calls: [string, () => Promise<unknown>][] = [
    ['reset', () => sim.reset(scope)],
    ['patch', () => sim.patch({ credit: 1 }, scope)],
    ['state', () => sim.state(scope)],
    ['fault', () => sim.fault('lost', scope)],
    ['schedule', () => sim.schedule({ after: '10s', patch: { credit: 1 } }, scope)],
    ['clearRequests', () => sim.clearRequests(scope)],
    ['clearFaults', () => sim.clearFaults(scope)],
    ['clock.freeze', () => sim.clock.freeze(scope)],
    ['requests', () => sim.requests(scope)],
    ['coverage', () => sim.coverage(scope)],
    ['account.fault', () => sim.account('reseller').fault('lost', ...([scope] as unknown as []))],
  ]
  for (const [name, call] of calls)
    await expect(call(), name).rejects.toThrow(
      /Unknown (parameter|option) "acount"\. Did you mean "account"\?/,
    )
  expect(await sim.state()).toEqual(before)
})

test('fake timers of a test do not hide that an order was repeated', async () => {
  await using sim = await startSimulator({ scenario: small })
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  await sim.fault({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
  await expect(order(sim)).rejects.toThrow('fetch failed')
  expect((await order(sim)).status).toBe(200)
  expect((await sim.findings()).map(({ finding }) => finding)).toContain('ordered-twice')
})

test('closing a connected handle leaves the simulator running, and it reads accounts that others created', async () => {
  await using sim = await startSimulator({ scenario: small })
  const connected = await connectSimulator(sim.url)
  await connected.close()
  await using other = await sim.createAccount()
  expect(await connected.accounts()).toHaveLength(2) // has no passwords
  expect(() => connected.authorization(other.login)).toThrow(
    `No account "${other.login}" is known. Known: reseller. If another process created or changed the account, call state({ account }) first.`,
  )
  await connected.state({ account: other.login })
  expect(connected.authorization(other.login)).toBe(other.authorization)
  await sim.patch({ password: 'changed' }, { account: 'reseller' })
  await connected.state({ account: 'reseller' })
  expect(connected.authorization('reseller')).toBe(sim.authorization('reseller'))
})

describe('openSimulator', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.each([undefined, ''])('starts a simulator if PROXYSIM_URL is %j, and stops it', async (url) => {
    vi.stubEnv('PROXYSIM_URL', url)
    const sim = await openSimulator({ scenario: 'low-funds' })
    expect((await sim.health()).scenario).toBe('low-funds')
    const socket = connect(Number(new URL(sim.url).port), '127.0.0.1')
    await once(socket, 'connect')
    await sim.close()
    await once(socket.resume(), 'close')
  })

  test('connects to the simulator at PROXYSIM_URL without changing it, and leaves it running', async () => {
    await using started = await startSimulator({ scenario: small, adminToken: 'let-me-in' })
    vi.stubEnv('PROXYSIM_URL', started.url)
    await expect(openSimulator()).rejects.toMatchObject({ code: 'ERR_PROXYSIM_REFUSED', status: 401 })
    vi.stubEnv('PROXYSIM_ADMIN_TOKEN', 'let-me-in')
    {
      await using sim = await openSimulator({ scenario: 'low-funds' })
      expect(sim.url).toBe(started.url)
      expect((await sim.state()).credit).toBe(10)
      expect(sim.authorization()).toBe(started.authorization())
    }
    expect((await started.state()).credit).toBe(10)
  })

  test('names the options that a running simulator cannot take, and the flags for them', async () => {
    await using started = await startSimulator({ scenario: small })
    vi.stubEnv('PROXYSIM_URL', started.url)
    const warned = once(process, 'warning') as Promise<[Error]>
    await openSimulator({ scenarios: 'mine', assumptions: { geo: 'object' } })
    expect((await warned)[0].message).toMatch(
      /scenarios, assumptions\. .* exec --scenarios DIR, --assume ID=VALUE\.$/,
    )
  })

  test('fails if no simulator is at that URL', async () => {
    vi.stubEnv('PROXYSIM_URL', 'http://127.0.0.1:1')
    await expect(openSimulator()).rejects.toMatchObject({ code: 'ERR_PROXYSIM_UNREACHABLE' })
  })
})

test('each kind of failure has a name, a code and a cause; closing twice succeeds', async () => {
  await using sim = await startSimulator({ scenario: small })
  const gone = await startSimulator()
  await gone.close()
  await gone.close()
  const port = Number(new URL(sim.url).port)
  const noScenario = { scenario: 'test/library/handle.test.ts' }
  const start = (options: StartOptions) => () => startSimulator(options)
  const cause = (code: string) => ({ cause: { code } })
  const kinds: [attempt: () => Promise<unknown>, name: string, kind: string, more?: object][] = [
    [() => gone.health(), 'UserError', 'UNREACHABLE'], // another test may use its port by now
    [() => connectSimulator('http://127.0.0.1:1'), 'UserError', 'UNREACHABLE', cause('ECONNREFUSED')],
    [start({ port }), 'UserError', 'PORT_TAKEN', cause('EADDRINUSE')],
    [start({ scenario: { description: '' } }), 'SimulatorError', 'REFUSED', { status: 400 }],
    [start({ host: 'localhost:80' }), 'UserError', 'USAGE', { cause: { syscall: 'getaddrinfo' } }],
    [start({ scenario: 'nope' }), 'UnknownScenario', 'SCENARIO'],
    [start(noScenario), 'ScenarioError', 'SCENARIO', { issues: [{}] }],
    [start({ db: 'package.json/x' }), 'StorageError', 'STORAGE', cause('ENOTDIR')],
    [() => sim.restore('s99'), 'SimulatorError', 'REFUSED', { status: 404 }],
    [async () => sim.authorization('nobody'), 'UserError', 'ACCOUNT'],
  ]
  for (const [attempt, name, kind, more] of kinds) {
    const failure: unknown = await attempt().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UserError)
    expect(failure).toMatchObject({ name, code: `ERR_PROXYSIM_${kind}`, ...more })
  }
  await expect(startSimulator(noScenario)).rejects.toBeInstanceOf(ScenarioError)
})

test('rejects an invalid URL, and one without a simulator', async () => {
  await using sim = await startSimulator()
  await expect(connectSimulator('localhost:4010')).rejects.toThrow('is not an HTTP URL')
  for (const path of ['/docs', '/health', '/docs/guide'])
    await expect(connectSimulator(sim.url + path)).rejects.toThrow(
      `There is no simulator at ${sim.url}${path}. Try ${sim.url}.`,
    )
  for (const url of [undefined, null, 5, {}])
    await expect(connectSimulator(url as never)).rejects.toThrow('is not an HTTP URL')
  expect((await connectSimulator(new URL(sim.url))).url).toBe(sim.url)
  const withPassword = sim.url.replace('//', '//ana:hidden-one@')
  for (const url of [withPassword, 'ana:hidden-one@localhost']) {
    await expect(connectSimulator(url)).rejects.toThrow('must not contain a user or password')
    await expect(connectSimulator(url)).rejects.not.toThrow('hidden-one')
  }
})

test('requires the admin token if it is set', async () => {
  await using sim = await startSimulator({ adminToken: 'let-me-in' })
  expect((await sim.coverage()).covered).toBe(0)
  await expect(connectSimulator(sim.url)).rejects.toMatchObject({ status: 401 })
  await expect(connectSimulator(sim.url, { adminToken: 'let\nme-in' })).rejects.toThrow(
    'The admin token must be one or more printable ASCII characters',
  )
  const connected = await connectSimulator(sim.url, { adminToken: 'let-me-in' })
  expect(await connected.reset()).toMatchObject({ scenario: 'default' })
})
