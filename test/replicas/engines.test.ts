import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/server.ts'
import { proxysim, refusal } from '../cli/proxysim.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'

/** Stands for a server of another version, which can't be had everywhere: it tells its version, and refuses the rest. */
async function serverOf(info: string): Promise<string> {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const [, command = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        asked.push(command.toLowerCase())
        socket.write(
          command.toLowerCase() === 'info' ? `$${info.length}\r\n${info}\r\n` : '-ERR unknown command\r\n',
        )
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  onTestFinished(() => expect(asked.filter((command) => command.startsWith('eval'))).toEqual([]))
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const start = (url: string): Promise<object> => proxysim(['--port', '0', '--store', url])

test.each(['2.8.24', '5.0.14', '6.0.16'])('a Redis %s is refused in one line, exit 2', async (version) => {
  const url = await serverOf(`# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`)
  const [major, minor] = version.split('.')
  expect(await start(url)).toMatchObject(
    refusal(
      `The store ${url}/0 is Redis ${major}.${minor}, which is too old: use Redis 6.2 or later, or Valkey.`,
    ),
  )
})

test('so is a Valkey that is a cluster, which says so in words of its own', async () => {
  const url = await serverOf(
    '# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nserver_mode:cluster\r\n',
  )
  expect(await start(url)).toMatchObject(
    refusal(`The store ${url}/0 is a Redis Cluster, which is not supported`),
  )
})

const older = process.env['PROXYSIM_OLD_REDIS_SERVER']

test.skipIf(older === undefined)('so is a real one, that PROXYSIM_OLD_REDIS_SERVER names', async () => {
  const redis = await RedisServer.startOf(older as string)
  onTestFinished(() => redis.stop())
  expect(await start(redis.url)).toMatchObject(
    refusal('which is too old: use Redis 6.2 or later, or Valkey.'),
  )
  expect(await redis.command('DBSIZE')).toBe(0)
})

test.skipIf(!hasRedis)('a Redis Cluster is refused in one line, exit 2', async () => {
  const redis = await RedisServer.start('--cluster-enabled', 'yes')
  onTestFinished(() => redis.stop())
  expect(await start(redis.url)).toMatchObject(
    refusal(
      `The store ${redis.url}/0 is a Redis Cluster, which is not supported: use a single Redis or Valkey.`,
    ),
  )
})

test.skipIf(!hasRedis)(
  'a store is the same by its Unix socket, and one that is away is told of in one line',
  async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const headers = { authorization: `Basic ${btoa('reseller:secret')}`, accept: 'application/json' }
    const [near, far] = await Promise.all([
      startServer({ store: `${redis.socketUrl}?db=2` }),
      startServer({ store: `${redis.url}/2` }),
    ])
    onTestFinished(async () => {
      await Promise.all([near.close(), far.close()])
    })
    const order = await fetch(`${near.url}/api/product/101`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"clientid":11}',
    })
    expect(order.status).toBe(200)
    const credit = await fetch(`${far.url}/api/billing/credit`, { headers })
    expect(await credit.json()).toEqual({ credit: 230 })
    expect(await start('unix:///nowhere/redis.sock?password=hunter2')).toMatchObject(
      refusal('The store unix:///nowhere/redis.sock cannot be reached (ENOENT).'),
    )
  },
)
