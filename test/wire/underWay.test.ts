import { expect, test } from 'vitest'
import { small, two } from '../support/scenario.ts'
import { nextEvent, start, type Started, stateOf } from '../support/start.ts'

type End = (admin: Started['admin']) => Promise<unknown>

/** Does something while an order is in progress, delayed by a fault; what is there then must be there after it as well. */
async function whileUnderWay(phase: string, end: End) {
  const simulator = await start({ scenario: small })
  const { admin } = simulator
  await admin('POST', '/snapshots')
  await simulator.call('GET', '/api/clients')
  await admin('POST', '/faults', { operation: 'orderService', phase, delay: 80, times: 1 })
  const change = nextEvent(simulator, 'change')
  const answered = simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await change
  await end(admin)
  const events: string[] = []
  simulator.simulation.store.on(({ type }) => events.push(type))
  const fresh = JSON.stringify(stateOf(simulator))
  expect((await answered).status).toBe(200)
  expect(JSON.stringify(stateOf(simulator)), phase).toBe(fresh)
  return { admin, events }
}

test.each<[name: string, begin: End]>([
  ['a reset', (admin) => admin('POST', '/reset')],
  ['a load', (admin) => admin('POST', '/scenarios/low-funds/load')],
  ['a posted scenario', (admin) => admin('PUT', '/scenario', { description: 'x', ...two })],
])('a request in progress at %s writes nothing after it, not even into the journal', async (_name, begin) => {
  for (const phase of ['before', 'after']) {
    const { admin, events } = await whileUnderWay(phase, begin)
    expect((await admin('GET', '/requests')).json).toMatchObject({ total: 0, requests: [], dropped: 0 })
    expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 0 })
    expect(events).toEqual([])
  }
})

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
  'a request in progress at %s changes nothing after it, not even an account with that login',
  async (_name, end) => {
    for (const phase of ['before', 'after'])
      expect((await whileUnderWay(phase, end)).events).not.toContain('change')
  },
)
