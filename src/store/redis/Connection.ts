import { performance } from 'node:perf_hooks'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { URL } from 'node:url'
import type { Redis } from 'ioredis'
import { StorageError } from '../StorageError.ts'
import { isHarmless, outcomeUnknown, describeError, shownAddress, unreachable } from './errors.ts'
import { commands, type ScriptName } from './scripts.ts'

/** Arguments of a script, by name. Undefined ones are omitted. */
export type Arguments = Readonly<Record<string, string | number | undefined>>

export interface CallSettings {
  /** Whether the script changes the state, so that an error must say if its outcome is unknown */
  isChange?: boolean
  /** Time by which the reply must have arrived, by `performance.now()`, if that is earlier than the call's own limit */
  deadline?: number | undefined
}

/** Maximum duration of a call in milliseconds, including its retry */
const callTimeout = 1700
/** The part of `callTimeout` that is reserved for a retry if no reply arrives */
const retryTimeout = 400
/** Maximum duration in milliseconds of scripts that handle a lot of data */
const bulkTimeout = 10_000
const bulkScripts: readonly ScriptName[] = ['replace', 'state', 'snapshot']

/** The connection to the store. The client reconnects automatically, but only this class retries calls. */
export class Connection {
  readonly address: string
  readonly #prefix: string
  readonly #client: Redis
  #reason = 'cannot be reached.'
  /** Time at which the connection was lost, by `performance.now()`; undefined while connected */
  #lostAt: number | undefined = 0

  private constructor(url: string, prefix: string, client: Redis) {
    this.address = shownAddress(url)
    this.#prefix = prefix
    this.#client = client
    client.on('error', (error: Error) => {
      this.#reason = describeError(error)
    })
    // A server that accepts the connection may still be unable to reply.
    const reconnect = (): void => void (client.status === 'connect' && client.disconnect(true))
    client.on('connect', () => setTimeout(reconnect, callTimeout / 2).unref())
    client.setMaxListeners(0) // every waiting call adds a listener
    client.on('ready', () => (this.#lostAt = undefined))
    client.on('close', () => (this.#lostAt ??= performance.now()))
  }

  /** @throws StorageError */
  static async open(url: string, prefix: string): Promise<Connection> {
    const { Redis: Client } = await import('ioredis') // loaded only if a shared store is used
    const { protocol, pathname, search } = new URL(url)
    const client = new Client(protocol === 'unix:' ? `${decodeURIComponent(pathname)}${search}` : url, {
      lazyConnect: true,
      protocol: 2,
      connectTimeout: callTimeout / 2,
      disconnectTimeout: 100,
      disableClientInfo: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => (attempt > 1 ? 50 : 0),
      enableAutoPipelining: true,
      scripts: commands,
    })
    const connection = new Connection(url, prefix, client)
    let failure: unknown
    client.on('error', (error) => (failure ??= error))
    try {
      await withTimeout(bulkTimeout, client.connect())
      if (failure) throw failure // for example, if the database doesn't exist: Redis would use database 0
    } catch (error) {
      connection.close()
      throw new StorageError(`The store ${connection.address} ${describeError(failure ?? error)}`, {
        advice: 'Check its URL, and that it runs.',
      })
    }
    return connection
  }

  /**
   * Runs a script in one round trip. If no reply arrives, the script is sent again with `retry: 1` over a new connection.
   * @throws StorageError
   */
  async run(
    name: ScriptName,
    args: Arguments = {},
    { isChange, deadline: latest = Infinity }: CallSettings = {},
  ): Promise<unknown[]> {
    const now = performance.now()
    if (now > latest) throw unreachable(this.address, 'took too long to respond.')
    const limit = bulkScripts.includes(name) ? bulkTimeout : callTimeout
    const deadline = Math.min(now + limit, latest)
    let isSent = false
    const failure = (): StorageError =>
      (isSent && isChange ? outcomeUnknown : unreachable)(this.address, this.#reason)
    while (await this.#isReady(deadline)) {
      const sentAt = performance.now()
      const remaining = deadline - sentAt
      try {
        const reply = this.#call(name, isSent ? { ...args, retry: 1 } : args)
        // Leaves time for a retry.
        return await withTimeout(
          isSent ? remaining : Math.max(remaining - retryTimeout, remaining / 2),
          reply,
        )
      } catch (error) {
        const { name: kind, message } = error as Error
        if (message.startsWith("Stream isn't writeable")) {
          await sleep(5) // The connection is about to close. Why is known already.
          continue
        }
        const isReply = kind === 'ReplyError'
        this.#reason = describeError(error)
        // Reconnecting doesn't help if the store is full. In other cases, the address may now belong to another server.
        const mayReconnect = isReply ? !message.includes('OOM') : kind === 'TimeoutError'
        if (mayReconnect && this.#lostAt === undefined) {
          this.#lostAt = sentAt
          this.#client.disconnect(true)
        }
        if (isReply && !isHarmless(message)) isSent = true
        if (isReply) throw failure()
        isSent = true
      }
    }
    throw failure()
  }

  #call(name: ScriptName, args: Arguments): Promise<unknown[]> {
    const argumentList = [`${this.#prefix}:`]
    for (const key in args) {
      const value = args[key]
      if (value !== undefined) argumentList.push(key, String(value))
    }
    return (this.#client as unknown as Record<ScriptName, Script>)[name](...argumentList)
  }

  /** Waits for a connection for at most `callTimeout` after it was lost, so that later calls fail immediately. */
  async #isReady(deadline: number): Promise<boolean> {
    for (;;) {
      const now = performance.now()
      if (this.#client.status === 'ready' && now < deadline) return true
      const remaining = Math.min(deadline, (this.#lostAt ?? now) + callTimeout) - now
      if (remaining <= 0 || this.#client.status === 'end') return false
      await this.#readyOrAfter(remaining)
    }
  }

  #readyOrAfter(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#client.off('ready', done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#client.once('ready', done)
    })
  }

  close(): void {
    this.#client.disconnect()
  }
}

type Script = (...args: string[]) => Promise<unknown[]>

/** @throws Error after `limit` milliseconds. Replies that arrived while this process was busy are handled first. */
async function withTimeout<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const fail = (): void =>
      reject(Object.assign(new Error(`no reply within ${Math.round(limit)} ms`), { name: 'TimeoutError' }))
    timer = setTimeout(() => setImmediate(() => setImmediate(fail)), limit)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
