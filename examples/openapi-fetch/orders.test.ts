import { startSimulator } from 'proxy-reselling-simulator'
import { expect, test } from 'vitest'
import { createApiClient } from './createApiClient.ts'

test('orders a product and reads the service', async () => {
  await using sim = await startSimulator()
  const api = createApiClient(sim.url, 'reseller', 'secret')

  const { data: order } = await api.POST('/api/product/{pid}', {
    params: { path: { pid: '101' } },
    body: { clientid: 11 },
  })
  const { data: service } = await api.GET('/api/service/{id}', {
    params: { path: { id: String(order?.serviceId) } },
  })
  expect(service).toMatchObject({ service_id: order?.serviceId, status: 'Active', price: order?.amount })
})

test('an order whose answer is lost must not simply be sent again: it would be paid twice', async () => {
  await using sim = await startSimulator()
  const api = createApiClient(sim.url, 'reseller', 'secret')
  const order = () =>
    api.POST('/api/product/{pid}', { params: { path: { pid: '101' } }, body: { clientid: 11 } })

  await sim.fault({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
  await expect(order()).rejects.toThrow('fetch failed') // the service was ordered, the client never hears of it
  await order()

  const [finding] = await sim.findings()
  expect(finding).toMatchObject({ finding: 'duplicate-order', operation: 'orderService' })
})
