import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { StorageError } from '../StorageError.ts'
import { away, reasonOf, shownAddress, unknown } from './refusals.ts'
import { scriptOf, type ScriptName } from './scripts.ts'

/** Arguments of a script, by name; undefined ones are left out. */
export type Arguments = Readonly<Record<string, string | number | undefined>>

/** Milliseconds after which every call has ended, whatever the store does; of these, to send it again if no reply came */
const callTimeout = 1700
const resendTimeout = 400
/** A bulk of data may take longer. */
const patientTimeout = 10_000
const connectTimeout = 1000
/** Milliseconds that Redis waits for entries of a stream; then it says that there are none */
const blocking = 2000

/** The connection to the store. The client reconnects by itself, but nothing is ever sent again but by us. */
export class Connection {
  readonly address: string
  readonly #prefix: string
  readonly #client: Redis
  /** A second connection, for calls that wait */
  readonly #waiting: Redis
  #reason = 'cannot be reached.'
  /** When the connection was lost, by `performance.now()`; undefined if there is one */
  #lostAt: number | undefined = 0

  private constructor(url: string, prefix: string, client: Redis) {
    this.address = shownAddress(url)
    this.#prefix = prefix
    this.#client = client
    this.#waiting = client.duplicate()
    for (const each of [client, this.#waiting]) {
      each.on('error', (error: Error) => {
        this.#reason = reasonOf(error)
      })
      // A server that accepts the connection may be unable to answer.
      const giveUp = (): void => void (each.status === 'connect' && each.disconnect(true))
      each.on('connect', () => setTimeout(giveUp, connectTimeout).unref())
    }
    client.setMaxListeners(0) // as many as wait for it
    client.on('ready', () => (this.#lostAt = undefined))
  }

  /** @throws StorageError */
  static async open(url: string, prefix: string): Promise<Connection> {
    const { Redis: Client } = await import('ioredis') // only if a shared store is used
    const { protocol, pathname, search } = new URL(url)
    const client = new Client(protocol === 'unix:' ? `${decodeURIComponent(pathname)}${search}` : url, {
      lazyConnect: true,
      protocol: 2,
      connectTimeout,
      disconnectTimeout: 100,
      disableClientInfo: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => (attempt > 1 ? 50 : 0),
      enableAutoPipelining: true,
    })
    const connection = new Connection(url, prefix, client)
    let failure: unknown
    client.on('error', (error) => (failure ??= error))
    try {
      await within(patientTimeout, client.connect())
      if (failure) throw failure // e.g. the database number doesn't exist: Redis would use database 0
    } catch (error) {
      connection.close()
      throw new StorageError(`The store ${connection.address} ${reasonOf(failure ?? error)}`)
    }
    return connection
  }

  /** @param lost called when all that was read may be stale @param opened called when there is a connection again */
  watch(lost: () => void, opened: () => void): void {
    this.#client.on('close', () => {
      this.#lostAt ??= performance.now()
      lost()
    })
    this.#client.on('ready', opened)
  }

  /**
   * Runs a script: one round trip, or a second one over another connection if the reply was lost, marked as such.
   * @param settings `changes`: whether something is changed, so that it matters if that happened without a reply;
   * `isPatient`: whether it may take longer
   * @throws StorageError that says whether the outcome is known
   */
  async run(
    name: ScriptName,
    args: Arguments = {},
    { changes = false, isPatient = false } = {},
  ): Promise<unknown[]> {
    const until = performance.now() + (isPatient ? patientTimeout : callTimeout)
    let isSent = false
    for (;;) {
      const failed = (): StorageError =>
        isSent && changes ? unknown(this.address, this.#reason) : away(this.address, this.#reason)
      if (!(await this.#isReady(until))) throw failed()
      const sentAt = performance.now()
      try {
        const left = until - sentAt
        const sent = this.#evaluate(name, isSent ? { ...args, retry: 1 } : args)
        return await within(isSent ? left : Math.max(left - resendTimeout, 100), sent)
      } catch (error) {
        const { name: kind, message } = error as Error
        const isReply = kind === 'ReplyError'
        this.#reason = reasonOf(error)
        // A full store is so over any connection; else the address may lead elsewhere meanwhile.
        if (isReply ? !message.includes('OOM') : kind === 'TimeoutError') this.#giveUp(sentAt)
        if (isReply) throw failed()
        if (!message.startsWith("Stream isn't writeable")) isSent = true
        else await sleep(5, undefined, { ref: false }) // it is about to close
      }
    }
  }

  /** @param since when the server was last seen: nobody waits for long after that */
  #giveUp(since: number): void {
    if (this.#lostAt !== undefined) return
    this.#lostAt = since
    this.#client.disconnect(true)
  }

  /** Waits for a connection, not longer than a call takes from when it was lost: later ones fail at once. */
  async #isReady(until: number): Promise<boolean> {
    for (;;) {
      const now = performance.now()
      if (this.#client.status === 'ready' && now < until) return true
      const left = Math.min(until, (this.#lostAt ?? now) + callTimeout) - now
      if (left <= 0 || this.#client.status === 'end') return false
      await once(this.#client, 'ready', { signal: AbortSignal.timeout(Math.ceil(left)) }).catch(() => {})
    }
  }

  async #evaluate(name: ScriptName, args: Arguments): Promise<unknown[]> {
    const { sha, text } = scriptOf(name)
    const flat = [`${this.#prefix}:`]
    for (const key in args) {
      const value = args[key]
      if (value !== undefined) flat.push(key, String(value))
    }
    try {
      return (await this.#client.evalsha(sha, 1, ...flat)) as unknown[]
    } catch (error) {
      if (!(error as Error).message?.startsWith('NOSCRIPT')) throw error
      return (await this.#client.eval(text, 1, ...flat)) as unknown[]
    }
  }

  /** A command for the start. @throws StorageError */
  async ask(command: string, ...args: string[]): Promise<unknown> {
    try {
      return await within(patientTimeout, this.#client.call(command, ...args))
    } catch (error) {
      const { message } = error as Error
      // A user without permission for it can still use the store.
      if (message.startsWith('NOPERM') || message.startsWith('ERR unknown command')) return []
      throw new StorageError(`The store ${this.address} ${reasonOf(error)}`)
    }
  }

  /** Waits for entries of a stream after one. @returns undefined if none came for a while @throws if there is no connection */
  async waitForEntries<T>(stream: string, after: string): Promise<T[] | undefined> {
    const client = this.#waiting
    if (client.status === 'wait') await client.connect()
    const place = ['STREAMS', `${this.#prefix}:${stream}`, after]
    try {
      const waiting = client.call('XREAD', 'COUNT', '1000', 'BLOCK', String(blocking), ...place)
      return ((await within(2 * blocking, waiting)) as [[string, T[]]] | null)?.[0][1]
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') client.disconnect(true)
      throw error
    }
  }

  /** Nobody can say whether a change was made. */
  unknownOutcome(): StorageError {
    return unknown(this.address, 'has forgotten it.')
  }

  close(): void {
    this.#client.disconnect()
    this.#waiting.disconnect()
  }
}

/** @throws Error after so many milliseconds, unless what came meanwhile settles it: this process may have been busy. */
async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`no answer within ${Math.round(limit)} ms`), {
      name: 'TimeoutError',
    })
    const refuse = (): void => reject(error)
    timer = setTimeout(() => setImmediate(() => setImmediate(refuse)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
