import type { Redis } from 'ioredis'
import type { State } from '../State.ts'
import { StorageError } from '../StorageError.ts'
import { Connection } from './Connection.ts'
import { RedisStorage, type RedisSettings } from './RedisStorage.ts'

/** The oldest supported Redis version */
const oldest = [6, 2] as const

/**
 * Joins the deployment in a store, or starts a new one.
 * @param initial the state to start with
 * @throws StorageError if the store can't be reached or used
 */
export async function openRedisStorage(
  settings: RedisSettings,
  initial: () => Promise<State>,
): Promise<{ storage: RedisStorage; joined: boolean }> {
  const connection = new Connection(settings.url, settings.prefix)
  const storage = new RedisStorage(connection, settings)
  try {
    await connection.open((client) => checkServer(client, connection.address, storage))
    const joined = await storage.begin(initial)
    await storage.health() // warns about clock skew
    return { storage, joined }
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function checkServer(client: Redis, address: string, storage: RedisStorage): Promise<void> {
  // A user without permission for these commands can still use the store.
  const info = String(await client.info('server').catch(unlessForbidden))
  const version = /redis_version:(\d+)\.(\d+)/.exec(info)
  const [major, minor] = [Number(version?.[1] ?? 99), Number(version?.[2])]
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new StorageError(
      `The store ${address} is Redis ${major}.${minor}, which is too old: use Redis 6.2 or later, or Valkey.`,
    )
  if (/^(?:redis|server)_mode:cluster/m.test(info))
    // Valkey names it `server_mode`
    throw new StorageError(
      `The store ${address} is a Redis Cluster, which is not supported: use a single Redis or Valkey.`,
    )
  const setting = (await client.call('CONFIG', 'GET', 'appendonly').catch(unlessForbidden)) as string[]
  if (setting[1] === 'no')
    storage.warn(
      `The store ${address} has \`appendonly no\`: if it stops, everything answered since its last snapshot is lost. Set \`appendonly yes\`.`,
    )
}

function unlessForbidden(error: Error): [] {
  if (error.message.startsWith('NOPERM') || error.message.startsWith('ERR unknown command')) return []
  throw error
}
