import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { StorageError } from '../StorageError.ts'
import { away, reasonOf, unknown } from './refusals.ts'
import { shownAddress } from './shownAddress.ts'
import { scriptOf, type ScriptName } from './scripts.ts'

/** Arguments of a script, by name; undefined ones are left out. */
export type Arguments = Readonly<Record<string, string | number | undefined>>

/** Milliseconds after which every call has ended, whatever the store does; of these, to send it again if no reply came */
const callTimeout = 1700
const resendTimeout = 400
/** During the start nobody waits, and a bulk of data may take longer. */
const patientTimeout = 10_000
const connectTimeout = 1000
/** Milliseconds between two attempts to connect */
const pause = 50

/** Loads the client library only if a shared store is used. Nothing is ever sent again but by us. */
export async function connect(url: string, timeout = connectTimeout): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const { protocol, pathname, search } = new URL(url)
  const client = new Redis(protocol === 'unix:' ? `${decodeURIComponent(pathname)}${search}` : url, {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: timeout,
    disconnectTimeout: 100,
    disableClientInfo: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    enableAutoPipelining: true,
  })
  let cause: unknown
  client.on('error', (error) => {
    cause ??= error
  })
  try {
    await within(timeout, client.connect())
    if (cause) throw cause // e.g. the database number doesn't exist: Redis would use database 0
    return client
  } catch (error) {
    client.disconnect()
    throw cause ?? error
  }
}

/** @throws Error after so many milliseconds, unless what came meanwhile settles it: this process may have been busy. */
export async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(new Error(`no answer within ${Math.round(limit)} ms`))
    timer = setTimeout(() => setImmediate(() => setImmediate(refuse)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs scripts, one round trip each. A connection that broke, or didn't answer in time, is never used again: what had no
 * reply is sent once more over the next one, marked as such.
 */
export class Connection {
  readonly address: string
  /** Called for each new connection, before it is used */
  onOpen: (client: Redis) => Promise<void> = async () => {}
  readonly url: string
  readonly #prefix: string
  #client: Redis | undefined
  #opening: Promise<void> | undefined
  #reason = 'cannot be reached.'
  /** By `performance.now()` */
  #awaySince = 0
  #isClosed = false

  constructor(url: string, prefix: string) {
    this.url = url
    this.#prefix = prefix
    this.address = shownAddress(url)
  }

  /** Opens the first connection. @param check what the server has to pass first @throws StorageError */
  async open(check: (client: Redis) => Promise<void>): Promise<void> {
    try {
      await this.#open(patientTimeout, check)
    } catch (error) {
      throw error instanceof StorageError
        ? error
        : new StorageError(`The store ${this.address} ${reasonOf(error)}`)
    }
  }

  key(...parts: (string | number)[]): string {
    return `${this.#prefix}:${parts.join(':')}`
  }

  /**
   * Runs a script.
   * @param settings `changes`: whether something is changed, so that it matters if that happened without a reply;
   * `isPatient`: whether it may take longer
   * @throws StorageError that says whether the outcome is known
   */
  async run(
    name: ScriptName,
    args: Arguments = {},
    { changes = false, isPatient = false } = {},
  ): Promise<unknown[]> {
    const limit = isPatient ? patientTimeout : callTimeout
    const until = performance.now() + limit
    let isSent = false
    for (;;) {
      const failed = (reason: string): StorageError =>
        isSent && changes ? unknown(this.address, reason) : away(this.address, reason)
      const client = await this.#whenOpen(until).catch(() => {
        throw failed(this.#reason)
      })
      const sentAt = performance.now()
      const left = until - sentAt
      try {
        const sent = isSent ? { ...args, retry: 1 } : args
        return await within(
          isSent ? left : Math.max(left - resendTimeout, 100),
          this.evaluate(client, name, sent),
        )
      } catch (error) {
        const isReply = (error as Error).name === 'ReplyError'
        // A full store is so over any connection; else the address may lead elsewhere meanwhile.
        if (!isReply || !/OOM/.test((error as Error).message)) this.#giveUp(client, reasonOf(error), sentAt)
        if (isReply) throw failed(reasonOf(error))
        isSent = true
      }
    }
  }

  async evaluate(client: Redis, name: ScriptName, args: Arguments): Promise<unknown[]> {
    const { sha, text } = scriptOf(name)
    const flat = [`${this.#prefix}:`]
    for (const key in args) {
      const value = args[key]
      if (value !== undefined) flat.push(key, String(value))
    }
    try {
      return (await client.evalsha(sha, 1, ...flat)) as unknown[]
    } catch (error) {
      if (!(error as Error).message?.startsWith('NOSCRIPT')) throw error
      return (await client.eval(text, 1, ...flat)) as unknown[]
    }
  }

  /** Sends commands that may come twice. @throws StorageError */
  async send(commands: readonly (readonly [string, ...(string | number)[]])[]): Promise<unknown[]> {
    const client = await this.#whenOpen(performance.now() + callTimeout)
    try {
      const sent = commands.map(([name, ...args]) => client.call(name, ...args.map(String)))
      return await within(patientTimeout, Promise.all(sent))
    } catch (error) {
      this.#giveUp(client, reasonOf(error))
      throw away(this.address, reasonOf(error))
    }
  }

  /** Waits for a connection, not longer than a call takes from when it was lost: later ones fail at once. */
  async #whenOpen(until: number): Promise<Redis> {
    while (!this.#client) {
      const left = Math.min(until, this.#awaySince + callTimeout) - performance.now()
      if (left <= 0 || this.#isClosed) throw away(this.address, this.#reason)
      await Promise.race([this.#opening, sleep(left, undefined, { ref: false })])
    }
    return this.#client
  }

  /** @param since when the server was last seen: nobody waits for long after that */
  #giveUp(client: Redis, reason: string, since = performance.now()): void {
    if (client !== this.#client) return
    this.#client = undefined
    this.#reason = reason
    this.#awaySince = since
    client.disconnect()
    this.#opening = this.#reopen()
  }

  async #reopen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#open(connectTimeout)
      } catch (error) {
        this.#reason = reasonOf(error)
      }
      await sleep(pause, undefined, { ref: false })
    }
  }

  async #open(timeout: number, check?: (client: Redis) => Promise<void>): Promise<void> {
    const client = await connect(this.url, timeout)
    try {
      if (check) await within(timeout, check(client))
      await within(timeout, this.onOpen(client))
    } catch (error) {
      client.disconnect()
      throw error
    }
    if (this.#isClosed) return client.disconnect()
    client.once('close', () => this.#giveUp(client, 'closed the connection.'))
    this.#client = client
  }

  close(): void {
    this.#isClosed = true
    this.#client?.disconnect()
    this.#client = undefined
  }
}
