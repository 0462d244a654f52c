import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'
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

test.skipIf(!hasRedis)('with a shared store, they also show what it costs and what went wrong', async () => {
  const redis = await RedisServer.start()
  onTestFinished(() => redis.stop())
  const open = async (): Promise<string> => {
    const replica = await startServer({ store: redis.url, metrics: true })
    onTestFinished(() => replica.close())
    return replica.url
  }
  const [one, two] = [await open(), await open()]
  const call = async (url: string, method: string, path: string, body?: object): Promise<number> => {
    const { status } = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Basic ${btoa('reseller:secret')}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return status
  }
  const order = (url: string): Promise<number> => call(url, 'POST', '/product/201', { clientid: 11 })
  const read = async (): Promise<Record<string, number>> => {
    const reply = await fetch(`${one}/__admin/metrics`)
    expect(reply.status).toBe(200)
    const lines = (await reply.text()).matchAll(/^proxysim_store_(\w+) (\S+)$/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
  }

  expect(await call(one, 'GET', '/clients')).toBe(200)
  const before = await read()
  expect(before).toMatchObject({ conflicts_total: 0, reruns_total: 0, unrecorded_total: 0 })
  expect(await call(one, 'GET', '/clients')).toBe(200)
  const after = await read()
  expect(after['trips_total']).toBe((before['trips_total'] as number) + 1)
  expect(after['trip_seconds_total']).toBeGreaterThan(before['trip_seconds_total'] as number)
  expect(after['trip_seconds_total']).toBeLessThan(10)

  expect(await order(two)).toBe(200)
  expect(await call(one, 'GET', '/clients')).toBe(200)
  expect(await read()).toMatchObject({ conflicts_total: 1, reruns_total: 1, unrecorded_total: 0 })

  await redis.command('CONFIG', 'SET', 'maxmemory', '1')
  expect(await call(one, 'GET', '/clients')).toBe(200)
  expect(await order(one)).toBe(503)
  expect(await read()).toMatchObject({ conflicts_total: 1, reruns_total: 1, unrecorded_total: 2 })
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
