import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { small, two } from '../support/scenario.ts'
import { start } from '../support/start.ts'
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

describe('served contracts name the origin of the request as their server:', () => {
  const hosts = ['127.0.0.1:4010', 'localhost:49153', '[::1]:80', '10.1.2.3', 'sim.example']
  test.each(['/openapi', '/__admin/openapi'])('%s', async (path) => {
    const { call } = await start({ allowedHosts: ['sim.example'] })
    const file = readFileSync(`${path.includes('admin') ? 'admin.' : ''}openapi.yaml`, 'utf8')
    const document = parse(file) as object
    for (const host of hosts) {
      const ask = async (end: string) => (await call('GET', `${path}.${end}`, { headers: { host } })).text
      const [yaml, json] = [await ask('yaml'), await ask('json')]
      const servers = [{ url: `http://${host}` }]
      const expected = { ...document, servers }
      expect(parse(yaml)).toEqual(expected)
      expect(JSON.parse(json)).toEqual(expected)
      expect(yaml).toContain(`\nservers:\n  - url: http://${host}\n`)
    }
  })
})

test('assumptions are listed with their value in the account', async () => {
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
  await call('GET', '/api/billing/credit').catch(() => {}) // a call without a response counts, too
  await call('GET', '/api/product/101')
  const used = ['geo', 'numbers', 'timeZone']
  expect([await named('used', '?account=reseller'), await named('used')]).toEqual([used, used])
  expect(await named('used', '?account=other')).toEqual([])
  await admin('POST', '/reset')
  expect(await named('used')).toEqual([])
})

test.each(['application/json', 'application/yaml', 'text/yaml', 'application/x-yaml; charset=utf-8'])(
  'a scenario in the body is loaded, even if it extends a shipped one: %s',
  async (type) => {
    const { admin, call } = await start({ scenario: small })
    const raw = '{ "description": "x", "extends": "default", "accounts": { "reseller": { "credit": 1.5 } } }'
    const { json } = await admin('PUT', '/scenario', undefined, { raw, headers: { 'content-type': type } })
    expect(json).toEqual({ scenario: '(posted)', accounts: ['reseller'] })
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 1.5 })
  },
)

test('scenarios, patches, entries and calls take the names and durations of the command line', async () => {
  const { admin } = await start({ scenario: 'empty' })
  const lost = { operation: '*', phase: 'after', drop: 'reset' }
  const account = {
    password: 'b',
    faults: ['lost'],
    timeline: [{ after: '10s', patch: { faults: ['slow'] } }],
  }
  const scenario = { description: 'x', clock: '2026-01-15T12:00:00Z', accounts: { a: account } }
  expect(await admin('PUT', '/scenario', scenario)).toMatchObject({ status: 200 })
  const faults = async () => (await admin<unknown[]>('GET', '/faults')).json
  expect(await faults()).toMatchObject([lost])
  expect(await admin('POST', '/clock/advance', { by: '1m' })).toMatchObject({ status: 200 })
  expect(await faults()).toMatchObject([{ delay: 5000, operation: '*' }])
  const stale = { name: 'stale', operation: 'getCredit', times: 2 }
  expect(await admin('POST', '/faults', stale)).toMatchObject({ status: 201, json: { stale: 1, times: 2 } })
  expect(await admin('POST', '/timeline', { after: '2h', patch: { credit: 1 } })).toMatchObject({
    status: 201,
  })
  const unavailable = { operation: '*', respond: { status: 503 } }
  for (const all of [[503], ['503'], [{ name: 503 }], { 1: 503 }]) {
    expect(await admin('PATCH', '/accounts/a', { faults: all })).toMatchObject({ status: 200 })
    expect((await faults())[0]).toMatchObject(unavailable)
  }
  for (const body of [503, '503', { name: 503 }])
    expect(await admin('POST', '/faults', body)).toMatchObject({ status: 201, json: unavailable })
  const timed = { ...scenario, accounts: { a: { ...account, faults: [503] } } }
  expect(await admin('PUT', '/scenario', timed)).toMatchObject({ status: 200 })
  expect(await faults()).toMatchObject([unavailable])
  const patch = { faults: [{ name: 'lost', operation: 'orderService' }] }
  expect(await admin('PATCH', '/accounts/a', patch)).toMatchObject({ status: 200 })
  expect(await faults()).toMatchObject([{ ...lost, operation: 'orderService' }])
})
