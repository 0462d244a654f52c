import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { StorageError } from '../StorageError.ts'
import { away, isHarmless, reasonOf, shownAddress, unknown } from './refusals.ts'
import { commands, type ScriptName } from './scripts.ts'

/** Arguments of a script, by name; undefined ones are left out. */
export type Arguments = Readonly<Record<string, string | number | undefined>>

/** Milliseconds after which every call has ended, whatever the store does; of these, to send it again if no reply came */
const callTimeout = 1700
const resendTimeout = 400
/** What handles a bulk of data may take longer. */
const bulkTimeout = 10_000
const bulky: readonly ScriptName[] = ['replace', 'state', 'snapshot']

/** The connection to the store. The client reconnects by itself, but nothing is ever sent again but by us. */
export class Connection {
  readonly address: string
  readonly #prefix: string
  readonly #client: Redis
  #reason = 'cannot be reached.'
  /** When the connection was lost, by `performance.now()`; undefined if there is one */
  #lostAt: number | undefined = 0

  private constructor(url: string, prefix: string, client: Redis) {
    this.address = shownAddress(url)
    this.#prefix = prefix
    this.#client = client
    client.on('error', (error: Error) => {
      this.#reason = reasonOf(error)
    })
    // A server that accepts the connection may be unable to answer.
    const giveUp = (): void => void (client.status === 'connect' && client.disconnect(true))
    client.on('connect', () => setTimeout(giveUp, callTimeout / 2).unref())
    client.setMaxListeners(0) // as many as wait for it
    client.on('ready', () => (this.#lostAt = undefined))
    client.on('close', () => (this.#lostAt ??= performance.now()))
  }

  /** @throws StorageError */
  static async open(url: string, prefix: string): Promise<Connection> {
    const { Redis: Client } = await import('ioredis') // only if a shared store is used
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
      await within(bulkTimeout, client.connect())
      if (failure) throw failure // e.g. the database number doesn't exist: Redis would use database 0
    } catch (error) {
      connection.close()
      throw new StorageError(`The store ${connection.address} ${reasonOf(failure ?? error)}`)
    }
    return connection
  }

  /**
   * Runs a script: one round trip, or a second one over another connection if the reply was lost, marked as such.
   * @param isChange whether it matters if it was run without a reply
   * @throws StorageError that says whether the outcome is known
   */
  async run(name: ScriptName, args: Arguments = {}, isChange?: boolean): Promise<unknown[]> {
    const until = performance.now() + (bulky.includes(name) ? bulkTimeout : callTimeout)
    let isSent = false
    const failed = (): StorageError => (isSent && isChange ? unknown : away)(this.address, this.#reason)
    while (await this.#isReady(until)) {
      const sentAt = performance.now()
      const left = until - sentAt
      try {
        const sent = this.#call(name, isSent ? { ...args, retry: 1 } : args)
        return await within(isSent ? left : Math.max(left - resendTimeout, 100), sent)
      } catch (error) {
        const { name: kind, message } = error as Error
        const isReply = kind === 'ReplyError'
        this.#reason = reasonOf(error)
        // A full store is so over any connection; else the address may lead elsewhere meanwhile.
        const isElsewhere = isReply ? !message.includes('OOM') : kind === 'TimeoutError'
        if (isElsewhere && this.#lostAt === undefined) {
          this.#lostAt = sentAt
          this.#client.disconnect(true)
        }
        if (isReply && !isHarmless(message)) isSent = true
        if (isReply) throw failed()
        if (!message.startsWith("Stream isn't writeable")) isSent = true
        else await sleep(5) // it is about to close
      }
    }
    throw failed()
  }

  #call(name: ScriptName, args: Arguments): Promise<unknown[]> {
    const flat = [`${this.#prefix}:`]
    for (const key in args) {
      const value = args[key]
      if (value !== undefined) flat.push(key, String(value))
    }
    return (this.#client as unknown as Record<ScriptName, Script>)[name](...flat)
  }

  /** Waits for a connection, not longer than a call takes from when it was lost: later ones fail at once. */
  async #isReady(until: number): Promise<boolean> {
    for (;;) {
      const now = performance.now()
      if (this.#client.status === 'ready' && now < until) return true
      const left = Math.min(until, (this.#lostAt ?? now) + callTimeout) - now
      if (left <= 0 || this.#client.status === 'end') return false
      await this.#readyOrAfter(left)
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

/** @throws Error after so many milliseconds, unless what came meanwhile settles it: this process may have been busy. */
async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = (): void =>
      reject(Object.assign(new Error(`no answer within ${Math.round(limit)} ms`), { name: 'TimeoutError' }))
    timer = setTimeout(() => setImmediate(() => setImmediate(refuse)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
