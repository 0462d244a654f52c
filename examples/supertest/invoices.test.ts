import { openSimulator, type Account, type StartedSimulator } from 'proxysim'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'

let sim: StartedSimulator
beforeAll(async () => {
  sim = await openSimulator()
})
afterAll(() => sim.close())

function clientOf({ authorization }: Account) {
  return request.agent(sim.url).set({ authorization }).accept('json').type('json')
}

test('an order leaves an invoice', async () => {
  await using account = await sim.createAccount()
  const api = clientOf(account)
  const { body: order } = await api.post('/api/product/101').send({ clientid: 11 }).expect(200)
  const { invoiceId, amount } = order as { invoiceId: number; amount: number }
  const { body: invoices } = await api.get(`/api/billing/invoice/${invoiceId}`).expect(200)
  expect(invoices).toMatchObject([{ id: invoiceId, amount }])
})

test('a refusal says why', async () => {
  await using account = await sim.createAccount({ scenario: 'low-funds' })
  const refused = await clientOf(account)
    .post('/api/product/101')
    .send({ clientid: 11 })
    .expect(422, { error: 'Unprocessed entity or not enough funds to order' })
  expect(refused.headers['sim-case']).toBe('insufficient-funds')
})
