import { describe, expect, it } from 'vitest'
import { startForAll } from '../support/start.ts'
import { adminOf } from '../support/admin.ts'
import { scenarioWith } from '../support/scenario.ts'

const simulator = startForAll({ scenario: scenarioWith() })

async function get(path: string): Promise<unknown> {
  const { status, headers, json } = await simulator().call('GET', path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  return json
}

describe('reading, field by field', () => {
  it('lists the clients', async () => {
    expect(await get('/api/clients')).toEqual([
      { id: 11, email: 'ana@example.com' },
      { id: 12, email: 'ben@example.com' },
    ])
  })

  it('lists the products that are not hidden', async () => {
    expect(await get('/api/products')).toEqual([
      {
        productId: 101,
        productName: 'Static 10',
        price: 20,
        groupId: 1,
        groupName: 'Static',
        created_at: '2025-01-02',
      },
      {
        productId: 201,
        productName: 'Rotating',
        price: 49.9,
        groupId: 2,
        groupName: 'Rotating',
        created_at: '2025-03-04',
      },
      {
        productId: 202,
        productName: 'Free trial',
        price: 0,
        groupId: 3,
        groupName: 'Free',
        created_at: '2025-02-01',
      },
    ])
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
    expect(listed).toHaveLength(3)
  })

  it('reads a static product', async () => {
    expect(await get('/api/product/101')).toEqual({
      productId: 101,
      price: 20,
      groupId: 1,
      groupName: 'Static',
      created_at: '2025-01-02',
      product_hidden: false,
      group_hidden: false,
      product_type: 'fpr',
      ip_count: 10,
      update_time: '2026-01-01 06:00:00',
      geo: ['US', 'DE'],
    })
  })

  it('reads a rotating product, which has no addresses', async () => {
    expect(await get('/api/product/201')).toEqual({
      productId: 201,
      price: 49.9,
      groupId: 2,
      groupName: 'Rotating',
      created_at: '2025-03-04',
      product_hidden: false,
      group_hidden: false,
      product_type: 'ppr',
    })
  })

  it('reads a static service', async () => {
    expect(await get('/api/service/5001')).toEqual({
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
    })
  })

  it('reads a rotating service, which has neither a bound address nor an IP count', async () => {
    expect(Object.keys((await get('/api/service/5002')) as object).toSorted()).toEqual([
      'billingcycle',
      'nextduedate',
      'orderid',
      'password',
      'price',
      'product_name',
      'product_type',
      'regdate',
      'service_id',
      'status',
      'username',
    ])
  })

  it('lists the services, whatever their status', async () => {
    const services = (await get('/api/services')) as { service_id: number; status: string }[]
    expect(services).toHaveLength(6)
    expect(services[0]).toEqual({
      service_id: 5001,
      product_name: 'Static 10',
      nextduedate: '2026-01-20',
      orderid: 7001,
      status: 'Active',
    })
    expect(services.map(({ status }) => status)).toContain('Suspended')
  })

  it('lists the invoices, each with its dates', async () => {
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
    const invoices = await get('/api/billing/invoices')
    expect(invoices).toEqual([
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
    ])
    expect(await get('/api/billing/invoice/9001')).toEqual([paid])
  })

  it('reads usage by day, and its sum against the limit', async () => {
    expect(await get('/api/stats/5002')).toEqual([
      { date: '2026-01-13', rate: 80.5 },
      { date: '2026-01-14', rate: 120 },
    ])
    expect(await get('/api/rate/5002')).toEqual([{ limit: 10_000, rate: 200.5 }])
    expect(await get('/api/stats/5004')).toEqual([])
  })

  it('reads the network status', async () => {
    expect(await get('/api/networkstatus/errors/5001')).toEqual(['198.51.100.2'])
    expect(await get('/api/networkstatus/inactive/5001')).toEqual(['198.51.100.1'])
    expect(await get('/api/networkstatus/errors/5002')).toEqual([])
    expect(await get('/api/networkstatus/inactive/5002')).toEqual([])
  })

  it('lists the sticky sessions', async () => {
    expect(await get('/api/sticky/list/5002')).toEqual([
      { server: 'us1', session: 'abc', ip: '198.18.0.1', ttl: 10, expires_at: '2026-01-15 12:10:00' },
      { server: 'us1', session: 'def', ip: '198.18.0.2', ttl: 10, expires_at: '2026-01-15 12:10:00' },
    ])
  })
})

describe('an empty account', () => {
  const empty = startForAll({ scenario: { accounts: { reseller: { password: 'secret' } } } })

  it.each([
    '/api/clients',
    '/api/products',
    '/api/products/orderby/price',
    '/api/billing/invoices',
    '/api/billing/invoice/9001',
    '/api/services',
  ])('gets an empty array from %s', async (path) => {
    const { status, json } = await empty().call('GET', path)
    expect({ status, json }).toEqual({ status: 200, json: [] })
  })
})

describe('what is asked again', () => {
  const admin = adminOf(simulator)

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
      expect([await price(), await price(login), await price(), await price()]).toEqual([
        wanted,
        20,
        wanted,
        wanted,
      ])
    }
    await admin('POST', '/reset', undefined)
    expect(await price()).toBe(20)
  })
})
