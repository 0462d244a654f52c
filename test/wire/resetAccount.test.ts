import { expect, test } from 'vitest'
import { adminOf, two } from '../support/admin.ts'
import { start, worldOf } from '../support/start.ts'

const order = { body: { clientid: 11 } }

test('a reset of one account includes its part of journal and coverage', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  const fresh = (await admin('GET', '/accounts/reseller')).text
  await simulator.call('POST', '/api/product/101', order)
  await simulator.call('GET', '/api/clients', { login: 'other' })
  await admin('POST', '/faults?account=reseller', { operation: '*', delay: 1 })
  const other = (await admin('GET', '/accounts/other')).text
  expect((await admin('POST', '/reset?account=reseller')).status).toBe(200)
  expect((await admin('GET', '/accounts/reseller')).text).toBe(fresh)
  expect((await admin('GET', '/accounts/other')).text).toBe(other)
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1, requests: [{ account: 'other' }] })
  expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 1 })
  expect((await admin('GET', '/coverage?account=reseller')).json).toMatchObject({ covered: 0 })
  expect((await admin('GET', '/faults?account=reseller')).json).toEqual([])
  expect((await admin('POST', '/reset?account=nobody')).status).toBe(404)
  expect((await admin('DELETE', '/requests?account=nobody')).status).toBe(404)
  expect((await admin('DELETE', '/requests?operation=getCredit')).status).toBe(400) // else it would clear everything
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1 })
})

test('a reset keeps the replaced account as the snapshot before-load', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  await simulator.call('POST', '/api/product/101', order)
  const changed = (await admin('GET', '/accounts/reseller')).text
  await admin('POST', '/reset?account=reseller')
  await simulator.call('POST', '/api/product/201', { ...order, login: 'reseller' })
  await admin('PATCH', '/accounts/other', { credit: 1 })
  expect((await admin('GET', '/snapshots')).json).toMatchObject([{ id: 'before-load' }])
  expect((await admin('POST', '/snapshots/before-load/restore')).status).toBe(200)
  expect((await admin('GET', '/accounts/reseller')).text).toBe(changed)
  expect((await admin<{ credit: number }>('GET', '/accounts/other')).json.credit).toBe(1)
})

test('a load keeps all replaced accounts as the snapshot before-load', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  await simulator.call('POST', '/api/product/101', order)
  const changed = (await admin('GET', '/scenario')).text
  await admin('POST', '/scenarios/low-funds/load')
  await admin('POST', '/snapshots/before-load/restore')
  expect((await admin('GET', '/scenario')).text).toBe(changed)
})

test('a created account is reset to the scenario that it was created from, and keeps its token', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  const { json } = await admin<{ login: string; token: string; password: string }>('POST', '/accounts', {
    scenario: 'low-funds',
  })
  const world = async () => {
    const {
      clock: _now,
      services: _since,
      ...rest
    } = (await admin<Record<string, unknown>>('GET', `/accounts/${json.login}`)).json
    return rest
  }
  const fresh = await world()
  await admin('PATCH', `/accounts/${json.login}`, { credit: 1000 })
  await admin('POST', `/reset?account=${json.login}`)
  expect(await world()).toEqual(fresh)
  const authorization = `Basic ${Buffer.from(`${json.login}:${json.token}`).toString('base64')}`
  expect((await simulator.call('GET', '/api/billing/credit', { headers: { authorization } })).status).toBe(
    200,
  )
})

test('a wrong password for another login is refused if only one account makes credentials optional', async () => {
  const simulator = await start({ scenario: two })
  const admin = adminOf(() => simulator)
  await admin('PATCH', '/accounts/reseller', { assumptions: { stickyAuth: 'open' } })
  const path = '/api/sticky/changettl/5002/5'
  const ask = (authorization?: string) =>
    simulator.call('GET', path, { login: null, headers: { authorization } })
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
  const before = worldOf(simulator).version
  expect(await ask(basic('other:wrong'))).toMatchObject({ status: 401 })
  expect(worldOf(simulator).version).toBe(before)
  expect(await ask(basic('reseller:wrong'))).toMatchObject({ status: 200 })
  expect(await ask()).toMatchObject({ status: 200 })
  expect(await ask(basic('nobody:at all'))).toMatchObject({ status: 200 })
})
