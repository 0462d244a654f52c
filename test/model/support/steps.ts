import * as fc from 'fast-check'
import { expect } from 'vitest'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { mergePatch } from '../../../src/world/mergePatch.ts'
import { basic } from '../../support/ask.ts'
import { drawInputs, pick, wildPatches } from './draw.ts'
import { expectAgreement, adoptState, type Model } from './Model.ts'
import type { Account, Subject } from './Subject.ts'

const stepKinds: fc.WeightedArbitrary<fc.AsyncCommand<Model, Subject>>[] = []

/** Adds a kind of step: its frequency, its name, its random input, and its action. */
function step<T>(
  weight: number,
  name: string,
  drawn: fc.Arbitrary<T>,
  act: (model: Model, real: Subject, value: T) => Promise<void>,
): void {
  const arbitrary = drawn.map((value) => ({
    check: () => true,
    run: async (model: Model, real: Subject) => {
      real.steps++
      await act(model, real, value)
      await expectAgreement(model, real)
    },
    toString: () => `${name} ${JSON.stringify(value)}`,
  }))
  stepKinds.push({ weight, arbitrary })
}

const nothing = fc.constant(undefined)
const logins = pick('reseller', 'reseller', 'reseller', 'ana', 'new', 'two')

/** Takes one set of fields from each group, and merges them into one object. */
const fields = (...groups: Record<string, fc.Arbitrary<unknown>>[][]): fc.Arbitrary<object> =>
  fc
    .tuple(...groups.map((sets) => pick(...sets)))
    .chain((chosen) => fc.record(Object.assign({}, ...chosen) as Record<string, fc.Arbitrary<unknown>>))

const { operations } = await loadContract()

/** Authorization headers, by kind */
const credentials: Record<string, (login: string, account?: Account) => string | undefined> = {
  password: (login, account) => basic(`${login}:${account?.password ?? 'secret'}`),
  token: (login, account) => basic(`${login}:${account?.tokens.at(-1) ?? account?.password ?? 'secret'}`),
  wrong: (login) => basic(`${login}:wrong`),
  none: () => undefined,
  bearer: () => 'Bearer abc',
}

/** Operations that change state are more frequent. */
const called = pick(...operations, ...operations.filter(({ changesState }) => changesState))
const calls = fc
  .tuple(logins, pick(...Array<string>(20).fill('password'), ...Object.keys(credentials)), called)
  .chain(([login, credential, operation]) =>
    drawInputs(operation).map(([drawn, body]) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => drawn[name] ?? '')
      return { login, credential, method: operation.method, path, body }
    }),
  )

// Sends a request. A simulator that loaded the export must give the same response and reach the same state.
step(60, '', calls, async (model, real, { login, credential, method, path, body }) => {
  const account = model.account(login)
  const headers = { authorization: credentials[credential]?.(login, account) }
  const before = structuredClone(model.state.accounts)
  const here = await real.call(method, path, body, headers)
  expect(here, 'a simulator that loaded the export gives the same response').toEqual(
    await real.other(method, path, body, headers),
  )
  const { requests: newest } = (await real.admin('GET', '/requests?limit=1')).body as {
    requests: { id: number; account: string | null; status: number | null }[]
  }
  const [entry] = newest
  const isAuthenticated = account !== undefined && ['password', 'token'].includes(credential)
  expect(entry, 'the journal has the request').toMatchObject({
    account: isAuthenticated ? login : null,
    ...(here && { status: here.status }),
  })
  if (here) expect(here.status, here.text).not.toBe(500)
  await adoptState(model, real)
  if (!isAuthenticated) return expect(model.state.accounts).toEqual(before)
  const worldBefore = before[login] as Account
  model.requests.push({ id: entry?.id ?? 0, login, load: model.state.loads[login] ?? 0, before: worldBefore })
  // Other accounts don't change. A refusal changes only the counters of faults and of the request limit.
  const after = model.account(login) as Account
  const isTriggered = after.faults.some(({ used }, i) => used !== worldBefore.faults[i]?.used)
  const isRefused = here !== undefined && here.status >= 400 && !isTriggered
  const limits = after.limits.requests
    ? { ...worldBefore.limits, requests: after.limits.requests }
    : worldBefore.limits
  const expected = isRefused ? { ...worldBefore, limits, faults: after.faults } : after
  expect(model.state.accounts).toEqual({ ...before, [login]: expected })
})

/** Adds a step that changes an account through the control plane. Both simulators must reach the same state. */
function controlStep<T>(
  weight: number,
  call: string,
  bodies: fc.Arbitrary<T>,
  expected: (before: Account, after: Account, body: T) => void = () => {},
): void {
  step(weight, call, fc.tuple(logins, bodies), async (model, real, [login, body]) => {
    const [method = '', path = ''] = call.replace('{login}', login).split(' ')
    const before = structuredClone(model.state.accounts)
    const here = await real.admin(method, path, body)
    const there = await real.other(method, `/__admin${path}`, body)
    expect([here.status, here.text]).toEqual([there.status, there.text])
    await adoptState(model, real)
    if (!before[login]) expect([400, 404], here.text).toContain(here.status)
    const after = model.account(login)
    if (here.status < 300 && before[login] && after) expected(before[login], after, body)
    else expect([400, 404, 409], here.text).toContain(here.status)
    expect(model.state.accounts).toEqual(here.status < 300 ? { ...before, [login]: after } : before)
  })
}

/** The parts of an account that scheduled changes may affect */
const scheduled = ['services', 'timeline', 'history', 'credit', 'invoices']
const omit = (all: object, named: readonly string[]): object =>
  Object.fromEntries(Object.entries(all).filter(([one]) => !named.includes(one)))

controlStep(20, 'PATCH /accounts/{login}', wildPatches, (before, after, patch) => {
  const renews = before.limits.renewal || after.limits.renewal
  // The patch may make scheduled changes due, such as a renewal.
  const isDue = 'clock' in patch || (renews && ('limits' in patch || 'services' in patch))
  const touched = [
    ...Object.keys(patch),
    'next',
    ...(isDue ? scheduled : []),
    ...('assumptions' in patch ? ['limits'] : []),
  ]
  expect(omit(after, touched), 'other fields stay unchanged').toEqual(omit(before, touched))
  for (const key of ['clients', 'products', 'services', 'invoices'] as const) {
    const named = Object.keys(patch[key] ?? {})
    if (!isDue && patch[key] !== null)
      expect(omit(after[key], named), `other ${key} stay unchanged`).toEqual(omit(before[key], named))
  }
  if (patch['credit'] !== undefined && !isDue) expect(after.credit).toBe(patch['credit'] ?? 0)
  if (patch['tokens']) expect(after.tokens).toEqual(patch['tokens'])
  if (patch['clients']) expect(after.clients).toMatchObject(mergePatch({}, patch['clients']) as object)
})

const durations = pick('PT0S', 'PT1S', 'PT30S', 'PT1M', 'PT10M', 'PT1H', 'P1D', 'P40D')
const services = (...values: unknown[]) =>
  fc
    .dictionary(pick('5001', '5002', '5003', '5004', '5006'), pick(...values), { minKeys: 1, maxKeys: 2 })
    .map((all): object => ({ services: all }))
const changed = services(
  { status: 'Active' },
  { status: 'Suspended' },
  { bindedip: null },
  { bindedip: '192.0.2.3' },
  null,
)
const patch = fc.oneof(changed, pick({ credit: 7 }, { credit: -1 }))
const add = fc.oneof(services({ usage: 1 }, { usage: 120 }), pick({ credit: 5 }, { credit: -20 }))
const scheduledChange = fields(
  [{ after: durations }, { at: pick('2026-01-16T00:00:00Z', '2025-01-01T00:00:00Z') }],
  [{ patch }, { add }, { patch, add }],
  [{}, {}, { every: durations, times: pick(3) }, { description: pick('a change') }, { times: pick(2) }],
)
controlStep(12, 'POST /timeline?account={login}', scheduledChange)
controlStep(1, 'DELETE /timeline?account={login}', nothing)

const faults = fields(
  [{ operation: pick('*', 'orderService', 'updateService', 'getCredit', 'rotateStickySession', 'nobody') }],
  [{ drop: pick('empty', 'reset') }, { respond: pick({ status: 503, body: { error: 'x' } }) }],
  [{ phase: pick('before', 'after'), times: pick(1, 2), after: pick(0, 1) }],
)
controlStep(5, 'POST /faults?account={login}', faults, (before, after, fault) => {
  expect(fault).not.toMatchObject({ operation: 'nobody' })
  expect(after.faults.slice(0, -1)).toEqual(before.faults)
})
controlStep(1, 'DELETE /faults?account={login}', nothing)

const by = fields([{ by: durations }, { by: durations }, { by: pick('x', '-PT1H', 'PT') }])
controlStep(
  8,
  'POST /clock/advance?account={login}',
  by,
  ({ clock: { now: before } }, { clock, timeline }) => {
    expect(clock.now >= before, 'the clock never goes back').toBe(true)
    const late = timeline.filter(({ at }) => at <= clock.now)
    expect(late, 'all due changes were applied').toEqual([])
  },
)
const settings = pick<object[]>(
  { now: '2026-01-15T12:00:00Z' },
  { now: '2026-01-20T00:00:00Z' },
  { rate: 60 },
  { rate: 0 },
)
controlStep(2, 'PUT /clock?account={login}', settings)

const created = pick<{ login: string; scenario?: string }[]>(
  { login: 'new' },
  { login: 'two' },
  { login: 'ana' },
  { login: 'a:b' },
  { login: 'x', scenario: 'nothing' },
)
step(3, 'POST /accounts', created, async (model, real, body) => {
  const isTaken = model.account(body.login) !== undefined
  const answer = await real.admin('POST', '/accounts', body)
  const hasModel = Object.keys(model.state.scenario).length > 0
  const expected = body.login === 'a:b' ? 400 : isTaken ? 409 : body.scenario ? 404 : hasModel ? 201 : 400
  expect(answer.status, answer.text).toBe(expected)
  if (expected !== 201) return
  const { password, token } = answer.body as { password: string; token: string }
  model.state.created[body.login] = { password, token }
  model.putAccount(body.login, model.getInitialAccount(body.login) as Account)
})

step(2, 'DELETE /accounts', logins, async (model, real, login) => {
  const { status } = await real.admin('DELETE', `/accounts/${login}`)
  expect(status).toBe(model.account(login) ? 204 : 404)
  model.remove(login)
})

step(2, 'POST /tokens', logins, async (model, real, login) => {
  const { status, body } = await real.admin('POST', `/accounts/${login}/tokens`)
  const account = model.account(login)
  expect(status).toBe(account ? 201 : 404)
  account?.tokens.push((body as { token: string }).token)
})

step(1, 'reset', nothing, async (model, real) => {
  await real.admin('POST', '/reset')
  model.load(model.state.scenario)
})

step(2, 'reset of an account', logins, async (model, real, login) => {
  const account = model.account(login)
  const { status } = await real.admin('POST', `/reset?account=${login}`)
  const original = model.getInitialAccount(login)
  expect(status).toBe(!account ? 404 : original ? 200 : 400)
  if (!account || !original) return
  model.putAccount(login, original)
  model.clearRequests(login)
})

step(2, 'load the export', pick('application/json', 'application/yaml'), async (model, real, type) => {
  const { text } = await real.admin('GET', '/scenario', undefined, { accept: type })
  const { status } = await real.admin('PUT', '/scenario', text, { 'content-type': type })
  expect(status).toBe(200)
  model.load(model.state.accounts)
})

const refused = pick(
  '{"accounts":{"x":{"credit":-1}}}',
  'a: [',
  '{"description":"x","accounts":{"x":{"password":"x","services":{"1":{"client":1,"product":2}}}}}',
)
step(1, 'PUT /scenario', refused, async (_model, real, text) => {
  expect(await real.admin('PUT', '/scenario', text)).toMatchObject({ status: 400 })
})

step(2, 'POST /snapshots', nothing, async (model, real) => {
  const { status, body } = await real.admin('POST', '/snapshots')
  expect(status).toBe(201)
  model.snapshots.set((body as { id: string }).id, { state: structuredClone(model.state) })
})

step(3, 'restore', fc.nat(9), async (model, real, n) => {
  const [name, snapshot] = [...model.snapshots][n % (model.snapshots.size + 1)] ?? ['nothing']
  const { status } = await real.admin('POST', `/snapshots/${name}/restore`)
  expect(status).toBe(snapshot ? 200 : 404)
  if (!snapshot) return
  const { state, only } = structuredClone(snapshot)
  if (only === undefined) return model.replace(state, false)
  model.putAccount(only, state.accounts[only] as Account)
  if (state.created[only]) model.state.created[only] = state.created[only]
})

step(8, 'rewind', fc.nat(99), async (model, real, n) => {
  const mark = model.requests[n % (model.requests.length || 1)]
  if (!mark) return
  const { status, text } = await real.admin('POST', `/requests/${mark.id}/rewind`)
  const isReached = model.state.loads[mark.login] === mark.load
  expect(status, text).toBe(isReached ? 200 : 409)
  if (isReached) model.state.accounts[mark.login] = structuredClone(mark.before)
})

step(1, 'DELETE /requests', logins, async (model, real, login) => {
  const { status } = await real.admin('DELETE', `/requests?account=${login}`)
  expect(model.account(login) ? [204] : [204, 404]).toContain(status) // a deleted account may still have requests
  model.clearRequests(login)
})

step(2, 'restart', nothing, async (model, real) => {
  if (!(await real.restart())) return
  model.requests.length = 0
  model.snapshots.clear()
})

// Concurrent requests for the last credit or for one address must not both succeed.
const contention = fc.record({
  product: pick(101, 102, 201),
  setip: pick(undefined, '192.0.2.3', '203.0.113.5'),
})
step(3, 'concurrent requests', contention, async (model, real, { product, setip }) => {
  const account = model.account('reseller')
  if (!account) return
  await real.admin('DELETE', '/faults?account=reseller')
  const headers = { authorization: basic(`reseller:${account.password}`) }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      setip === undefined
        ? real.call('POST', `/api/product/${product}`, { clientid: 11 }, headers)
        : real.call('PUT', `/api/service/${5001 + i}`, { setip }, headers),
    ),
  )
  const done = answers.flatMap((answer) => (answer?.status === 200 ? [answer.body] : []))
  const after = (await real.admin('GET', '/accounts/reseller')).body as Account
  model.state.accounts['reseller'] = after
  if (setip !== undefined) return expect(done.length, 'bound once').toBeLessThan(2)
  expect(Object.keys(after.services).length - Object.keys(account.services).length).toBe(done.length)
  const spent = (done as { invoiceId: number; amount: number }[]).map(({ invoiceId, amount }) =>
    after.invoices[invoiceId]?.status === 'Paid' ? Math.round(amount * 100) : 0,
  )
  const left = Math.round(account.credit * 100) - spent.reduce((sum, one) => sum + one, 0)
  if (account.timeline.length === 0) expect(Math.round(after.credit * 100)).toBe(left)
})

export const steps = fc.oneof(...stepKinds)
