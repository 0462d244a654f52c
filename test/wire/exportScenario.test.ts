import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../support/anyText.ts'
import { cloneSimulator, start, getWorld, type TestSimulator } from '../support/start.ts'

type Call = [method: string, path: string, body?: object]

/** Calls that give equal responses in equal states. Those that change the state come last, and in this order. */
const calls: Call[] = [
  ...`clients products services billing/credit billing/invoices products/orderby/price product/101 product/201
  product/999 service/5001 service/5101 service/999 stats/5101 rate/5101 networkstatus/errors/5001
  networkstatus/inactive/5001 billing/invoice/9001 iplist/http-ip/txt/5001 iplist/ppr-socks/csv/5101 sticky/list/5101
  sticky/rotate/5101/us1/abc`
    .split(/\s+/)
    .map((path): Call => ['GET', path]),
  ['PUT', 'service/5002', { update_list: 'true' }],
  ['PUT', 'service/5001', { setip: '192.0.2.20' }],
  ['PUT', 'service/5008', { setip: '203.0.113.3', password: 'cHc=' }],
  ['POST', 'product/101', { clientid: 11 }],
  ['POST', 'product/201', { clientid: 12 }],
  ['GET', 'sticky/changettl/5101/3'],
  ['GET', 'sticky/resetall/5102'],
  ['GET', 'services'],
  ['GET', 'billing/invoices'],
]

async function collectResponses(sim: TestSimulator, asked: readonly Call[] = calls): Promise<object[]> {
  const responses: object[] = []
  for (const [method, path, body] of asked) {
    const { status, text, headers } = await sim.call(method, `/api/${path}`, body ? { body } : {})
    // The time of the next update may differ by a second between two simulators.
    responses.push({
      path,
      status,
      text: text.replaceAll(/\d\d:\d\d:\d\d/g, 'then'),
      case: headers['sim-case'],
    })
  }
  return responses
}

const worlds = (sim: TestSimulator, ...logins: string[]) =>
  logins.map((login) => ({ ...getWorld(sim, login), version: 0, origin: 0, clock: 0 }))

/** Changes the state, so that it differs from any scenario. */
async function useAccount(sim: TestSimulator): Promise<void> {
  await sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await sim.call('POST', '/api/product/105', { body: { clientid: 12, setip: '203.0.113.7' } })
  await sim.call('PUT', '/api/service/5002', { body: { update_list: 'true' } })
  await sim.call('GET', '/api/sticky/rotate/5101/us1/abc')
  await sim.call('POST', '/__admin/accounts/reseller/tokens')
}

test.each(['json', 'yaml'])(
  'a loaded export with a frozen clock gives the same responses: %s',
  async (format) => {
    const sim = await start({ scenario: 'update-list-throttled' })
    await useAccount(sim)
    const other = await cloneSimulator(sim, format)
    const clock = async (one: TestSimulator) => (await one.call('GET', '/__admin/clock')).json
    expect(await clock(other)).toEqual(await clock(sim))
    expect(await collectResponses(other)).toEqual(await collectResponses(sim))
  },
)

test('with a running clock, throttle and sessions continue', async () => {
  const sim = await start()
  await useAccount(sim)
  await sim.call('POST', '/__admin/clock/advance', { body: { by: 'P1D' } })
  await useAccount(sim)
  const other = await cloneSimulator(sim)
  const steady = calls.filter(([, path]) => !path.startsWith('sticky/'))
  expect(await collectResponses(other, steady)).toEqual(await collectResponses(sim, steady))
  const { now, frozen } = (await other.call<{ now: string; frozen: boolean }>('GET', '/__admin/clock')).json
  expect(frozen).toBe(false)
  expect(Date.parse(now)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000)
})

test('several accounts, other interpretations and generated records are exported', async () => {
  const accounts = { reseller: { generate: { clients: 20, services: 50, invoices: 50 } } }
  const sim = await start({ scenario: { extends: 'default', accounts } })
  const interpretations = { assumptions: { updateResult: 'all' }, limits: { updateListInterval: 1 } }
  await sim.call('PATCH', '/__admin/accounts/reseller', { body: interpretations })
  await sim.call('POST', '/__admin/accounts', { body: { login: 'second', scenario: 'low-funds' } })
  await sim.call('POST', '/__admin/accounts', { body: { login: 'third', scenario: 'low-funds' } })
  const logins = ['reseller', 'second', 'third']
  for (const format of ['json', 'yaml'])
    expect(worlds(await cloneSimulator(sim, format), ...logins)).toEqual(worlds(sim, ...logins))
})

/** Texts that YAML could parse as other types */
const odd =
  `yes|null|~|007|011|1e3|5|-1|.5|0x1F|.inf|<<|*a|&a|!!int 5|# x|- a|a: b| a ||a\nb|a\u2028b\u2029|\u0085|\ufeff|\u007f|"|'|[|a, b|%|@a|1.2.3|2026-01-15`.split(
    '|',
  )

test.each(['json', 'yaml'])('any text is exported unchanged, also as a login: %s', async (format) => {
  const texts = [...odd, ...fc.sample(anyText({ maxLength: 20 }), { numRuns: 300, seed: 1 })]
  const wellFormed = texts.map((text) => Buffer.from(text).toString())
  const accounts = Object.fromEntries(
    wellFormed
      .filter((text) => !/[:\p{Cc}]|^\.{0,2}$|^__proto__$/u.test(text) && text === text.normalize('NFC'))
      .map((login) => [login, { password: 'p' }]),
  )
  const clients = Object.fromEntries(wellFormed.map((email, i) => [i + 1, { email: email || 'none' }]))
  const sim = await start({ scenario: { accounts: { ana: { password: 'p', clients }, ...accounts } } })
  const logins = ['ana', ...Object.keys(accounts)]
  expect(worlds(await cloneSimulator(sim, format), ...logins)).toEqual(worlds(sim, ...logins))
})

test('what a load would refuse is not exported, but kept in snapshots', async () => {
  const { admin, call } = await start({ scenario: 'empty' })
  const clients = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i + 1, {}]))
  const scenario = { description: 'x', accounts: { reseller: { password: 'secret', clients } } }
  expect(await admin('PUT', '/scenario', scenario)).toMatchObject({ status: 200 })
  expect(await admin('GET', '/scenario')).toMatchObject({ status: 200 })
  expect(await admin('PATCH', '/accounts/reseller', { clients: { 20001: {} } })).toMatchObject({
    status: 200,
  })
  const snapshot = await admin<{ id: string }>('POST', '/snapshots')
  await call('GET', '/api/clients')
  for (const path of ['/scenario', '/requests/1/repro'])
    for (const accept of ['application/json', 'application/yaml']) {
      const { status, text } = await admin('GET', path, undefined, { headers: { accept } })
      expect([status, text]).toEqual([
        413,
        expect.stringContaining(
          'accounts.reseller.clients: 20001 clients. A scenario may have at most 20000',
        ),
      ])
    }
  expect(await admin('POST', `/snapshots/${snapshot.json.id}/restore`)).toMatchObject({ status: 200 })
})

test('YAML above 256 KB is neither read nor written; JSON is both', async () => {
  const sim = await start({ scenario: { accounts: { ana: { password: 'p', generate: { clients: 9000 } } } } })
  const yaml = await sim.call('GET', '/__admin/scenario', { headers: { accept: 'application/yaml' } })
  expect([yaml.status, yaml.text]).toEqual([413, expect.stringContaining('Accept: application/json')])
  const json = await sim.call<object>('GET', '/__admin/scenario')
  const put = (type: string, raw: string) =>
    sim.call('PUT', '/__admin/scenario', { raw, headers: { 'content-type': type } })
  expect((await put('application/json', json.text)).status).toBe(200)
  const long = await put('application/yaml', `${json.text.slice(0, -1)}, # ours\n}`)
  expect([long.status, long.text]).toEqual([400, expect.stringMatching(/At most 256 KB .* JSON .*generate:/)])
})
