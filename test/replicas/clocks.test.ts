import { expect, test, onTestFinished } from 'vitest'
import { launch, served } from '../cli/proxysim.ts'
import { clockOf, hasFaketime, hasRedis, RedisServer } from '../support/redis.ts'

const headers = {
  authorization: `Basic ${btoa('reseller:secret')}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

async function ask<T>(method: string, url: string, body?: object): Promise<T> {
  const reply = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  expect(reply.status, url).toBeLessThan(300)
  return (await reply.json().catch(() => undefined)) as T
}

test.skipIf(!hasRedis || !hasFaketime)(
  'replicas whose clocks are hours apart are one simulator, and each says that its clock is wrong',
  async () => {
    const redis = await RedisServer.start('--appendonly', 'yes')
    onTestFinished(() => redis.stop())
    const replicas = ['+0s', '+3600s', '-3600s'].map((clock) =>
      launch(['--port', '0', '--drain', '0', '--store', redis.url], { env: clockOf({ FAKETIME: clock }) }),
    )
    const urls = (await Promise.all(replicas.map(served))) as [string, string, string]
    const line = /The clock of this machine differs by (?:3599|3600)(?:\.\d+)? s from the store's\./g

    const ids: number[] = []
    for (let round = 0; round < 3; round++)
      for (const url of urls)
        ids.push(
          (await ask<{ serviceId: number }>('POST', `${url}/api/product/101`, { clientid: 11 })).serviceId,
        )
    expect(ids).toEqual(ids.map((_, index) => (ids[0] as number) + index))
    for (const url of urls) {
      const { total, requests } = await ask<{ total: number; requests: { id: number; time: string }[] }>(
        'GET',
        `${url}/__admin/requests`,
      )
      expect(total).toBe(9)
      expect(requests.map(({ id }) => id)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
      // Each shows the time of the replica that answered.
      const hours = requests.map(({ time }) => Math.round((Date.parse(time) - Date.now()) / 3_600_000) || 0)
      expect(hours).toEqual([-1, 1, 0, -1, 1, 0, -1, 1, 0])
    }

    for (const [index, url] of urls.entries()) {
      await ask('POST', `${url}/__admin/reset`)
      const next = urls[(index + 1) % urls.length] as string
      expect(await ask('GET', `${next}/api/billing/credit`)).toEqual({ credit: 250 })
      await ask('POST', `${next}/api/product/101`, { clientid: 11 })
      expect(await ask('GET', `${url}/api/billing/credit`)).toEqual({ credit: 230 })
    }

    for (const [index, { child, ended }] of replicas.entries()) {
      const { warnings = [] } = await ask<{ warnings?: string[] }>('GET', `${urls[index]}/__admin/health`)
      expect(warnings.join('\n').match(line) ?? []).toHaveLength(index === 0 ? 0 : 1)
      child.kill('SIGTERM')
      const { code, stdout, stderr } = await ended
      expect(code).toBe(0)
      expect(`${stdout}${stderr}`.match(line) ?? []).toHaveLength(index === 0 ? 0 : 1)
    }
  },
)
