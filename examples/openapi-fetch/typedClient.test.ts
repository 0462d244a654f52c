import { openSimulator, type StartedSimulator } from 'proxysim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiClient } from './createApiClient.ts'

let sim: StartedSimulator
beforeAll(async () => {
  sim = await openSimulator()
})
afterAll(() => sim.close())

test('orders a product and reads the service', async () => {
  await using account = await sim.createAccount()
  const api = createApiClient(sim.url, account.login, account.password)

  const { data: order } = await api.POST('/api/product/{pid}', {
    params: { path: { pid: '101' } },
    body: { clientid: 11 },
  })
  const { data: service } = await api.GET('/api/service/{id}', {
    params: { path: { id: String(order?.serviceId) } },
  })
  expect(service).toMatchObject({ service_id: order?.serviceId, price: order?.amount })
})

test('an order whose response is lost must not simply be sent again: it would be paid twice', async () => {
  await using account = await sim.createAccount()
  const api = createApiClient(sim.url, account.login, account.password)
  const order = () =>
    api.POST('/api/product/{pid}', { params: { path: { pid: '101' } }, body: { clientid: 11 } })

  await account.fault({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
  await expect(order()).rejects.toThrow('fetch failed') // the service was ordered, the client never hears of it
  await order()

  const [finding] = await account.findings()
  expect(finding).toMatchObject({ finding: 'ordered-twice', operation: 'orderService' })
})
