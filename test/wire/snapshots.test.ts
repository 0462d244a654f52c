import { expect, test } from 'vitest'
import { two } from '../support/scenario.ts'
import { start } from '../support/start.ts'

test('snapshots, loads and resets return what they loaded; unknown names are refused', async () => {
  const { admin, call } = await start({ scenario: two })
  expect((await admin('POST', '/snapshots')).json).toMatchObject({ id: 's1', scenario: 'test' })
  const loaded = await admin('POST', '/scenarios/low-funds/load')
  expect(loaded.json).toEqual({ scenario: 'low-funds', accounts: ['reseller'] })
  expect((await admin('POST', '/snapshots/s1/restore')).json).toEqual({ id: 's1', scenario: 'test' })
  expect((await admin('POST', '/reset')).json).toEqual({ scenario: 'test', accounts: ['reseller', 'other'] })
  await call('GET', '/api/clients', { login: 'other' })
  expect((await admin('POST', '/snapshots/s2/restore')).text).toMatch(/Unknown snapshot.*Available: s1/)
  expect((await admin('DELETE', '/requests?operation=getCredit')).status).toBe(400) // otherwise, it would clear everything
  expect((await admin('GET', '/requests')).json).toMatchObject({ total: 1 })
})

test('a created account has the state of its scenario, also after a reset, which keeps its token', async () => {
  const { admin, call } = await start({ scenario: two })
  const { json } = await admin<{ login: string; token: string }>('POST', '/accounts', {
    scenario: 'low-funds',
  })
  const world = async () => {
    const { json: shown } = await admin<Record<string, unknown>>('GET', `/accounts/${json.login}`)
    const { clock: _now, services: _since, ...rest } = shown
    return rest
  }
  const fresh = await world()
  expect(json.token).toMatch(/^tok_[\w-]{20,}$/)
  expect(fresh).toMatchObject({ credit: 0.5 })
  await admin('PATCH', `/accounts/${json.login}`, { credit: 1000 })
  await admin('POST', `/reset?account=${json.login}`)
  expect(await world()).toEqual(fresh)
  const login = `${json.login}:${json.token}`
  expect((await call('GET', '/api/billing/credit', { login })).status).toBe(200)
})
