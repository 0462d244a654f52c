import { expect, test } from 'vitest'
import { FirstCallFault } from '../../src/runs/FirstCallFault.ts'
import { mishaps } from '../../src/faults/namedFaults.ts'
import { start, type Started } from '../support/start.ts'

function mishap(name: string) {
  const found = mishaps.find((one) => one.name === name)
  if (!found) throw new Error(`There is no mishap ${name}.`)
  return found
}

async function credit(sim: Started, login = 'reseller'): Promise<number> {
  return (await sim.call('GET', '/api/billing/credit', { login })).status
}

const admin = (sim: Started, method: string, path: string, body?: object) =>
  sim.call<{ id: string; login: string }>(method, `/__admin${path}`, body && { body })

test('strikes only the first call, whichever account makes it', async () => {
  const sim = await start({ scenario: 'two-accounts' })
  const fault = new FirstCallFault(sim.simulation, 'getCredit', mishap('503'))
  await sim.call('GET', '/api/clients')
  expect(fault.strike).toBeUndefined()
  expect(await credit(sim, 'another')).toBe(503)
  expect(fault.strike).toMatchObject({ account: 'another', request: 2 })
  expect([await credit(sim), await credit(sim, 'another')]).toEqual([200, 200])
})

test.each<[string, (sim: Started) => Promise<unknown>]>([
  ['a reset', (sim) => admin(sim, 'POST', '/reset')],
  ['another scenario', (sim) => admin(sim, 'POST', '/scenarios/low-funds/load')],
  ['all faults removed', (sim) => admin(sim, 'DELETE', '/faults')],
  ['a patch of the faults', (sim) => admin(sim, 'PATCH', '/accounts/reseller', { faults: [] })],
  [
    'a fault of the client',
    (sim) => admin(sim, 'POST', '/faults', { operation: 'getCredit', respond: 'unauthenticated' }),
  ],
  [
    'a snapshot',
    async (sim) => {
      const { json } = await admin(sim, 'POST', '/snapshots')
      await admin(sim, 'POST', '/scenarios/low-funds/load')
      await admin(sim, 'POST', `/snapshots/${json.id}/restore`)
    },
  ],
  [
    'the account made anew',
    async (sim) => {
      await admin(sim, 'DELETE', '/accounts/reseller')
      await admin(sim, 'POST', '/accounts', { login: 'reseller' })
    },
  ],
])('it waits over %s', async (_what, meddle) => {
  const sim = await start()
  const fault = new FirstCallFault(sim.simulation, 'getCredit', mishap('503'))
  await meddle(sim)
  expect(fault.strike).toBeUndefined()
  expect(await credit(sim)).toBe(503)
  expect(fault.strike).toBeDefined()
  await admin(sim, 'DELETE', '/faults')
  expect(await credit(sim)).toBe(200)
  await admin(sim, 'POST', '/reset')
  expect(await credit(sim)).toBe(200)
})

test('strikes accounts that the client creates, but only once in total', async () => {
  const sim = await start()
  const fault = new FirstCallFault(sim.simulation, 'getCredit', mishap('503'))
  const logins = [
    (await admin(sim, 'POST', '/accounts')).json.login,
    (await admin(sim, 'POST', '/accounts')).json.login,
  ]
  const statuses = await Promise.all(logins.map((login) => credit(sim, login)))
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 503])
  expect(fault.strike?.account).toBe(logins[statuses.indexOf(503)])
  expect(await credit(sim, (await admin(sim, 'POST', '/accounts')).json.login)).toBe(200)
})

test('leaves the client’s faults their ids, and strikes before them', async () => {
  const sim = await start()
  const fault = new FirstCallFault(sim.simulation, 'getCredit', mishap('503'))
  const { json: own } = await admin(sim, 'POST', '/faults', {
    operation: 'getCredit',
    respond: 'unauthenticated',
  })
  expect(own.id).toBe(1)
  expect([await credit(sim), await credit(sim)]).toEqual([503, 401])
  expect(fault.strike?.request).toBe(1)
  expect((await admin(sim, 'GET', '/faults')).json).toMatchObject([{ id: 1, used: 1 }])
})

test('keeps the world as it was just before, with the fault armed', async () => {
  const sim = await start()
  const fault = new FirstCallFault(sim.simulation, 'orderService', mishap('lost'))
  const order = () => sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await admin(sim, 'PATCH', '/accounts/reseller', { credit: 25 })
  await expect(order()).rejects.toThrow(/hang up|ECONNRESET/)
  const before = (await fault.strike?.repro)?.accounts['reseller']
  expect(before).toMatchObject({
    credit: 25,
    clock: { frozen: true },
    faults: [{ operation: 'orderService', used: 0 }],
  })

  const again = await start({ scenario: { accounts: { reseller: before } } })
  await expect(again.call('POST', '/api/product/101', { body: { clientid: 11 } })).rejects.toThrow(
    /hang up|ECONNRESET/,
  )
  expect((await again.call('GET', '/api/billing/credit')).json).toEqual({ credit: 5 })
})
