import { expect, it } from 'vitest'
import { products, reseller, scenarioWith } from '../support/scenario.ts'
import { start, startForAll } from '../support/start.ts'

const simulator = startForAll({ scenario: scenarioWith() })

async function get(path: string): Promise<unknown> {
  const { status, headers, json } = await simulator().call('GET', path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  return json
}

/** Picks fields of a record of the scenario. */
const pickFields = (record: object, fields: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => fields.split(' ').includes(name)))

const shownFields = 'productName price groupId groupName created_at'
const visibility = { product_hidden: false, group_hidden: false }
const { productName: _, ...fixed } = products[101]
const { productName: __, ...rotating } = products[201]
const paid = { id: 9001, ...reseller.invoices[9001] }
const session = { server: 'us1', ttl: 10, expires_at: '2026-01-15 12:10:00' }

/** Responses by path. Lists of products omit the hidden one, and the dates of an invoice depend on its status. */
const responses: Record<string, unknown> = {
  clients: [
    { id: 11, ...reseller.clients[11] },
    { id: 12, ...reseller.clients[12] },
  ],
  products: ([101, 201, 202] as const).map((id) => ({
    productId: id,
    ...pickFields(products[id], shownFields),
  })),
  'product/101': { productId: 101, ...fixed, ...visibility },
  'product/201': { productId: 201, ...rotating, ...visibility },
  'service/5001': {
    service_id: 5001,
    ...pickFields(reseller.services[5001], 'orderid status regdate username password bindedip'),
    product_name: 'Static 10',
    nextduedate: '2026-01-20',
    billingcycle: 'Monthly',
    product_type: 'fpr',
    ip_count: 2,
    price: 20,
  },
  'billing/invoices': [
    paid,
    { id: 9002, paymentmethod: 'credit', ...reseller.invoices[9002] },
    { id: 9003, paymentmethod: 'credit', ...reseller.invoices[9003] },
  ],
  'billing/invoice/9001': [paid],
  'stats/5002': [
    { date: '2026-01-13', rate: 80.5 },
    { date: '2026-01-14', rate: 120 },
  ],
  'stats/5004': [],
  'rate/5002': [{ limit: 10_000, rate: 200.5 }],
  'networkstatus/errors/5001': ['198.51.100.2'],
  'networkstatus/inactive/5001': ['198.51.100.1'],
  'networkstatus/errors/5002': [],
  'networkstatus/inactive/5002': [],
  'sticky/list/5002': [
    { ...session, session: 'abc', ip: '198.18.0.1' },
    { ...session, session: 'def', ip: '198.18.0.2' },
  ],
}

it.each(Object.entries(responses))('reads %s', async (path, response) => {
  expect(await get(`/api/${path}`)).toEqual(response)
})

it('reads a rotating service, which has neither a bound address nor an IP count', async () => {
  const [service, static_] = [await get('/api/service/5002'), await get('/api/service/5001')] as object[]
  const names = Object.keys(static_ ?? {}).filter((name) => name !== 'bindedip' && name !== 'ip_count')
  expect(Object.keys(service ?? {}).toSorted()).toEqual(names.toSorted())
})

it.each([
  ['productId', [101, 201, 202]],
  ['productName', [202, 201, 101]],
  ['price', [202, 101, 201]],
  ['groupId', [101, 201, 202]],
  ['groupName', [202, 201, 101]],
  ['created_at', [101, 202, 201]],
])('lists the products by %s in ascending order', async (field, ids) => {
  const listed = (await get(`/api/products/orderby/${field}`)) as { productId: number }[]
  expect(listed.map(({ productId }) => productId)).toEqual(ids)
})

it('lists services of every status', async () => {
  const services = (await get('/api/services')) as { service_id: number; status: string }[]
  expect(services.map(({ service_id: id }) => id)).toEqual([5001, 5002, 5003, 5004, 5005, 5006])
  expect(services.map(({ status }) => status)).toContain('Suspended')
  expect(services[0]).toEqual({
    service_id: 5001,
    product_name: 'Static 10',
    nextduedate: '2026-01-20',
    orderid: 7001,
    status: 'Active',
  })
})

it('returns empty lists for an empty account', async () => {
  const { call } = await start({ scenario: { accounts: { reseller: { password: 'secret' } } } })
  for (const path of 'clients products products/orderby/price billing/invoices billing/invoice/9001 services'.split(
    ' ',
  ))
    expect(await call('GET', `/api/${path}`), path).toMatchObject({ status: 200, json: [] })
})

it('shows every change immediately, even in cached reads, and only in its account', async () => {
  const { admin, call } = simulator()
  const price = async (login?: string) =>
    (await call<{ price: number }[]>('GET', '/api/products', login === undefined ? {} : { login })).json[0]
      ?.price
  await admin('POST', '/accounts', { login: 'other' })
  for (const newPrice of [20, 21, 22]) {
    await admin('PATCH', '/accounts/reseller', { products: { 101: { price: newPrice } } })
    const prices = [await price(), await price('other'), await price(), await price()]
    expect(prices).toEqual([newPrice, 20, newPrice, newPrice])
  }
  await admin('POST', '/reset')
  expect(await price()).toBe(20)
})
