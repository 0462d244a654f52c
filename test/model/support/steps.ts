import * as fc from 'fast-check'
import { expect } from 'vitest'
import type { ContractOperation } from '../../../src/contract/Contract.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { mergePatch } from '../../../src/world/mergePatch.ts'
import { agree, takeOver, type Model } from './Model.ts'
import type { Account, Answer, Subject } from './Subject.ts'
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
const wrongIds = of(...'9 0 -1 1.5 05001 0x1389 abc %00 __proto__ 99999999999999999999'.split(' '))
const ips = of('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '203.0.113.5', '', '1.2.3', '01.2.3.4')
const optional = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

const { operations } = await loadContract()

/** What a path names: mostly what there is, or what the contract lists. */
function parameter({ path, schema }: ContractOperation, name: string): fc.Arbitrary<string> {
  if (name === 'server') return of('us1', 'de2')
  if (name === 'session') return of('abc', 'def')
  const listed = (schema['parameters'] as { name: string; schema: { enum?: string[] } }[]).find(
    (one) => one.name === name,
  )?.schema.enum
  if (listed) return of(...listed, 'other')
  const products = of('101', '102', '103', '201', '202')
  const right = name === 'pid' ? products : path.includes('invoice') ? of('9001', '9002', '9003') : serviceIds
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrongIds })
}

const clientid = of<unknown>(11, 11, 11, 12, 12, 99, -1, 1.5, '11', null)
const bodies: Partial<Record<string, fc.Arbitrary<unknown>>> = {
  orderService: fc.oneof(
    fc.record({ clientid: of(11, 12) }),
    fc.record({ clientid }),
    fc.record({ clientid, setip: ips }),
    of([], {}),
  ),
  updateService: fc.oneof(
    optional({ setip: ips }),
    optional({
      setip: ips,
      update_list: of<unknown>('true', 'true', 'false', true),
      password: of<unknown>('cHc=', 'w7zDpA==', 'cHc', '', 'AAA=', 7),
    }),
    of<unknown>({ update_list: 'true' }, [], undefined),
  ),
}
/** What changes something comes more often. */
const called = of(...operations, ...operations.filter(({ changesState }) => changesState))

const basic = (login: string, secret: string): string =>
  `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`

/** The Authorization header, and whether it lets anybody in */
const credentials: Record<string, (login: string, account?: Account) => string | undefined> = {
  password: (login, account) => basic(login, account?.password ?? 'secret'),
  token: (login, account) => basic(login, account?.tokens.at(-1) ?? account?.password ?? 'secret'),
  wrong: (login) => basic(login, 'wrong'),
  none: () => undefined,
  bearer: () => 'Bearer abc',
}

const calls = fc
  .tuple(logins, of(...Array<string>(20).fill('password'), ...Object.keys(credentials)), called)
  .chain(([login, how, operation]) => {
    const { operationId, method, path: template, pathNames } = operation
    const parts = fc.record(Object.fromEntries(pathNames.map((name) => [name, parameter(operation, name)])))
    return fc.tuple(parts, bodies[operationId] ?? of(undefined)).map(([drawn, body]) => {
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => drawn[name] ?? '')
      return { login, how, method, path, body }
    })
  })

/** A request of the API: whoever has loaded the export answers the same and becomes the same. */
const request = step('', calls, ({ login, how, method, path, body }) => async (model, real) => {
  const account = model.account(login)
  const authorization = credentials[how]?.(login, account)
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const before = structuredClone(model.state.accounts)
  const here = await real.call(method, path, body, headers)
  expect(here, 'loaded elsewhere, the same response').toEqual(await real.other(method, path, body, headers))
  const { requests: newest } = (await real.admin('GET', '/requests?limit=1')).body as {
    requests: { id: number; account: string | null; status: number | null }[]
  }
  const [entry] = newest
  const isLetIn = account !== undefined && ['password', 'token'].includes(how)
  expect(entry, 'the journal has the request').toMatchObject({
    account: isLetIn ? login : null,
    ...(here && { status: here.status }),
  })
  if (here) expect(here.status, here.text).not.toBe(500)
  await takeOver(model, real)
  if (!isLetIn) return expect(model.state.accounts).toEqual(before)
  model.marks.push({
    id: entry?.id ?? 0,
    login,
    load: model.state.loads[login] ?? 0,
    before: before[login] as Account,
  })
  // Others are left alone; a refusal changes nothing but the counters of faults.
  const after = model.account(login) as Account
  const isStruck = after.faults.some(({ used }, i) => used !== before[login]?.faults[i]?.used)
  const isRefused = here !== undefined && here.status >= 400 && !isStruck
  const expected = isRefused ? { ...before[login], faults: after.faults } : after
  expect(model.state.accounts).toEqual({ ...before, [login]: expected })
})

/** A change of an account by the control plane: made elsewhere, it is the same; refused, it changes nothing. */
const control = <T>(
  name: string,
  drawn: fc.Arbitrary<T>,
  call: (value: T, login: string) => [method: string, path: string, body?: unknown],
  expected: (before: Account, after: Account, value: T) => void = () => {},
) =>
  step(name, fc.tuple(logins, drawn), ([login, value]) => async (model, real) => {
    const [method, path, body] = call(value, login)
    const before = structuredClone(model.state.accounts)
    const here = await real.admin(method, path, body)
    const there = await real.other(method, `/__admin${path}`, body)
    expect([here.status, here.text]).toEqual([there.status, there.text])
    await takeOver(model, real)
    if (!before[login]) expect([400, 404], here.text).toContain(here.status)
    const own = model.account(login)
    if (here.status < 300 && before[login] && own) expected(before[login], own, value)
    else expect([400, 404, 409], here.text).toContain(here.status)
    expect(model.state.accounts).toEqual(here.status < 300 ? { ...before, [login]: own } : before)
  })

/** The parts of an account that a change of another one changes too */
const alongWith: Record<string, string[]> = {
  clock: ['services', 'timeline', 'history', 'credit', 'invoices'],
  assumptions: ['limits'],
}
const patch = control(
  'PATCH',
  wildPatches,
  (value, login) => ['PATCH', `/accounts/${login}`, value],
  (before, after, value) => {
    const touched = Object.keys(value).flatMap((key) => [key, ...(alongWith[key] ?? []), 'next'])
    for (const key of Object.keys(before).filter((one) => !touched.includes(one)) as (keyof Account)[])
      expect(after[key], `${key} stays as it is`).toEqual(before[key])
    for (const key of ['clients', 'products', 'services', 'invoices'] as const) {
      const named = Object.keys(value[key] ?? {})
      if (!('clock' in value) && value[key] !== null)
        expect(without(after[key], named), `other ${key} stay`).toEqual(without(before[key], named))
    }
    if (value['credit'] !== undefined) expect(after.credit).toBe(value['credit'] ?? 0)
    if (value['tokens']) expect(after.tokens).toEqual(value['tokens'])
    if (value['clients']) expect(after.clients).toMatchObject(mergePatch({}, value['clients']) as object)
  },
)

function without(records: object, named: readonly string[]): object {
  return Object.fromEntries(Object.entries(records).filter(([one]) => !named.includes(one)))
}

const durations = of('PT0S', 'PT1S', 'PT30S', 'PT1M', 'PT10M', 'PT1H', 'P1D', 'P40D')
const added = fc.oneof(
  fc
    .dictionary(serviceIds, fc.record({ usage: of(1, 120) }), { minKeys: 1, maxKeys: 2 })
    .map((services) => ({ services })),
  of({ credit: 5 }, { credit: -20 }),
)
const duePatches = fc.oneof(
  fc
    .dictionary(
      serviceIds,
      of({ status: 'Active' }, { status: 'Suspended' }, { bindedip: null }, { bindedip: '192.0.2.3' }, null),
      { minKeys: 1, maxKeys: 2 },
    )
    .map((services) => ({ services })),
  of({ credit: 7 }, { credit: -1 }),
)
const entries = fc
  .tuple(
    fc.oneof(
      durations.map((after) => ({ after })),
      of({ at: '2026-01-16T00:00:00Z' }, { at: '2025-01-01T00:00:00Z' }),
    ),
    fc.oneof(
      duePatches.map((one) => ({ patch: one })),
      added.map((add) => ({ add })),
      fc.record({ patch: duePatches, add: added }),
    ),
    fc.oneof(
      { weight: 2, arbitrary: of({}) },
      { weight: 1, arbitrary: durations.map((every) => ({ every, times: 3 })) },
      { weight: 1, arbitrary: of({ description: 'told' }, { times: 2 }) },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as object)
const schedule = control('POST /timeline', entries, (entry, login) => [
  'POST',
  `/timeline?account=${login}`,
  entry,
])

const faults = fc
  .record({
    operation: of('*', 'orderService', 'updateService', 'getCredit', 'rotateStickySession', 'nobody'),
    phase: of('before', 'after'),
    effect: of<object>(
      { drop: 'empty' },
      { drop: 'reset' },
      { respond: { status: 503, body: { error: 'x' } } },
    ),
    times: of(1, 2),
    after: of(0, 1),
  })
  .map(({ effect, ...rest }) => ({ ...rest, ...effect }))
const fault = control(
  'POST /faults',
  faults,
  (one, login) => ['POST', `/faults?account=${login}`, one],
  (before, after, { operation }) => {
    expect(operation).not.toBe('nobody')
    expect(after.faults.slice(0, -1)).toEqual(before.faults)
  },
)
const clear = control('DELETE', of('faults', 'timeline'), (what, login) => [
  'DELETE',
  `/${what}?account=${login}`,
])

const advance = control(
  'advance',
  fc.oneof(durations, durations, of('x', '-PT1H', 'PT')),
  (by, login) => ['POST', `/clock/advance?account=${login}`, { by }],
  ({ clock: { now: before } }, { clock, timeline }) => {
    expect(clock.now >= before, 'the clock never goes back').toBe(true)
    expect(
      timeline.every(({ at }) => at > clock.now),
      'what is due has happened',
    ).toBe(true)
  },
)
const setClock = control(
  'PUT /clock',
  of({ now: '2026-01-15T12:00:00Z' }, { now: '2026-01-20T00:00:00Z' }, { rate: 60 }, { rate: 0 }),
  (clock, login) => ['PUT', `/clock?account=${login}`, clock],
)

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
    model.place(body.login, model.original(body.login) as Account)
  },
)

const remove = step('DELETE /accounts', logins, (login) => async (model, real) => {
  const { status } = await real.admin('DELETE', `/accounts/${login}`)
  expect(status).toBe(model.account(login) ? 204 : 404)
  model.remove(login)
})

const token = step('POST /tokens', logins, (login) => async (model, real) => {
  const { status, body } = await real.admin('POST', `/accounts/${login}/tokens`)
  const account = model.account(login)
  expect(status).toBe(account ? 201 : 404)
  account?.tokens.push((body as { token: string }).token)
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
    model.place(login, original)
    model.forget(login)
  },
)

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
  model.place(only, state.accounts[only] as Account)
  if (state.created[only]) model.state.created[only] = state.created[only]
})

const rewind = step('rewind', fc.nat(99), (n) => async (model, real) => {
  const mark = model.marks[n % (model.marks.length || 1)]
  if (!mark) return
  const { status, text } = await real.admin('POST', `/requests/${mark.id}/rewind`)
  const isReached = model.state.loads[mark.login] === mark.load
  expect(status, text).toBe(isReached ? 200 : 409)
  if (isReached) model.state.accounts[mark.login] = structuredClone(mark.before)
})

const empty = step('DELETE /requests', logins, (login) => async (model, real) => {
  const { status } = await real.admin('DELETE', `/requests?account=${login}`)
  expect(model.account(login) ? [204] : [204, 404]).toContain(status) // of a deleted account there may be some left
  model.forget(login)
})

const restart = step('restart', of(''), () => async (model, real) => {
  if (!(await real.restart())) return
  model.marks.length = 0
  model.snapshots.clear()
})

/** Of those who want the last money or one address at once, nobody gets what another one got. */
const parallel = step(
  'at once',
  fc.record({ product: of('101', '102', '201'), setip: of(undefined, '192.0.2.3', '203.0.113.5') }),
  ({ product, setip }) =>
    async (model, real) => {
      const account = model.account('reseller')
      if (!account) return
      await real.admin('DELETE', '/faults?account=reseller')
      const headers = { authorization: basic('reseller', account.password) }
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          setip === undefined
            ? real.call('POST', `/api/product/${product}`, { clientid: 11 }, headers)
            : real.call('PUT', `/api/service/${5001 + i}`, { setip }, headers),
        ),
      )
      const done = answers.filter((answer): answer is Answer => answer?.status === 200)
      const after = (await real.admin('GET', '/accounts/reseller')).body as Account
      model.state.accounts['reseller'] = after
      if (setip !== undefined) return expect(done.length, 'bound once').toBeLessThan(2)
      expect(Object.keys(after.services).length - Object.keys(account.services).length).toBe(done.length)
      const spent = done.map(({ body }) => {
        const { invoiceId, amount } = body as { invoiceId: number; amount: number }
        return after.invoices[invoiceId]?.status === 'Paid' ? Math.round(amount * 100) : 0
      })
      const left = Math.round(account.credit * 100) - spent.reduce((sum, one) => sum + one, 0)
      if (account.timeline.length === 0) expect(Math.round(after.credit * 100)).toBe(left)
    },
)

const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary })
export const steps = fc.oneof(
  often(60, request),
  often(20, patch),
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
  often(3, parallel),
)
