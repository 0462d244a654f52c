import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { small, two } from '../support/scenario.ts'
import { start, worldOf } from '../support/start.ts'
import { version } from '../../src/lib/files.ts'

test('health, the scenarios with their descriptions, and both contracts are served', async () => {
  const { admin, call } = await start()
  const { status, json } = await admin('GET', '/health')
  expect({ status, json }).toEqual({ status: 200, json: { status: 'ok', version, scenario: 'default' } })
  const { json: scenarios } = await admin<{ name: string; description: string }[]>('GET', '/scenarios')
  expect(scenarios.map(({ name }) => name)).toContain('low-funds')
  expect(scenarios.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([])
  for (const [path, part] of [
    ['/__admin/openapi.yaml', '/__admin/health'],
    ['/openapi.yaml', '/api/clients'],
  ] as const) {
    const { headers, text } = await call('GET', path)
    expect(headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(Object.keys((parse(text) as { paths: object }).paths)).toContain(part)
  }
})

test('assumptions are listed with their reading in the account', async () => {
  const { admin } = await start({ scenario: small })
  const changed = async () => {
    const { json } = await admin<{ id: string; default: string; value: string }[]>('GET', '/assumptions')
    return json.filter((one) => one.value !== one.default).map(({ id, value }) => `${id}: ${value}`)
  }
  expect(await changed()).toEqual([])
  await admin('PATCH', '/accounts/reseller', {
    assumptions: { geo: 'object' },
    limits: { updateListInterval: 7 },
  })
  expect((await changed()).toSorted()).toEqual(['geo: object', 'updateListInterval: 7'])
})

test('assumptions say whether they are confirmed, and whether a call relied on them', async () => {
  const { admin, call } = await start({ scenario: two })
  const named = async (flag: 'confirmed' | 'used', query = '') => {
    const { json } = await admin<Record<string, unknown>[]>('GET', `/assumptions${query}`)
    return json.filter((one) => one[flag] === true).map(({ id }) => id)
  }
  await admin('PATCH', '/accounts/reseller', { confirmed: ['geo', 'numbers'] })
  expect(await named('confirmed', '?account=reseller')).toEqual(['geo', 'numbers'])
  expect(await named('confirmed')).toEqual([])
  const exported = (await admin<{ accounts: Record<string, object> }>('GET', '/scenario')).json
  expect(exported.accounts['reseller']).toMatchObject({ confirmed: ['geo', 'numbers'] })

  expect(await named('used')).toEqual([])
  const reset = { operation: 'getCredit', drop: 'reset' }
  await admin('POST', '/faults?account=reseller', reset)
  await call('GET', '/api/billing/credit').catch(() => {}) // a call without a response is one, too
  await call('GET', '/api/product/101')
  const used = ['geo', 'numbers', 'timeZone']
  expect([await named('used', '?account=reseller'), await named('used')]).toEqual([used, used])
  expect(await named('used', '?account=other')).toEqual([])
  await admin('POST', '/reset')
  expect(await named('used')).toEqual([])
})

test.each(['application/json', 'application/yaml', 'text/yaml', 'application/x-yaml; charset=utf-8'])(
  'a scenario in the body is loaded, also one that extends a shipped one: %s',
  async (type) => {
    const { admin, call } = await start({ scenario: small })
    const raw = '{ "description": "x", "extends": "default", "accounts": { "reseller": { "credit": 1.5 } } }'
    const { json } = await admin('PUT', '/scenario', undefined, { raw, headers: { 'content-type': type } })
    expect(json).toEqual({ scenario: '(posted)', accounts: ['reseller'] })
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 1.5 })
  },
)

test('a wrong password for another login is refused if only one account makes credentials optional', async () => {
  const { admin, call, simulation } = await start({ scenario: two })
  await admin('PATCH', '/accounts/reseller', { assumptions: { stickyAuth: 'open' } })
  const ask = async (login: string | null) =>
    (await call('GET', '/api/sticky/changettl/5002/5', { login })).status
  const before = worldOf({ simulation }).version
  expect(await ask('other:wrong')).toBe(401)
  expect(worldOf({ simulation }).version).toBe(before)
  expect([await ask('reseller:wrong'), await ask(null), await ask('nobody:at all')]).toEqual([200, 200, 200])
})
