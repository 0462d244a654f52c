import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { caseReply, findCase as findCaseIn } from '../../src/contract/caseReply.ts'
import { parseExampleCall, type ExampleCall } from '../../scripts/exampleCall.ts'
import { billingCycles, invoiceStatuses, productTypes, serviceStatuses } from '../../src/service/values.ts'
import { load } from '../../src/Simulation.ts'
import { start, startForAll, type TestSimulator, getWorld } from '../support/start.ts'

const folder = new URL('../../scenarios/', import.meta.url)
const scenarios = readdirSync(folder).map((file) => {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const { description } = parse(text) as { description: string }
  const exampleCall = parseExampleCall(description)
  if (!exampleCall) throw new Error(`${file}: The description names no call.`)
  return { name: basename(file, '.yaml'), text, description, exampleCall, case: exampleCall.case }
})
const getExampleCall = (name: string): ExampleCall =>
  scenarios.find((one) => one.name === name)?.exampleCall as ExampleCall

/** The documented login and password of the shipped scenarios. */
const documented = { login: 'reseller', password: 'secret' }

function sendExample(sim: TestSimulator, { method, path, body, credentials = documented }: ExampleCall) {
  const login = `${credentials.login}:${credentials.password}`
  return sim.call(method, path, { login, ...(body !== undefined && { raw: body }) })
}

/** Finds a case of the called operation in the contract, with the status that the account's interpretations give it. */
function findCase(sim: TestSimulator, { method, path }: ExampleCall, name: string) {
  const match = sim.simulation.contract.match(method, path)
  const world = getWorld(sim)
  const found = match && 'operation' in match ? findCaseIn(match.operation, name, world) : undefined
  if (!found) throw new Error(`The contract has no case ${name} for ${method} ${path}.`)
  return found
}

test.each(scenarios)(
  '$name begins with its schema, and has a description of one line',
  ({ text, description }) => {
    expect(text.split('\n', 1)[0]).toBe('# yaml-language-server: $schema=../scenario.schema.json')
    expect(description).toMatch(/^[A-Z][^\n]*\.$/)
  },
)

test.each(scenarios.filter((one) => one.case !== undefined))(
  '$name: its example call is refused with $case',
  async ({ name, exampleCall, case: caseName = '' }) => {
    const sim = await start({ scenario: name })
    const expected = findCase(sim, exampleCall, caseName)
    const { status, text, headers } = await sendExample(sim, exampleCall)
    expect([headers['sim-case'], status]).toEqual([caseName, expected.status])
    expect(headers['content-type']).toContain(expected.contentType)
    expect(text).toBe(caseReply(expected).body) // as docs/errors.md shows it
  },
)

test.each(
  scenarios.filter(
    ({ name, exampleCall }) =>
      exampleCall.status !== undefined && !['slow', 'flaky', 'order-lost'].includes(name),
  ),
)('$name: its example call returns the described response', async ({ name, description, exampleCall }) => {
  const sim = await start({ scenario: name })
  const { status, json } = await sendExample(sim, exampleCall)
  expect(status).toBe(exampleCall.status)
  expect((json as unknown[]).length === 0).toBe(description.includes('an empty list'))
})

test('every case of the contract is shown by a scenario', async () => {
  const sim = await start()
  const all = sim.simulation.contract.operations.flatMap(({ cases }) =>
    cases.map(({ status, name }) => `${status} ${name}`),
  )
  const shownCases = await Promise.all(
    scenarios
      .filter((one) => one.case !== undefined)
      .map(async ({ name, exampleCall, case: shown = '' }) => {
        const { status } = findCase(await start({ scenario: name }), exampleCall, shown)
        return `${status} ${shown}`
      }),
  )
  expect([...new Set(shownCases)].toSorted()).toEqual([...new Set(all)].toSorted())
})

describe('forced responses', () => {
  test('order-lost: the first order is paid but gets no response, the next one does', async () => {
    const sim = await start({ scenario: 'order-lost' })
    await expect(sendExample(sim, getExampleCall('order-lost'))).rejects.toThrow(/ECONNRESET|hang up/)
    expect((await sim.call('GET', '/api/billing/credit')).json).toEqual({ credit: 230 })
    expect((await sendExample(sim, getExampleCall('order-lost'))).status).toBe(200)
    expect((await sim.call('GET', '/api/billing/credit')).json).toEqual({ credit: 210 })
  })

  test('flaky: a few calls return 503, and the same calls after a reset', async () => {
    const sim = await start({ scenario: 'flaky' })
    const failed = async () => {
      const numbers: number[] = []
      for (let i = 0; i < 40; i++) if ((await sim.call('GET', '/api/clients')).status === 503) numbers.push(i)
      return numbers
    }
    const first = await failed()
    expect(first.length).toBeGreaterThan(2)
    expect(first.length).toBeLessThan(20)
    await load(sim.simulation, await sim.simulation.store.scenario())
    expect(await failed()).toEqual(first)
  })

  test('slow: every operation has a delay of two seconds', async () => {
    const sim = await start({ scenario: 'slow' })
    // Other tests check that delays take time.
    expect((await sim.call('GET', '/__admin/faults')).json).toMatchObject([{ operation: '*', delay: 2000 }])
  })
})

describe('default', () => {
  const sim = startForAll()
  const world = () => getWorld(sim())

  test('has every status, cycle and type', () => {
    const { services, invoices, products } = world()
    const values = <T>(records: Record<string, T>, field: keyof T) =>
      [...new Set(Object.values(records).map((record) => String(record[field])))].toSorted()
    expect(values(services, 'status')).toEqual(serviceStatuses.toSorted())
    expect(values(services, 'billingcycle')).toEqual(billingCycles.toSorted())
    expect(values(services, 'product_type')).toEqual(productTypes.toSorted())
    expect(values(products, 'product_type')).toEqual(productTypes.toSorted())
    expect(values(invoices, 'status')).toEqual(invoiceStatuses.toSorted())
  })

  test('has one account, whose token works like its password, and a running clock', async () => {
    expect((await sim().call<object[]>('GET', '/__admin/accounts')).json).toMatchObject([
      { login: 'reseller', clock: { frozen: false } },
    ])
    expect((await sim().call('GET', '/api/clients', { login: 'reseller:tok_reseller' })).status).toBe(200)
  })

  test('hides a product and a group: neither is listed, both can be read', async () => {
    const hidden = Object.entries(world().products).filter(
      ([, one]) => one.product_hidden || one.group_hidden,
    )
    expect(hidden.map(([, one]) => [one.product_hidden, one.group_hidden])).toEqual([
      [true, false],
      [false, true],
    ])
    const listed = (await sim().call<{ productId: number }[]>('GET', '/api/products')).json
    for (const [id] of hidden) {
      expect(listed.map(({ productId }) => productId)).not.toContain(Number(id))
      expect((await sim().call('GET', `/api/product/${id}`)).status).toBe(200)
    }
  })

  test('has data for every operation that reads', async () => {
    const lists =
      'clients stats/5101 rate/5101 products networkstatus/errors/5001 networkstatus/inactive/5001 billing/invoices billing/invoice/9001 services sticky/list/5101'
    for (const path of lists.split(' '))
      expect((await sim().call<unknown[]>('GET', `/api/${path}`)).json, path).not.toEqual([])
    for (const id of Object.keys(world().services))
      expect((await sim().call('GET', `/api/service/${id}`)).status, id).toBe(200)
  })
})

test('every scenario survives export and load, and no IP or e-mail address in it can belong to anyone', async () => {
  const sim = await start()
  const { admin } = sim
  const withoutTime = (text: string) => text.replaceAll(/"now":"[^"]*"/g, '"now":""') // running clocks differ
  for (const { name } of scenarios) {
    await admin('POST', `/scenarios/${name}/load`)
    const { text } = await admin('GET', '/scenario')
    const loaded = await admin('PUT', '/scenario', undefined, { raw: text })
    expect(loaded.status, `${name}: ${loaded.text}`).toBe(200)
    expect(withoutTime((await admin('GET', '/scenario')).text), name).toBe(withoutTime(text))
    const addresses = text.match(/\b\d{1,3}(\.\d{1,3}){3}\b|[\w.+-]+@[\w.-]+/g) ?? []
    const reserved = /^(192\.0\.2|198\.51\.100|203\.0\.113|198\.1[89]\.\d+)\.\d+$|@example\.(com|net|org)$/
    expect(
      addresses.filter((address) => !reserved.test(address)),
      name,
    ).toEqual([])
  }
})
