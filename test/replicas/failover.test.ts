import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import { RedisPair } from '../support/RedisPair.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'
import { SlowNetwork } from '../support/SlowNetwork.ts'

const headers = { authorization: `Basic ${btoa('reseller:secret')}`, accept: 'application/json' }

interface Health {
  status: number
  body: { error?: string; warnings?: string[] }
}

async function begin(pair: RedisPair): Promise<{
  health: () => Promise<Health>
  ask: (method: string, path: string) => Promise<Response>
}> {
  const running = await startServer({ store: pair.address.url, scenario: 'default', logLevel: 'silent' })
  onTestFinished(() => running.close())
  return {
    ask: (method, path) =>
      fetch(`${running.url}/api${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"clientid": 11}' }),
      }),
    health: async () => {
      const reply = await fetch(`${running.url}/__admin/health`)
      return { status: reply.status, body: (await reply.json()) as Health['body'] }
    },
  }
}

test.skipIf(!hasRedis)(
  'an address that leads to a read-only replica is answered 503 with what to do, until that takes over',
  async () => {
    const pair = await RedisPair.start()
    const { ask, health } = await begin(pair)
    expect((await ask('POST', '/product/101')).status).toBe(200)
    await pair.caughtUp()
    pair.address.leadTo(pair.standby.port)
    const line = `The store ${pair.address.url}/0 is a read-only replica. Use the address of the primary. Nothing was changed.`
    await expect.poll(health, { interval: 10 }).toMatchObject({ status: 503, body: { error: line } })
    for (const [method, path] of [
      ['POST', '/product/101'],
      ['GET', '/billing/credit'],
    ] as const) {
      const reply = await ask(method, path)
      expect(reply.status).toBe(503)
      expect(reply.headers.get('sim-case')).toBe('storage-failed')
      expect(new Date(reply.headers.get('date') ?? 0).getUTCFullYear()).toBeGreaterThan(2025)
      expect(await reply.json()).toEqual({ error: line })
    }
    await pair.promote()
    await expect.poll(async () => (await health()).status, { interval: 10 }).toBe(200)
    expect(await (await ask('GET', '/billing/credit')).json()).toEqual({ credit: 230 }) // 250 before the order
  },
)

test.skipIf(!hasRedis)(
  'without answers of the store, requests are answered 503 within 2 s; an order that was carried out counts as lost',
  async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const network = await SlowNetwork.start(redis.port)
    onTestFinished(() => network.stop())
    const running = await startServer({ store: network.url, logLevel: 'silent' })
    onTestFinished(() => running.close())
    const ask = async (method: string, path: string) => {
      const began = performance.now()
      const body = method === 'POST' ? { body: '{"clientid": 11}' } : {}
      const type = { 'content-type': 'application/json' }
      const reply = await fetch(`${running.url}${path}`, {
        method,
        headers: { ...headers, ...type },
        ...body,
      })
      return { status: reply.status, text: await reply.text(), took: performance.now() - began }
    }
    expect((await ask('GET', '/api/billing/credit')).status).toBe(200)
    network.mute()
    const ordering = ask('POST', '/api/product/101')
    await expect.poll(() => redis.command('GET', 'proxysim:requests'), { interval: 5 }).toBe('2')
    const [order, read] = await Promise.all([ordering, ask('GET', '/api/billing/credit')])
    expect([order.status, read.status]).toEqual([503, 503])
    expect(Math.max(order.took, read.took)).toBeLessThan(2000)
    expect(order.text).toContain('not known whether the change was made')
    expect(read.text).toContain('Nothing was changed')
    network.leadTo(redis.port)
    await expect.poll(async () => (await ask('GET', '/__admin/health')).status, { interval: 10 }).toBe(200)
    expect((await ask('POST', '/api/product/101')).status).toBe(200)
    expect(JSON.parse((await ask('GET', '/api/billing/credit')).text)).toEqual({ credit: 210 })
    const findings = async () => (await ask('GET', '/__admin/findings')).text
    await expect.poll(findings).toContain('was sent again after its answer was lost')
  },
)

test.skipIf(!hasRedis)(
  'a replica that took over without the last changes is told of in the health',
  async () => {
    const pair = await RedisPair.start()
    const { ask, health } = await begin(pair)
    await pair.caughtUp()
    await pair.promote()
    expect((await ask('POST', '/product/101')).status).toBe(200)
    pair.address.leadTo(pair.standby.port)
    expect(await (await ask('GET', '/billing/credit')).json()).toEqual({ credit: 250 })
    const { status, body } = await health()
    expect(status).toBe(200)
    expect(body.warnings?.join()).toContain(
      `The store ${pair.address.url}/0 came back older than it was: changes that were answered are lost.`,
    )
  },
)
