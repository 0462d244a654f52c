import { expect, test } from 'vitest'
import { small, two } from '../support/scenario.ts'
import { waitForEvent, start, type TestSimulator, getState } from '../support/start.ts'

type End = (admin: TestSimulator['admin']) => Promise<unknown>

/**
 * Calls `end` while a fault delays an order, and checks that the order doesn't change the state after that. It is refused unless it
 * was executed before.
 */
async function duringOrder(phase: string, end: End) {
  const simulator = await start({ scenario: small })
  const { admin } = simulator
  await admin('POST', '/snapshots')
  await simulator.call('GET', '/api/clients')
  await admin('POST', '/faults', { operation: 'orderService', phase, delay: 200, times: 1 })
  const change = waitForEvent(simulator, 'change')
  const response = simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await change
  await end(admin)
  const events: string[] = []
  simulator.simulation.store.on(({ type }) => events.push(type))
  const fresh = JSON.stringify(getState(simulator))
  const { status, headers } = await response
  expect([status, headers['sim-case'] ?? '']).toEqual(
    phase === 'before' ? [503, 'storage-failed'] : [200, ''],
  )
  expect(JSON.stringify(getState(simulator)), phase).toBe(fresh)
  return { admin, events }
}

test.each<[name: string, begin: End]>([
  ['a reset', (admin) => admin('POST', '/reset')],
  ['a load', (admin) => admin('POST', '/scenarios/low-funds/load')],
  ['a posted scenario', (admin) => admin('PUT', '/scenario', { description: 'x', ...two })],
])(
  'a request in progress during %s changes nothing after it; the journal shows the refusal',
  async (_name, begin) => {
    const refusal = {
      status: 503,
      case: 'storage-failed',
      reason: expect.stringContaining(
        'The account "reseller" was loaded, reset, rewound or deleted while',
      ) as string,
      change: null,
    }
    for (const [phase, requests] of [
      ['before', [refusal]],
      ['after', []],
    ] as const) {
      const { admin, events } = await duringOrder(phase, begin)
      expect((await admin('GET', '/requests')).json).toMatchObject({
        total: requests.length,
        requests,
        dropped: 0,
      })
      expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 0 })
      expect(events).toEqual(requests.map(() => 'request'))
    }
  },
)

test.each<[name: string, end: End]>([
  ['a restore', (admin) => admin('POST', '/snapshots/s1/restore')],
  ['a rewind', (admin) => admin('POST', '/requests/1/rewind')],
  [
    'the end of its account',
    async (admin) => {
      await admin('DELETE', '/accounts/reseller')
      await admin('POST', '/accounts', { login: 'reseller' })
    },
  ],
])(
  'a request in progress during %s changes nothing after it, not even a new account with that login',
  async (_name, end) => {
    for (const phase of ['before', 'after'])
      expect((await duringOrder(phase, end)).events).not.toContain('change')
  },
)

test.each([30, 100])(
  'a delayed order is reproduced in the state in which it was executed (credit %i)',
  async (credit) => {
    const simulator = await start({ scenario: small })
    const { admin, call } = simulator
    await admin('PATCH', '/accounts/reseller', { credit })
    await admin('POST', '/faults', { operation: 'orderService', delay: 200, times: 1 })
    const order = { body: { clientid: 11 } }
    const change = waitForEvent(simulator, 'change')
    const delayed = call('POST', '/api/product/101', order)
    await change
    expect((await call('POST', '/api/product/101', order)).status).toBe(200)
    const { status, text } = await delayed
    expect(status).toBe(credit < 40 ? 422 : 200)
    const { json } = await admin<{ scenario: object }>('GET', '/requests/2/repro')
    const other = await start()
    expect((await other.admin('PUT', '/scenario', json.scenario)).status).toBe(200)
    expect(await other.call('POST', '/api/product/101', order)).toMatchObject({ status, text })
  },
)
