import { expect, test } from 'vitest'
import { account, call } from './account.ts'

test('an order is invoiced at the price of the product', async () => {
  await account.patch({ credit: 100 })
  const { price } = (await (await call('GET', '/api/product/101')).json()) as { price: number }
  const ordered = await call('POST', '/api/product/101', { clientid: 11 })
  expect(ordered.status).toBe(200)
  const { invoiceId } = (await ordered.json()) as { invoiceId: number }
  const invoices = await (await call('GET', `/api/billing/invoice/${invoiceId}`)).json()
  expect(invoices).toMatchObject([{ id: invoiceId, amount: price }])
})

test('without credit nothing is ordered', async () => {
  await account.patch({ credit: 0 })
  const refused = await call('POST', '/api/product/101', { clientid: 11 })
  expect(refused.status).toBe(422)
  expect(refused.headers.get('sim-case')).toBe('insufficient-funds')
  const { requests } = await account.requests({ operation: 'orderService', limit: 1 })
  expect(requests[0]).toMatchObject({ case: 'insufficient-funds', change: null })
})
