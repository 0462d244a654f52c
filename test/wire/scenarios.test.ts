import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { adminOf, small } from '../support/admin.ts'
import { start, startForAll, type Started } from '../support/start.ts'
import { version } from '../../src/lib/files.ts'

interface Failed {
  error: string
}

interface Loaded {
  scenario: string
  accounts: string[]
}

async function credit(simulator: Started): Promise<number> {
  return (await simulator.call<{ credit: number }>('GET', '/api/billing/credit')).json.credit
}

describe('overview', () => {
  const simulator = startForAll()
  const admin = adminOf(simulator)

  test('health has version and scenario', async () => {
    const { status, json } = await admin('GET', '/health')
    expect({ status, json }).toEqual({ status: 200, json: { status: 'ok', version, scenario: 'default' } })
  })

  test('the scenarios are listed with their descriptions', async () => {
    const { json } = await admin<{ name: string; description: string }[]>('GET', '/scenarios')
    expect(json.map(({ name }) => name)).toContain('low-funds')
    expect(json.filter(({ description }) => !description || description.startsWith("can't"))).toEqual([])
  })

  test('the description of the control plane and the contract in use are served', async () => {
    const own = await admin('GET', '/openapi.yaml')
    expect(own.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(Object.keys((parse(own.text) as { paths: object }).paths)).toContain('/__admin/health')
    const contract = await simulator().call('GET', '/openapi.yaml')
    expect(contract.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(Object.keys((parse(contract.text) as { paths: object }).paths)).toContain('/api/clients')
  })

  test('assumptions are listed with their reading in the account', async () => {
    const { json } = await admin<{ id: string; default: unknown; current: unknown }[]>('GET', '/assumptions')
    expect(json.filter((one) => one.current !== one.default)).toEqual([])
    await admin('PATCH', '/accounts/reseller', {
      assumptions: { geo: 'object' },
      limits: { updateListInterval: 7 },
    })
    const { json: flipped } = await admin<typeof json>('GET', '/assumptions?account=reseller')
    expect(flipped.find(({ id }) => id === 'geo')?.current).toBe('object')
    expect(flipped.find(({ id }) => id === 'updateListInterval')?.current).toBe(7)
  })
})

describe('loading', () => {
  test('resets everything to the named scenario', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
    const { status, json } = await admin<Loaded>('POST', '/scenarios/low-funds/load')
    expect({ status, json }).toEqual({ status: 200, json: { scenario: 'low-funds', accounts: ['reseller'] } })
    const order = await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
    expect(order.headers['sim-case']).toBe('insufficient-funds')
    const { json: journal } = await admin<{ total: number }>('GET', '/requests')
    expect(journal.total).toBe(1)
    expect((await admin<Failed>('GET', '/health')).json).toMatchObject({ scenario: 'low-funds' })
  })

  test('an unknown scenario is refused, and the nearest is named', async () => {
    const simulator = await start({ scenario: small })
    const { status, json } = await adminOf(() => simulator)<Failed>('POST', '/scenarios/low-fund/load')
    expect(status).toBe(404)
    expect(json.error).toContain('Did you mean "low-funds"?')
    expect(await credit(simulator)).toBe(100)
  })

  test.each(['json', 'yaml', 'text/yaml', 'application/x-yaml', 'application/yaml; charset=utf-8'])(
    'accepts the scenario in the body, also one that extends a shipped one: %s',
    async (type) => {
      const simulator = await start({ scenario: small })
      const raw =
        '{ "description": "x", "extends": "default", "accounts": { "reseller": { "credit": 1.5 } } }'
      const contentType = type.includes('/') ? type : `application/${type}`
      const headers = { 'content-type': contentType }
      const { json } = await adminOf(() => simulator)<Loaded>('PUT', '/scenario', undefined, { raw, headers })
      expect(json).toEqual({ scenario: '(posted)', accounts: ['reseller'] })
      expect(await credit(simulator)).toBe(1.5)
    },
  )
})

test('a reset brings state, journal, coverage and faults back to the start', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await admin('POST', '/faults', { operation: 'getCredit', respond: 'unauthenticated' })
  await admin('POST', '/accounts', { login: 'extra' })
  await admin('POST', '/clock/advance?account=reseller', { by: 'P1D' })
  const { status, json } = await admin<Loaded>('POST', '/reset')
  expect({ status, json }).toEqual({ status: 200, json: { scenario: 'test', accounts: ['reseller'] } })
  expect((await admin<{ total: number }>('GET', '/requests')).json.total).toBe(0)
  expect((await admin<{ covered: number }>('GET', '/coverage')).json.covered).toBe(0)
  expect((await admin('GET', '/faults')).json).toEqual([])
  expect((await admin('GET', '/clock')).json).toMatchObject({ now: '2026-01-15T12:00:00.000Z', frozen: true })
  expect(await credit(simulator)).toBe(100)
})

test('every shipped scenario survives export and load', async () => {
  const simulator = await start()
  const admin = adminOf(() => simulator)
  const { json: scenarios } = await admin<{ name: string }[]>('GET', '/scenarios')
  for (const { name } of scenarios.filter((one) => one.name !== 'large')) {
    await admin('POST', `/scenarios/${name}/load`)
    const { json: before } = await admin<object>('GET', '/scenario')
    const { status, text } = await admin('PUT', '/scenario', before)
    expect(status, `${name}: ${text}`).toBe(200)
    const { text: after } = await admin('GET', '/scenario')
    expect(withoutTime(after), name).toBe(withoutTime(JSON.stringify(before)))
  }
})

/** Running clocks have moved on. */
function withoutTime(text: string): string {
  return text.replaceAll(/"now":"[^"]*"/g, '"now":""')
}
