import { startSimulator } from 'proxy-reselling-simulator'
import request from 'supertest'
import { expect, test } from 'vitest'

test('an order leaves a paid invoice', async () => {
  await using sim = await startSimulator({ scenario: 'default' })
  const api = request.agent(sim.url).auth('reseller', 'secret').accept('json').type('json')

  const { body: order } = await api.post('/api/product/101').send({ clientid: 11 }).expect(200)
  const { invoiceId, amount } = order as { invoiceId: number; amount: number }
  const { body: invoices } = await api.get(`/api/billing/invoice/${invoiceId}`).expect(200)
  expect(invoices).toMatchObject([{ id: invoiceId, status: 'Paid', amount }])
})

test('a refusal says why', async () => {
  await using sim = await startSimulator({ scenario: 'low-funds' })
  const refused = await request(sim.url)
    .post('/api/product/101')
    .auth('reseller', 'secret')
    .send({ clientid: 11 })
    .expect(422, { error: 'Unprocessed entity or not enough funds to order' })
  expect(refused.headers['sim-reason']).toMatch(/^credit 0\.50 is less than price/)
})
