import type { State } from '../State.ts'
import { StorageError } from '../StorageError.ts'
import { Connection } from './Connection.ts'
import { RedisStore, type RedisSettings } from './RedisStore.ts'

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
    const { warnings } = await store.health()
    warnings.forEach(settings.warn)
    return { store, joined }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function checkServer(connection: Connection, store: RedisStore): Promise<void> {
  const { address } = connection
  const info = String(await connection.ask('INFO', 'server'))
  const [, major = 99, minor = 0] = /redis_version:(\d+)\.(\d+)/.exec(info)?.map(Number) ?? []
  if (major < 6 || (major === 6 && minor < 2))
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
    store.warnings.push(
      `The store ${address} has \`appendonly no\`: if it stops, everything answered since its last snapshot is lost. Set \`appendonly yes\`.`,
    )
}
