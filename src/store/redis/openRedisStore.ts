import type { State } from '../State.ts'
import { StorageError } from '../StorageError.ts'
import { Connection } from './Connection.ts'
import { RedisStore, type RedisSettings } from './RedisStore.ts'

/** The oldest supported Redis version */
const oldest = [6, 2] as const

/**
 * Joins the deployment in a store, or starts a new one.
 * @param initial the state to start with
 * @throws StorageError if the store can't be reached or used
 */
export async function openRedisStore(
  settings: RedisSettings,
  initial: () => Promise<State>,
): Promise<{ store: RedisStore; joined: boolean }> {
  const connection = await Connection.open(settings.url, settings.prefix)
  const store = new RedisStore(connection, settings)
  try {
    await checkServer(connection, store)
    const joined = await store.begin(initial)
    await store.health() // warns about clock skew
    return { store, joined }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function checkServer(connection: Connection, store: RedisStore): Promise<void> {
  const { address } = connection
  const info = String(await connection.ask('INFO', 'server'))
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
  const [, appendonly] = (await connection.ask('CONFIG', 'GET', 'appendonly')) as string[]
  if (appendonly === 'no')
    store.warn(
      `The store ${address} has \`appendonly no\`: if it stops, everything answered since its last snapshot is lost. Set \`appendonly yes\`.`,
    )
}
