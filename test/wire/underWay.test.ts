import { expect, test } from 'vitest'
import { small, two } from '../support/scenario.ts'
import { nextEvent, start, type Started, stateOf, worldOf } from '../support/start.ts'

const beginnings: [name: string, begin: (admin: Started['admin']) => Promise<unknown>][] = [
  ['a reset', (admin) => admin('POST', '/reset')],
  ['a load', (admin) => admin('POST', '/scenarios/low-funds/load')],
  ['a posted scenario', (admin) => admin('PUT', '/scenario', { description: 'x', ...two })],
]

/** An order in progress, delayed by a fault. */
async function underWay(phase: string) {
  const simulator = await start({ scenario: small })
  const { admin } = simulator
  await admin('POST', '/snapshots')
  await admin('POST', '/faults', { operation: 'orderService', phase, delay: 80, times: 1 })
  const met = nextEvent(simulator, 'change')
  const answered = simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await met
  return { simulator, admin, answered }
}

test.each(beginnings)('a request in progress at %s writes nothing after it', async (_name, begin) => {
  for (const phase of ['before', 'after']) {
    const { simulator, admin, answered } = await underWay(phase)
    const events: string[] = []
    await begin(admin)
    simulator.simulation.store.on(({ type }) => events.push(type))
    const fresh = JSON.stringify(stateOf(simulator))
    expect((await answered).status).toBe(200)
    expect(JSON.stringify(stateOf(simulator)), phase).toBe(fresh)
    expect((await admin('GET', '/requests')).json).toEqual({ total: 0, requests: [], dropped: 0 })
    expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 0 })
    expect(events).toEqual([])
  }
})

test('a request in progress at a restore writes nothing after it', async () => {
  const { simulator, admin, answered } = await underWay('before')
  await admin('POST', '/snapshots/s1/restore')
  const { json: fresh } = await admin('GET', '/scenario')
  await answered
  expect((await admin('GET', '/scenario')).json).toEqual(fresh)
  expect(worldOf(simulator).credit).toBe(100)
})

test('a request in progress when its account is deleted writes nothing, not even to a new one with that login', async () => {
  const { admin, answered } = await underWay('before')
  await admin('DELETE', '/accounts/reseller')
  await admin('POST', '/accounts', { login: 'reseller' })
  const { json: fresh } = await admin('GET', '/accounts/reseller')
  await answered
  expect((await admin('GET', '/accounts/reseller')).json).toEqual(fresh)
})
