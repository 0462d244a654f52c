import { describe, expect, it } from 'vitest'
import { scenarioWith } from '../support/scenario.ts'
import { start, startForAll, type Started } from '../support/start.ts'

const simulator = startForAll({ scenario: scenarioWith() })

async function get(path: string): Promise<unknown> {
  const { status, headers, json } = await simulator().call('GET', path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  return json
}

const group = { groupId: 1, groupName: 'Static', created_at: '2025-01-02' }
const rotating = {
  productId: 201,
  price: 49.9,
  groupId: 2,
  groupName: 'Rotating',
  created_at: '2025-03-04',
}
const shown = { product_hidden: false, group_hidden: false }
const paid = {
  id: 9001,
  description: 'Static 10',
  status: 'Paid',
  created_at: '2025-12-20',
  amount: 20,
  date_paid: '2025-12-20',
  paymentmethod: 'credit',
  serviceid: 5001,
}
const session = { server: 'us1', ttl: 10, expires_at: '2026-01-15 12:10:00' }

/** Field by field. What lists products leaves out the hidden one; the dates of an invoice depend on its status. */
const responses: Record<string, unknown> = {
  clients: [
    { id: 11, email: 'ana@example.com' },
    { id: 12, email: 'ben@example.com' },
  ],
  products: [
    { productId: 101, productName: 'Static 10', price: 20, ...group },
    { productName: 'Rotating', ...rotating },
    {
      productId: 202,
      productName: 'Free trial',
      price: 0,
      groupId: 3,
      groupName: 'Free',
      created_at: '2025-02-01',
    },
  ],
  'product/101': {
    productId: 101,
    price: 20,
    ...group,
    ...shown,
    product_type: 'fpr',
    ip_count: 10,
    update_time: '2026-01-01 06:00:00',
    geo: ['US', 'DE'],
  },
  'product/201': { ...rotating, ...shown, product_type: 'ppr' },
  'service/5001': {
    service_id: 5001,
    orderid: 7001,
    product_name: 'Static 10',
    regdate: '2025-12-20',
    nextduedate: '2026-01-20',
    status: 'Active',
    billingcycle: 'Monthly',
    username: 'u5001',
    password: 'p,5"0:01',
    bindedip: '192.0.2.10',
    product_type: 'fpr',
    ip_count: 2,
    price: 20,
  },
  'billing/invoices': [
    paid,
    {
      id: 9002,
      description: 'Rotating',
      status: 'Unpaid',
      created_at: '2026-01-14',
      amount: 49.9,
      paymentmethod: 'credit',
      serviceid: 5002,
    },
    {
      id: 9003,
      description: 'Gone',
      status: 'Refunded',
      created_at: '2025-11-01',
      amount: 5,
      date_refunded: '2025-11-05',
      date_paid: '2025-11-01',
      paymentmethod: 'credit',
      serviceid: 5003,
    },
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
])('lists the products by %s, the smallest first', async (field, ids) => {
  const listed = (await get(`/api/products/orderby/${field}`)) as { productId: number }[]
  expect(listed.map(({ productId }) => productId)).toEqual(ids)
})

it('lists the services, whatever their status', async () => {
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

it('lists nothing of an empty account', async () => {
  const { call } = await start({ scenario: { accounts: { reseller: { password: 'secret' } } } })
  for (const path of 'clients products products/orderby/price billing/invoices billing/invoice/9001 services'.split(
    ' ',
  ))
    expect(await call('GET', `/api/${path}`), path).toMatchObject({ status: 200, json: [] })
})

describe('what is asked again', () => {
  const admin: Started['admin'] = (...asked) => simulator().admin(...asked)

  it('shows every change at once, and each account its own', async () => {
    const price = async (login?: string): Promise<number | undefined> => {
      const { json } = await simulator().call<{ price: number }[]>('GET', '/api/products', {
        ...(login !== undefined && { headers: { authorization: `Basic ${btoa(login)}` } }),
      })
      return json[0]?.price
    }
    const { json: other } = await admin<{ login: string; password: string }>('POST', '/accounts', {})
    const login = `${other.login}:${other.password}`
    for (const wanted of [20, 21, 22]) {
      await admin('PATCH', '/accounts/reseller', { products: { 101: { price: wanted } } })
      const seen = [await price(), await price(login), await price(), await price()]
      expect(seen).toEqual([wanted, 20, wanted, wanted])
    }
    await admin('POST', '/reset', undefined)
    expect(await price()).toBe(20)
  })
})
