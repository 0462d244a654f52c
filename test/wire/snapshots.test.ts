import { expect, test } from 'vitest'
import { two } from '../support/scenario.ts'
import { start } from '../support/start.ts'

const order = { body: { clientid: 11 } }

async function setUp() {
  const simulator = await start({ scenario: two })
  return { ...simulator, text: async (path: string) => (await simulator.admin('GET', path)).text }
}

test('a snapshot can be restored completely, any number of times', async () => {
  const { admin, call } = await setUp()
  await call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
  expect(await admin('POST', '/snapshots')).toMatchObject({
    status: 201,
    json: { id: 's1', scenario: 'test' },
  })
  const { json: before } = await admin('GET', '/scenario')
  for (let i = 0; i < 2; i++) {
    await call('POST', '/api/product/101', order)
    await admin('POST', '/clock/advance?account=reseller', { by: 'PT2H' })
    await admin('DELETE', '/accounts/other')
    const loaded = await admin('POST', '/scenarios/low-funds/load')
    expect(loaded.json).toEqual({ scenario: 'low-funds', accounts: ['reseller'] })
    const restored = await admin('POST', '/snapshots/s1/restore')
    expect(restored).toMatchObject({ status: 200, json: { id: 's1', scenario: 'test' } })
    expect((await admin('GET', '/scenario')).json).toEqual(before)
    expect((await call('PUT', '/api/service/5001', { body: { update_list: 'true' } })).status).toBe(429)
  }
  await admin('POST', '/reset')
  expect((await admin('GET', '/health')).json).toMatchObject({ scenario: 'test' })
  const unknown = await admin('POST', '/snapshots/s2/restore')
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('s1')])
})

test('a reset of all brings state, journal, coverage and faults back to the start', async () => {
  const { admin, call, text } = await setUp()
  const fresh = await text('/scenario')
  await call('POST', '/api/product/101', order)
  await admin('POST', '/faults?account=other', { operation: 'getCredit', respond: 'unauthenticated' })
  await admin('POST', '/accounts', { login: 'extra' })
  await admin('POST', '/clock/advance?account=reseller', { by: 'P1D' })
  const { status, json } = await admin('POST', '/reset')
  expect({ status, json }).toEqual({
    status: 200,
    json: { scenario: 'test', accounts: ['reseller', 'other'] },
  })
  expect(await text('/scenario')).toBe(fresh)
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 0 })
  expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 0 })
})

test('a reset of one account includes its part of journal and coverage', async () => {
  const { admin, call, text } = await setUp()
  const fresh = await text('/accounts/reseller')
  await call('POST', '/api/product/101', order)
  await call('GET', '/api/clients', { login: 'other' })
  await admin('POST', '/faults?account=reseller', { operation: '*', delay: 1 })
  const other = await text('/accounts/other')
  expect((await admin('POST', '/reset?account=reseller')).status).toBe(200)
  expect(await text('/accounts/reseller')).toBe(fresh)
  expect(await text('/accounts/other')).toBe(other)
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1, requests: [{ account: 'other' }] })
  expect((await admin('GET', '/coverage')).json).toMatchObject({ covered: 1 })
  expect((await admin('GET', '/coverage?account=reseller')).json).toMatchObject({ covered: 0 })
  expect((await admin('POST', '/reset?account=nobody')).status).toBe(404)
  expect((await admin('DELETE', '/requests?account=nobody')).status).toBe(404)
  expect((await admin('DELETE', '/requests?operation=getCredit')).status).toBe(400) // else it would clear everything
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1 })
})

test('a created account begins as its scenario does, is reset to that, and keeps its token', async () => {
  const { admin, call } = await setUp()
  const { json } = await admin<{ login: string; token: string }>('POST', '/accounts', {
    scenario: 'low-funds',
  })
  const world = async () => {
    const { json: shown } = await admin<Record<string, unknown>>('GET', `/accounts/${json.login}`)
    const { clock: _now, services: _since, ...rest } = shown
    return rest
  }
  const fresh = await world()
  expect(fresh).toMatchObject({ credit: 0.5 })
  await admin('PATCH', `/accounts/${json.login}`, { credit: 1000 })
  await admin('POST', `/reset?account=${json.login}`)
  expect(await world()).toEqual(fresh)
  const login = `${json.login}:${json.token}`
  expect((await call('GET', '/api/billing/credit', { login })).status).toBe(200)
})
