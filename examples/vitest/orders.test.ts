import { expect, test } from 'vitest'
import { account, ask } from './account.ts'

test('an order costs what the product costs', async () => {
  await account.patch({ credit: 100 })
  const { price } = (await (await ask('GET', '/api/product/101')).json()) as { price: number }
  expect((await ask('POST', '/api/product/101', { clientid: 11 })).status).toBe(200)
  expect(await (await ask('GET', '/api/billing/credit')).json()).toEqual({ credit: 100 - price })
})

test('without funds nothing is ordered', async () => {
  await account.patch({ credit: 0 })
  const refused = await ask('POST', '/api/product/101', { clientid: 11 })
  expect(refused.status).toBe(422)
  expect(refused.headers.get('sim-reason')).toContain('credit 0.00 is less than price')
  const { requests } = await account.requests({ operation: 'orderService', limit: 1 })
  expect(requests[0]).toMatchObject({ case: 'insufficient-funds', change: null })
})
