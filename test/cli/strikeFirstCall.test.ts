import { expect, test } from 'vitest'
import { mishaps, type NamedFault } from '../../src/faults/namedFaults.ts'
import { Observer } from '../../src/runs/Observer.ts'
import { strikeFirstCall, struckRequest } from '../../src/runs/strikeFirstCall.ts'
import { start, type Started } from '../support/start.ts'

function mishap(name: string): NamedFault {
  return mishaps.find((one) => one.name === name) as NamedFault
}

async function credit(sim: Started, login = 'reseller'): Promise<number> {
  return (await sim.call('GET', '/api/billing/credit', { login })).status
}

const admin = async (sim: Started, method: string, path: string, body?: object) =>
  (await sim.call<{ id: string; login: string }>(method, `/__admin${path}`, body && { body })).json

const fault = { operation: 'getCredit', respond: 'unauthenticated' }

test.each<[string, (sim: Started) => Promise<unknown>]>([
  ['a reset', (sim) => admin(sim, 'POST', '/reset')],
  ['another scenario', (sim) => admin(sim, 'POST', '/scenarios/low-funds/load')],
  ['all faults removed', (sim) => admin(sim, 'DELETE', '/faults')],
  ['a patch of the faults', (sim) => admin(sim, 'PATCH', '/accounts/reseller', { faults: [] })],
  ['a fault of the client', (sim) => admin(sim, 'POST', '/faults', fault)],
  [
    'a snapshot',
    async (sim) => {
      const { id } = await admin(sim, 'POST', '/snapshots')
      await admin(sim, 'POST', '/scenarios/low-funds/load')
      await admin(sim, 'POST', `/snapshots/${id}/restore`)
    },
  ],
  [
    'the account made anew',
    async (sim) => {
      await admin(sim, 'DELETE', '/accounts/reseller')
      await admin(sim, 'POST', '/accounts', { login: 'reseller' })
    },
  ],
])('it waits over %s, and strikes once', async (_what, meddle) => {
  const sim = await start()
  const hasStruck = strikeFirstCall(sim.simulation, 'getCredit', mishap('503'))
  await meddle(sim)
  await sim.call('GET', '/api/clients')
  expect(hasStruck()).toBe(false)
  expect(await credit(sim)).toBe(503)
  expect(hasStruck()).toBe(true)
  await admin(sim, 'DELETE', '/faults')
  expect(await credit(sim)).toBe(200)
  await admin(sim, 'POST', '/reset')
  expect(await credit(sim)).toBe(200)
})

test('strikes once in total, in whichever account, also in those that the client creates', async () => {
  const sim = await start()
  const hasStruck = strikeFirstCall(sim.simulation, 'getCredit', mishap('503'))
  const logins = [
    (await admin(sim, 'POST', '/accounts')).login,
    (await admin(sim, 'POST', '/accounts')).login,
  ]
  const statuses = await Promise.all(logins.map((login) => credit(sim, login)))
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 503])
  expect(hasStruck()).toBe(true)
  expect(await credit(sim)).toBe(200)
})

test('leaves the client’s faults their ids, and strikes before them', async () => {
  const sim = await start()
  strikeFirstCall(sim.simulation, 'getCredit', mishap('503'))
  expect((await admin(sim, 'POST', '/faults', fault)).id).toBe(1)
  expect([await credit(sim), await credit(sim)]).toEqual([503, 401])
  expect(await admin(sim, 'GET', '/faults')).toMatchObject([{ id: 1, used: 1 }])
})

test('names the request that was struck, which met the world just before with the fault armed', async () => {
  const sim = await start()
  const seen = new Observer(sim.simulation, 10)
  strikeFirstCall(sim.simulation, 'orderService', mishap('lost'))
  const order = (login: string | null = 'reseller') =>
    sim.call('POST', '/api/product/101', { login, body: { clientid: 11 } })
  await order(null)
  await expect(order()).rejects.toThrow(/hang up|ECONNRESET/)
  await order()
  const struck = struckRequest(seen.records, 'orderService')
  expect(struck).toMatchObject({ id: 2, before: { faults: [{ operation: 'orderService', used: 0 }] } })
})
