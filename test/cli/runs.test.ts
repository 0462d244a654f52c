import { describe, expect, test } from 'vitest'
import { genericFaults, presetsFor, type FaultPreset } from '../../src/faults/presets.ts'
import type { ContractOperation } from '../../src/contract/Contract.ts'
import { planFirst, type SweepSelection } from '../../src/lab/runs/plan.ts'
import { observe } from '../../src/lab/runs/runAgainstSimulator.ts'
import { renderEffects } from '../../src/lab/runs/ClientChanges.ts'
import type { Cell } from '../../src/lab/runs/Cell.ts'
import { Injector } from '../../src/lab/runs/Injector.ts'
import { load, localState } from '../../src/Simulation.ts'
import { start, waitForEvent, type TestSimulator } from '../support/start.ts'

const admin = async (sim: TestSimulator, method: string, path: string, body?: object) =>
  (await sim.call<{ id: string; login: string }>(method, `/__admin${path}`, body && { body })).json

describe('the changes of a client', () => {
  const sticky = { ttl: 10, sessions: ['a', 'b'].map((session) => ({ server: 'us1', session })) }
  const ppr = { status: 'Active', sticky }

  /** Creates a scenario with this time and these next ids. */
  const world = (clock: string, first: number, more: object = {}): object => {
    const next = { service: first, order: first, invoice: first }
    const services = { 5101: ppr, 5102: ppr, 5103: ppr }
    return { extends: 'default', clock, accounts: { reseller: { credit: 1000, next, services, ...more } } }
  }

  async function ok(sim: TestSimulator, method: string, path: string, body?: object): Promise<unknown> {
    const { status, json, text } = await sim.call(method, path, body && { body })
    expect(`${status} ${text}`).toMatch(/^20[01] /)
    return json
  }

  /** Resets the simulator, actions as a client, and returns the effects. */
  async function getEffects(sim: TestSimulator, act: () => Promise<unknown>): Promise<string[]> {
    await load(sim.simulation, await sim.simulation.store.scenario())
    const observed = observe(sim.simulation, 1) // the journal keeps one request, but the changes of all are collected
    await act()
    return renderEffects(observed.changes.effects).toSorted()
  }

  const base64 = (text: string): string => Buffer.from(text).toString('base64')

  /** An action of a client. Unless `isWhole`, it omits its last request. */
  type Act = (sim: TestSimulator, isWhole: boolean) => Promise<unknown>
  const call =
    (method: string, path: string, body?: object): Act =>
    async (sim, isWhole) =>
      isWhole && ok(sim, method, path, body)
  const orderAndUpdate =
    (body: object): Act =>
    async (sim, isWhole) => {
      const ordered = await ok(sim, 'POST', '/api/product/102', { clientid: 12 })
      await call('PUT', `/api/service/${(ordered as { serviceId: number }).serviceId}`, body)(sim, isWhole)
    }
  const newPassword = { password: base64('new') }
  const list = { update_list: 'true' }
  /** Actions whose effects don't depend on their order */
  const actions = [
    ...[11, 12, 12].map((clientid) => call('POST', '/api/product/101', { clientid })),
    call('POST', '/api/product/201', { clientid: 11 }),
    ...[newPassword, list, list, { setip: '198.51.100.7' }, { setip: '198.51.100.8' }].map(orderAndUpdate),
    ...[newPassword, list, { setip: '192.0.2.101' }].map((body) => call('PUT', '/api/service/5001', body)),
    call('PUT', '/api/service/5002', newPassword),
    ...['rotate/5101/us1/a', 'rotate/5101/us1/b', 'changettl/5102/3', 'resetall/5103'].map((path) =>
      call('GET', `/api/sticky/${path}`),
    ),
  ]

  test('are equal in two runs despite different ids and times, and differ if a call is missing', async () => {
    const usual = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
    const other = await start({ scenario: world('2026-03-31T23:59:59Z', 8100) })
    const run = (sim: TestSimulator, all: readonly Act[], missing?: Act): Promise<string[]> =>
      getEffects(sim, async () => {
        for (const one of all) await one(sim, one !== missing)
      })
    const effects = await run(usual, actions)
    expect(await run(other, actions.toReversed())).toEqual(effects)
    for (const missing of actions.filter((_, i) => i % 3 === 0))
      expect(await run(other, actions, missing)).not.toEqual(effects)
  })

  test('are described without order ids, times and credentials', async () => {
    const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
    const effects = await getEffects(sim, async () => {
      await ok(sim, 'POST', '/api/product/101', { clientid: 11, setip: '198.51.100.7' })
      const updates = { setip: '192.0.2.9', password: base64('sesame'), update_list: 'true' }
      await ok(sim, 'PUT', '/api/service/5001', updates)
      for (const path of ['rotate/5101/us1/a', 'changettl/5102/3', 'resetall/5103'])
        await ok(sim, 'GET', `/api/sticky/${path}`)
    })
    expect(effects.map((line) => line.replace(/\(\w{8}\)$/, '(…)'))).toEqual(
      [
        'reseller: credit → 980.00',
        'reseller: + invoice (amount 20, status Paid)',
        'reseller: + service (billingcycle Monthly, bindedip 198.51.100.7, client 11, ip_count 10, price 20, product 101, product_name Static 10, product_type fpr, status Active)',
        'reseller: IP list of 5001 renewed',
        'reseller: service 5001 bindedip → 192.0.2.9',
        'reseller: service 5001 errors → none',
        'reseller: service 5001 inactive → none',
        'reseller: service 5001 password → set (…)',
        'reseller: service 5101 sticky sessions → (address renewed, server us1, session a), (server us1, session b)',
        'reseller: service 5102 sticky ttl → 3',
        'reseller: service 5103 sticky sessions → none',
      ].toSorted(),
    )
  })

  test('accumulate across resets, restores, and accounts that the client creates and deletes', async () => {
    const sim = await start()
    const order = (login = 'reseller') =>
      sim.call('POST', '/api/product/101', { login, body: { clientid: 11 } })
    const effects = await getEffects(sim, async () => {
      await order()
      const { id } = await admin(sim, 'POST', '/snapshots')
      await admin(sim, 'POST', '/reset')
      await order()
      await admin(sim, 'POST', `/snapshots/${id}/restore`)
      await order()
      const { login } = await admin(sim, 'POST', '/accounts')
      await order(login)
      await admin(sim, 'DELETE', `/accounts/${login}`)
    })
    const orders = effects.filter((line) => line.includes(' + service '))
    const whose = orders.map((line) => line.replace(/ \+.*/, ''))
    expect(whose).toEqual(['accounts it created:', ...Array<string>(3).fill('reseller:')])
  })

  test('exclude changes by the timeline and the control plane, even in between', async () => {
    const more = {
      limits: { activation: 60, payment: 60 },
      assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
      timeline: [{ after: 'PT1M', patch: { services: { 5001: { status: 'Suspended' } } } }],
    }
    const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000, more) })
    const orderTwice = (by: string) =>
      getEffects(sim, async () => {
        await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
        await ok(sim, 'POST', '/__admin/clock/advance', { by })
        await ok(sim, 'PATCH', '/__admin/accounts/reseller', {
          clients: { 77: { email: 'eve@example.com' } },
        })
        await ok(sim, 'POST', '/__admin/faults', { operation: 'getCredit', drop: 'reset', times: 1 })
        await ok(sim, 'GET', '/api/services')
        await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
      })
    const effects = await orderTwice('PT1S')
    expect(await orderTwice('PT2M')).toEqual(effects)
    const invoice = 'reseller: + invoice'
    const service = 'reseller: + service'
    expect(effects.map((line) => line.replace(/ \(.*/, ''))).toEqual([invoice, invoice, service, service])
  })
})

describe('the plan of a sweep', () => {
  const names = async (
    operation: string,
    wanted: Partial<SweepSelection> = {},
    scenario = 'default',
    alter = (one: ContractOperation) => one,
  ): Promise<string[]> => {
    const { simulation } = await start({ scenario })
    const [world] = localState(simulation).accounts.values()
    if (!world) throw new Error('There is no account.')
    const { contract } = simulation
    const altered = {
      ...contract,
      operation: (id: string) => alter(contract.operation(id) as ContractOperation),
    }
    const selection = { only: [], faults: [], cells: [], rerun: false, thorough: false, ...wanted }
    const call = {
      operation,
      number: 1,
      run: 1,
      request: '',
      changes: [],
      hasEarlierState: false,
      injected: undefined,
    }
    const cells = planFirst({ selection, contract: altered, world, baseline: [call] })
    return cells.map(({ fault }) => fault.name).toSorted()
  }
  const genericNames = ['503', 'too-many-requests', 'not-json', 'error-200', 'reset', 'truncate']
  const afterExecution = ['lost', 'cut', 'gateway-timeout', 'no-response']
  const orders = ['product-not-found', 'insufficient-funds', 'incorrect-posted-data', 'client-not-found']

  test.each([
    ['getCredit', ['unauthenticated', 'stale']],
    ['orderService', ['unauthenticated', ...orders, ...afterExecution]],
    ['resetStickySessions', ['unauthenticated', 'unprocessable', ...afterExecution]],
    ['listStickySessions', ['unauthenticated', 'upstream-error', 'stale']],
  ])(
    '%s gets its cases and the generic faults; if it changes state, also faults after its execution',
    async (operation, expected) => {
      expect(await names(operation)).toEqual([...expected, ...genericNames].toSorted())
    },
  )

  test('omits cases that cannot occur under the account’s interpretations, and unnamed slow and crash', async () => {
    const unprocessable = ['unauthenticated', 'unprocessable', ...genericNames, ...afterExecution].toSorted()
    expect(await names('changeStickyTtl', {}, 'other-interpretations')).toEqual(unprocessable)
    expect(await names('getCredit', { faults: ['slow', 'crash', 'reset'] })).toEqual([
      'crash',
      'reset',
      'slow',
    ])
    expect(await names('getCredit', { rerun: true })).toEqual(
      ['unauthenticated', ...genericNames, 'stale', 'crash'].toSorted(),
    )
  })

  test.each<[Partial<SweepSelection>, string]>([
    [{ only: ['orderService'] }, "The command doesn't call orderService. Choose from: getCredit."],
    [{ faults: ['lost'] }, 'None of the called operations (getCredit) supports lost. Choose other faults.'],
  ])('%j is refused', async (wanted, message) => {
    await expect(names('getCredit', wanted)).rejects.toThrow(message)
  })
})

describe('injected faults', () => {
  const getPreset = (name: string): FaultPreset =>
    genericFaults.find((one) => one.name === name) as FaultPreset
  const inject = (
    { simulation }: TestSimulator,
    operation: string,
    name: string,
    more: Partial<Cell> = {},
    hold = 300,
  ): Injector => {
    const presets = presetsFor(simulation.contract.operation(operation) as ContractOperation)
    const fault = presets.find((one) => one.name === name) as FaultPreset
    return new Injector(simulation, { cell: { operation, call: 1, fault, ...more }, hold })
  }
  const triggered = ({ calls }: Injector, index = 0): (string | undefined)[] =>
    calls.filter(({ injected }) => injected === index).map(({ record }) => record?.path)
  const credit = async (sim: TestSimulator, login = 'reseller'): Promise<number> =>
    (await sim.call('GET', '/api/billing/credit', { login })).status
  const clientFault = { operation: 'getCredit', respond: 'unauthenticated' }

  test.each<[string, (sim: TestSimulator) => Promise<unknown>]>([
    ['a reset', (sim) => admin(sim, 'POST', '/reset')],
    ['all faults removed', (sim) => admin(sim, 'DELETE', '/faults')],
    ['a fault of the client', (sim) => admin(sim, 'POST', '/faults', clientFault)],
    [
      'a new account with the same login',
      async (sim) => {
        await admin(sim, 'DELETE', '/accounts/reseller')
        await admin(sim, 'POST', '/accounts', { login: 'reseller' })
      },
    ],
  ])('count calls across %s, and trigger once', async (_what, interfere) => {
    const sim = await start()
    const injector = inject(sim, 'getCredit', '503', { call: 2 })
    expect(await credit(sim)).toBe(200)
    await interfere(sim)
    await admin(sim, 'DELETE', '/faults')
    await sim.call('GET', '/api/billing/credit', { login: null })
    await sim.call('GET', '/api/clients')
    expect(triggered(injector)).toEqual([])
    expect([await credit(sim), await credit(sim)]).toEqual([503, 200])
    expect(injector.calls.map(({ operation, number }) => `${operation}#${number}`)).toEqual([
      'getCredit#1',
      'listClients#1',
      'getCredit#2',
      'getCredit#3',
    ])
  })

  test('number the calls of all accounts together, and leave the client’s faults alone', async () => {
    const sim = await start()
    inject(sim, 'getCredit', '503')
    const { login } = await admin(sim, 'POST', '/accounts')
    const statuses = await Promise.all(['reseller', login].map((one) => credit(sim, one)))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 503])
    expect((await sim.call('POST', '/__admin/faults?account=reseller', { body: clientFault })).status).toBe(
      201,
    )
    expect(await credit(sim)).toBe(401)
  })

  test('last to the end of the run, but not into the next one', async () => {
    const sim = await start()
    const injector = inject(sim, 'getCredit', '503', { call: 2, isLasting: true })
    expect([await credit(sim), await credit(sim), await credit(sim)]).toEqual([200, 503, 503])
    injector.startRun()
    expect([await credit(sim), await credit(sim)]).toEqual([200, 200])
  })

  test('give a stale response where there is an earlier state', async () => {
    const list = async (sim: TestSimulator) => (await sim.call<unknown[]>('GET', '/api/services')).json.length
    const order = (sim: TestSimulator) => sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
    for (const [call, added] of [
      [1, [0, 0, 1]],
      [3, [0, 1, 0]],
    ] as const) {
      const sim = await start()
      inject(sim, 'listServices', 'stale', { call })
      const before = await list(sim)
      await order(sim)
      expect([before, await list(sim), await list(sim)]).toEqual(added.map((more) => before + more))
    }
  })

  test('repeat a refusal for the same request alone', async () => {
    const sim = await start()
    inject(sim, 'updateService', 'unprocessable')
    const update = async (body: object, headers = {}) =>
      (await sim.call('PUT', '/api/service/5001', { body, headers })).status
    const [first, other] = [{ setip: '203.0.113.9' }, { setip: '203.0.113.10' }]
    expect([await update(first), await update(first), await update(other), await update(first)]).toEqual([
      422, 422, 200, 422,
    ])
    const { token } = (await sim.call<{ token: string }>('POST', '/__admin/accounts/reseller/tokens')).json
    const authorization = `Basic ${btoa(`reseller:${token}`)}`
    expect(await update(first, { authorization })).toBe(200)
  })

  test('end a throttle at the time that it names, and let an upstream error pass', async () => {
    const sim = await start({ scenario: { extends: 'default', clock: '2026-01-15T12:00:00.500Z' } })
    inject(sim, 'updateService', 'update-list-throttled')
    const update = () => sim.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    for (let i = 0; i < 2; i++) expect((await update()).text).toContain('2026-01-15 12:00:03')
    await admin(sim, 'POST', '/clock/advance', { by: 'PT2.5S' })
    expect((await update()).status).toBe(200)
    const transient = inject(sim, 'listStickySessions', 'upstream-error')
    const list = async () => (await sim.call('GET', '/api/sticky/list/5101')).status
    expect([await list(), await list()]).toEqual([422, 200])
    expect(triggered(transient)).toHaveLength(1)
  })

  test('hit a second call after the first fault, or in the second run', async () => {
    const sim = await start()
    const second = { operation: 'getCredit', call: 2, fault: getPreset('503'), run: 1 } as const
    const injector = inject(sim, 'listServices', '503', { second })
    const list = async () => (await sim.call('GET', '/api/services')).status
    expect([
      await credit(sim),
      await list(),
      await credit(sim),
      await credit(sim),
      await credit(sim),
    ]).toEqual([200, 503, 200, 503, 200])
    expect(triggered(injector, 1)).toEqual(['/api/billing/credit'])

    const other = await start()
    const inSecondRun = { operation: 'getCredit', call: 1, fault: getPreset('503'), run: 2 } as const
    const paired = inject(other, 'listServices', '503', { second: inSecondRun })
    expect([
      await credit(other),
      (await other.call('GET', '/api/services')).status,
      await credit(other),
    ]).toEqual([200, 503, 200])
    paired.startRun()
    expect([await credit(other), await credit(other)]).toEqual([503, 200])
  })

  test.each(['503', 'lost'])(
    'answer after 100 ms, so that calls that were sent at the same time are under way together: %s',
    async (name) => {
      const sim = await start()
      const injector = inject(sim, 'orderService', name)
      const order = () => sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
      const ended = await Promise.allSettled([order(), order()])
      const statuses = ended.map((one) => (one.status === 'fulfilled' ? one.value.status : 0))
      expect(statuses.toSorted((a, b) => a - b)).toEqual(name === 'lost' ? [0, 200] : [200, 503])
      expect(injector.calls[0]?.record?.durationMs).toBeGreaterThanOrEqual(99)
    },
  )

  test('hold a response until the client gives up: the call is lost from then on', async () => {
    const sim = await start()
    const injector = inject(sim, 'orderService', 'no-response', {}, 1500)
    const carriedOut = waitForEvent(sim, 'change')
    const giveUp = new AbortController()
    const ordered = fetch(`${sim.url}/api/product/101`, {
      method: 'POST',
      headers: { authorization: sim.authorization(), 'content-type': 'application/json' },
      body: '{"clientid":11}',
      signal: giveUp.signal,
    })
    await carriedOut
    giveUp.abort()
    await expect(ordered).rejects.toThrow(/abort/)
    const record = () => injector.calls[0]?.record
    await expect.poll(() => record()?.isAbandoned).toBe(true)
    expect(record()).toMatchObject({ isUndelivered: true, status: null, change: { credit: 230 } })
  })

  test('hold a response, and then reset the connection', async () => {
    const patient = await start()
    inject(patient, 'orderService', 'no-response')
    await expect(patient.call('POST', '/api/product/101', { body: { clientid: 11 } })).rejects.toThrow(
      /hang up|RESET/,
    )
  })
})
