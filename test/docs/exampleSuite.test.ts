import { startSimulator, type StartedSimulator } from 'proxy-reselling-simulator'
import { afterAll, beforeAll, expect, test } from 'vitest'

let sim: StartedSimulator
beforeAll(async () => {
  sim = await startSimulator({ scenario: 'default' })
})
afterAll(() => sim.close())

test('an order without credit is refused, and says why', async () => {
  await using account = await sim.createAccount()
  await account.patch({ credit: 0.5 })

  const answer = await fetch(`${sim.url}/api/product/101`, {
    method: 'POST',
    headers: { authorization: account.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ clientid: 11 }),
  })

  expect(answer.status).toBe(422)
  expect(answer.headers.get('sim-reason')).toBe('credit 0.50 is less than price 20.00')
  expect((await account.requests({ case: 'insufficient-funds' })).total).toBe(1)
})
