import { describe, expect, it } from 'vitest'
import {
  assumptionValues,
  billingCycles,
  defaultUpdateListInterval,
  invoiceStatuses,
  productTypes,
  serviceStatuses,
} from '../../src/world/values.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { start } from '../support/start.ts'
import { assuming, noon, products, scenarioWith } from '../support/scenario.ts'

const contract = await loadContract()

function enumeration(name: string): unknown {
  const { components } = contract.document as { components: { schemas: Record<string, { enum?: unknown }> } }
  return components.schemas[name]?.enum
}

describe('the values that the code knows', () => {
  it('are the assumptions of the contract, default first', () => {
    const known = { ...assumptionValues, updateListInterval: [defaultUpdateListInterval, 60, 86_400] }
    const said = contract.assumptions.map((one) => [one.id, [one.default, ...one.alternatives]])
    expect(Object.fromEntries(said)).toEqual(known)
  })

  it('are the enumerations of the contract', () => {
    expect(enumeration('ServiceStatus')).toEqual(serviceStatuses)
    expect(enumeration('InvoiceStatus')).toEqual(invoiceStatuses)
    expect(enumeration('BillingCycle')).toEqual(billingCycles)
    expect(enumeration('ProductType')).toEqual(productTypes)
  })
})

describe('productSort', () => {
  it.each([
    ['asc', 'price', [202, 101, 201]],
    ['desc', 'price', [201, 101, 202]],
    ['desc', 'productName', [101, 201, 202]],
  ])('%s by %s', async (productSort, field, ids) => {
    const { call } = await start({ scenario: assuming({ productSort }) })
    const { json } = await call<{ productId: number }[]>('GET', `/api/products/orderby/${field}`)
    expect(json.map(({ productId }) => productId)).toEqual(ids)
  })

  it.each(['asc', 'desc'])('%s: ties are sorted by productId', async (productSort) => {
    const same = { ...products[101], price: 1 }
    const { call } = await start({
      scenario: scenarioWith({
        products: { 9: same, 10: same, 101: same },
        services: {},
        assumptions: { productSort },
      }),
    })
    const { json } = await call<{ productId: number }[]>('GET', '/api/products/orderby/price')
    expect(json.map(({ productId }) => productId)).toEqual([9, 10, 101])
  })
})

describe('unknownSortField', () => {
  const odd = ['size', 'PRICE', '__proto__', 'constructor', '%00', '%zz', 'price%20', '1']

  it.each(odd)('unprocessable: %s gives the generic 422', async (field) => {
    const { call } = await start({ scenario: assuming({ unknownSortField: 'unprocessable' }) })
    expect(await call('GET', `/api/products/orderby/${field}`)).toMatchObject({
      status: 422,
      text: '{"error":"Unprocessable Entity "}',
    })
  })

  it.each(odd)('ignore: %s sorts by productId', async (field) => {
    const { call } = await start({ scenario: assuming({ unknownSortField: 'ignore', productSort: 'desc' }) })
    const { json } = await call<{ productId: number }[]>('GET', `/api/products/orderby/${field}`)
    expect(json.map(({ productId }) => productId)).toEqual([101, 201, 202])
    const known = await call<{ productId: number }[]>('GET', '/api/products/orderby/price')
    expect(known.json.map(({ productId }) => productId)).toEqual([201, 101, 202])
  })
})

describe('unknownInvoice', () => {
  it.each(['9999', 'abc', '__proto__', '0'])('%s', async (id) => {
    const empty = await start({ scenario: assuming({ unknownInvoice: 'empty' }) })
    const other = await start({ scenario: assuming({ unknownInvoice: 'unprocessable' }) })
    const path = `/api/billing/invoice/${id}`
    // what is not an id at all is as unknown as an id that nobody has
    expect(await empty.call('GET', path)).toMatchObject({ status: 200, text: '[]' })
    expect(await other.call('GET', path)).toMatchObject({
      status: 422,
      text: '{"error":"Unprocessable Entity "}',
    })
  })
})

describe('unknownService', () => {
  it.each(['9999', 'abc', '__proto__', '12345678901'])('%s', async (id) => {
    const empty = await start({ scenario: assuming({ unknownService: 'empty' }) })
    const other = await start({ scenario: assuming({ unknownService: 'unprocessable' }) })
    expect(await empty.call('GET', `/api/service/${id}`)).toMatchObject({ status: 200, text: '[]' })
    expect((await empty.call('GET', '/api/service/5001')).json).toMatchObject({ service_id: 5001 })
    expect((await other.call('GET', `/api/service/${id}`)).status).toBe(422)
  })
})

describe('hiddenProducts', () => {
  it.each([
    ['unlisted', [101, 201, 202]],
    ['listed', [101, 102, 201, 202]],
  ])('%s', async (hiddenProducts, ids) => {
    const { call } = await start({ scenario: assuming({ hiddenProducts }) })
    for (const path of ['/api/products', '/api/products/orderby/productId']) {
      const { json } = await call<{ productId: number }[]>('GET', path)
      expect(json.map(({ productId }) => productId)).toEqual(ids)
    }
    expect((await call('GET', '/api/product/102')).json).toMatchObject({ product_hidden: true })
  })
})

describe('rebindOwn', () => {
  it.each([
    ['allowed', 200, undefined],
    ['refused', 422, 'ip-already-bound'],
  ])('%s', async (rebindOwn, status, name) => {
    const { call } = await start({ scenario: assuming({ rebindOwn }) })
    const own = await call('PUT', '/api/service/5001', { body: { setip: '192.0.2.10' } })
    expect({ status: own.status, case: own.headers['sim-case'] }).toEqual({ status, case: name })
    expect((await call('PUT', '/api/service/5001', { body: { setip: '192.0.2.11' } })).status).toBe(200)
  })
})

describe('geo', () => {
  it('code: two letters', async () => {
    const { call } = await start({ scenario: assuming({ geo: 'code' }) })
    expect((await call('GET', '/api/product/101')).json).toMatchObject({ geo: ['US', 'DE'] })
  })

  it('object: code and name', async () => {
    const { call } = await start({ scenario: assuming({ geo: 'object' }) })
    expect((await call('GET', '/api/product/101')).json).toMatchObject({
      geo: [
        { code: 'US', name: 'United States' },
        { code: 'DE', name: 'Germany' },
      ],
    })
  })
})

describe('assumptions', () => {
  it('belong to an account, not to the server', async () => {
    const { accounts } = scenarioWith() as { accounts: { reseller: object } }
    const other = { ...accounts.reseller, assumptions: { geo: 'object' } }
    const { call } = await start({ scenario: { clock: noon, accounts: { ...accounts, other } } })
    expect((await call('GET', '/api/product/101')).json).toMatchObject({ geo: ['US', 'DE'] })
    expect((await call('GET', '/api/product/101', { login: 'other' })).json).toMatchObject({
      geo: [{ code: 'US' }, { code: 'DE' }],
    })
  })
})
