import { expect, test } from 'vitest'
import { start } from '../support/start.ts'

test('requests are counted by operation and status, as Prometheus reads it', async () => {
  const sim = await start({ metrics: true })
  await sim.call('GET', '/api/clients')
  await sim.call('GET', '/api/clients')
  await sim.call('GET', '/api/clients', { login: null })
  await sim.call('GET', '/api/nothing')
  const { status, headers, text } = await sim.call('GET', '/__admin/metrics')
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/^text\/plain/)
  const lines = text.split('\n')
  expect(lines).toContain('proxysim_requests_total{operation="listClients",status="200"} 2')
  expect(lines).toContain('proxysim_requests_total{operation="listClients",status="401"} 1')
  expect(lines).toContain('proxysim_requests_total{operation="",status="404"} 1')
  expect(lines).toContain('proxysim_request_duration_seconds_count{operation="listClients"} 3')
  expect(text).not.toContain('proxysim_store_')
})

test('a delay by a fault is part of the duration', async () => {
  const sim = await start({ metrics: true })
  await sim.call('POST', '/__admin/faults', { body: { operation: 'getCredit', delay: 60 } })
  await sim.call('GET', '/api/billing/credit')
  const { text } = await sim.call('GET', '/__admin/metrics')
  const lines = text.split('\n')
  expect(lines).toContain('proxysim_request_duration_seconds_bucket{le="0.05",operation="getCredit"} 0')
  expect(lines).toContain('proxysim_request_duration_seconds_bucket{le="5",operation="getCredit"} 1')
})

test('they are off unless asked for, and the answer says how to turn them on', async () => {
  const sim = await start()
  const { status, json } = await sim.call<{ error: string }>('GET', '/__admin/metrics')
  expect(status).toBe(404)
  expect(json.error).toBe('Metrics are off. Start the simulator with --metrics.')
})

test('a simulator that drains answers on, and sends clients elsewhere', async () => {
  const sim = await start()
  expect((await sim.call('GET', '/__admin/health')).status).toBe(200)
  sim.drain()
  const health = await sim.call<{ error: string }>('GET', '/__admin/health')
  expect(health.status).toBe(503)
  expect(health.json.error).toBe('The simulator is stopping.')
  const answer = await sim.call('GET', '/api/billing/credit')
  expect(answer.status).toBe(200)
  expect(answer.headers.connection).toBe('close')
})
