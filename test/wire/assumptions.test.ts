import { expect, it } from 'vitest'
import { start } from '../support/start.ts'
import { assuming, noon, products, scenarioWith } from '../support/scenario.ts'

const generic = { status: 422, text: '{"error":"Unprocessable Entity "}' }
const nothing = { status: 200, text: '[]' }
const listed = (...ids: number[]) => ({ status: 200, json: ids.map((productId) => ({ productId })) })
const geo = [
  { code: 'US', name: 'United States' },
  { code: 'DE', name: 'Germany' },
]
const oddFields = ['size', 'PRICE', '__proto__', 'constructor', '%00', '%zz', 'price%20', '1']
const oddIds = ['9999', 'abc', '__proto__', '0', '12345678901']

it.each<[reading: Record<string, string>, call: string, expected: object]>([
  [{ productSort: 'asc' }, 'GET products/orderby/price', listed(202, 101, 201)],
  [{ productSort: 'desc' }, 'GET products/orderby/price', listed(201, 101, 202)],
  [{ productSort: 'desc' }, 'GET products/orderby/productName', listed(101, 201, 202)],
  ...oddFields.flatMap((field): [Record<string, string>, string, object][] => [
    [{ unknownSortField: 'unprocessable' }, `GET products/orderby/${field}`, generic],
    [
      { unknownSortField: 'ignore', productSort: 'desc' },
      `GET products/orderby/${field}`,
      listed(101, 201, 202),
    ],
  ]),
  // What is not an id at all is as unknown as an id that nobody has.
  ...oddIds.flatMap((id): [Record<string, string>, string, object][] => [
    [{ unknownInvoice: 'empty' }, `GET billing/invoice/${id}`, nothing],
    [{ unknownInvoice: 'unprocessable' }, `GET billing/invoice/${id}`, generic],
    [{ unknownService: 'empty' }, `GET service/${id}`, nothing],
    [{ unknownService: 'unprocessable' }, `GET service/${id}`, generic],
  ]),
  [{ unknownService: 'empty' }, 'GET service/5001', { json: { service_id: 5001 } }],
  [{ hiddenProducts: 'unlisted' }, 'GET products', listed(101, 201, 202)],
  [{ hiddenProducts: 'unlisted' }, 'GET products/orderby/productId', listed(101, 201, 202)],
  [{ hiddenProducts: 'unlisted' }, 'GET product/102', { json: { product_hidden: true } }],
  [{ hiddenProducts: 'listed' }, 'GET products', listed(101, 102, 201, 202)],
  [{ hiddenProducts: 'listed' }, 'GET products/orderby/productId', listed(101, 102, 201, 202)],
  [{ rebindOwn: 'allowed' }, 'PUT service/5001 192.0.2.10', { status: 200 }],
  [
    { rebindOwn: 'refused' },
    'PUT service/5001 192.0.2.10',
    { status: 422, headers: { 'sim-case': 'ip-already-bound' } },
  ],
  [{ rebindOwn: 'refused' }, 'PUT service/5001 192.0.2.11', { status: 200 }],
  [{ geo: 'code' }, 'GET product/101', { json: { geo: ['US', 'DE'] } }],
  [{ geo: 'object' }, 'GET product/101', { json: { geo } }],
])('%j: %s', async (reading, request, expected) => {
  const { call } = await start({ scenario: assuming(reading) })
  const [method = '', path, setip] = request.split(' ')
  expect(await call(method, `/api/${path}`, setip ? { body: { setip } } : {})).toMatchObject(expected)
})

it.each(['asc', 'desc'])('productSort %s: ties are sorted by productId', async (productSort) => {
  const same = { ...products[101], price: 1 }
  const account = { products: { 9: same, 10: same, 101: same }, services: {}, assumptions: { productSort } }
  const { call } = await start({ scenario: scenarioWith(account) })
  expect(await call('GET', '/api/products/orderby/price')).toMatchObject(listed(9, 10, 101))
})

it('assumptions belong to an account, not to the server', async () => {
  const { accounts } = scenarioWith() as { accounts: { reseller: object } }
  const other = { ...accounts.reseller, assumptions: { geo: 'object' } }
  const { call } = await start({ scenario: { clock: noon, accounts: { ...accounts, other } } })
  expect((await call('GET', '/api/product/101')).json).toMatchObject({ geo: ['US', 'DE'] })
  expect((await call('GET', '/api/product/101', { login: 'other' })).json).toMatchObject({ geo })
})
