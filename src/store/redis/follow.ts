import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { connect, within, type Connection } from './Connection.ts'
import { fieldsOf, type Entry } from './WorldCache.ts'

export interface Following {
  /** Resolves once no further event is missed without a `reset`; never rejects */
  begun: Promise<void>
  stop: () => void
}

/** An event as the store has it; `e` says what it is */
export type Fields = Readonly<Record<string, string | undefined>>

/** Milliseconds that Redis waits for an event; then we look whether it has lost what it had */
const blocking = 2000
const pause = 100

/**
 * Follows the store's events over a connection of its own. After a cut it reads on; what can't be told any more, because
 * it was trimmed or lost, is a `reset`.
 */
export function follow(
  connection: Connection,
  take: (events: readonly Fields[]) => Promise<void>,
): Following {
  const stopping = new AbortController()
  let client: Redis | undefined
  /** Number of the last event; undefined before the first connection, null if some may have been missed */
  let last: number | undefined | null
  const read = async (redis: Redis): Promise<void> => {
    const [, , , present] = await connection.evaluate(redis, 'look', {})
    if (last === null || Number(present) < (last ?? 0)) await take([{ e: 'reset' }])
    if (typeof last !== 'number' || Number(present) < last) last = Number(present)
  }
  const readOn = async (redis: Redis): Promise<void> => {
    const args = ['COUNT', 1000, 'BLOCK', blocking, 'STREAMS', connection.key('events'), `${last}-0`].map(
      String,
    )
    const reply = (await within(2 * blocking, redis.call('XREAD', ...args))) as [[string, Entry[]]] | null
    const entries = reply?.[0][1]
    if (!entries) return read(redis)
    const first = Number.parseInt(entries[0]?.[0] ?? '', 10)
    await take([...(first > Number(last) + 1 ? [{ e: 'reset' }] : []), ...entries.map(fieldsOf)])
    last = Number.parseInt(entries.at(-1)?.[0] ?? '', 10)
  }
  const begin = async (): Promise<void> => {
    client = await connect(connection.url)
    await read(client)
  }
  const goOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (!client) await begin()
        else await readOn(client)
      } catch {
        client?.disconnect()
        client = undefined
        last ??= null
        await sleep(pause, undefined, { ref: false })
      }
    }
    client?.disconnect()
  }
  const begun = begin().catch(() => {
    last = null
  })
  void begun.then(goOn)
  return {
    begun,
    stop: () => {
      stopping.abort()
      client?.disconnect()
    },
  }
}
