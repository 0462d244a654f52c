import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { realTime } from '../../state/clock.ts'
import { StorageError } from '../../store/StorageError.ts'
import { pairsOf } from '../../pairsOf.ts'
import { away, reasonOf, shownAddress, UnknownOutcome } from './refusals.ts'
import { keptOutcomes, scripts, type ScriptName } from './scripts.ts'

type Argument = string | number

/** Milliseconds after which every call settles, whatever the state of the connection */
const callTimeout = 1700
/** The same during the start: no client waits for it, and it is when this process and its machine are busiest. */
const startTimeout = 10_000
/** Milliseconds of a call that remain to reconnect and to look up its outcome, if there is no reply */
const lookupTime = 300
/** Minimum milliseconds to wait for a reply: a call close to its deadline must not close the shared connection. */
const minReplyTimeout = 250
/** Milliseconds to connect */
const connectTimeout = 1000
/** Milliseconds between two looks at how long a reply has taken (see `within`) */
const slice = 50
/** Milliseconds that a closing connection waits for the server: every reply that matters has been awaited before. */
const disconnectTimeout = 100
/** Maximum milliseconds between two attempts to connect */
const maxReconnectDelay = 100
/** Milliseconds for which Redis keeps the outcomes of an inactive replica (see `greet`) */
const day = 86_400_000

/** Concurrent writes besides those of the lanes: together they must not exceed the outcomes that Redis keeps. */
const maxWrites = 32

/** The script did not run and never will: the connection was lost first. */
export const notExecuted = Symbol('not executed')

/** The state of the store when a connection was opened. */
export interface Greeting {
  /** The server's clock, ms */
  now: number
  /** When the request for it was sent, by `performance.now()` */
  sent: number
  epoch: string | undefined
  run: string
  born: number
}

const hashes = new Map(
  (Object.keys(scripts) as ScriptName[]).map((name) => [
    name,
    createHash('sha1').update(scripts[name]).digest('hex'),
  ]),
)

/** The client takes a socket's path where others take a URL. */
function addressOf(url: string): string {
  const { protocol, pathname, search } = new URL(url)
  return protocol === 'unix:' ? `${decodeURIComponent(pathname)}${search}` : url
}

/** Loads the client library only if a shared store is used. */
export async function connect(url: string, timeout = connectTimeout): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const client = new Redis(addressOf(url), {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: timeout,
    disconnectTimeout,
    disableClientInfo: true,
    // Resending could execute an order twice. After a lost connection, the outcome is looked up instead.
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
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

/**
 * Waits for a reply, in time during which this process was able to take it: while its own event loop is blocked, or it is
 * stopped, no time passes. What has arrived by then is read before the last look.
 * @throws Error after `limit` milliseconds
 */
export async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    let left = limit
    const wait = (): void => {
      const began = performance.now()
      timer = setTimeout(
        () => {
          left -= Math.min(performance.now() - began, 2 * slice)
          if (left > 0) wait()
          else setImmediate(() => reject(new Error(`no answer within ${Math.round(limit)} ms`)))
        },
        Math.min(left, slice),
      )
    }
    wait()
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs scripts on the server, one round trip each. A connection that breaks or times out is never used again. The next
 * one looks up the outcome of the scripts in flight, and fences off those that have not run yet.
 */
export class Connection {
  readonly address: string
  /** Round trips, for the metrics */
  trips = 0
  tripSeconds = 0
  /** Called for each new connection before it is used */
  onOpen: (greeting: Greeting, isOlder: boolean) => void = () => {}
  readonly #url: string
  readonly #prefix: string
  readonly #replica = randomUUID()
  #number = 0
  #generation = 0
  #answered = 0
  #client: Redis | undefined
  #outcomes = new Map<number, unknown>()
  /** Writes whose callers gave up, by number: whom to tell if they were executed */
  readonly #abandoned = new Map<number, (outcome: unknown) => void>()
  #reason = 'did not answer.'
  /** When the connection was lost, by `performance.now()`; undefined while connected */
  #awaySince: number | undefined = performance.now()
  #isClosed = false
  #timeout = startTimeout
  /** When the server last extended the expiry of our outcomes, in real time (ms) */
  #refreshed = 0
  readonly #writes = new Set<Promise<unknown>>()
  #wake: () => void = () => {}
  #opening = this.#beginOpening()

  constructor(url: string, prefix: string) {
    this.#url = url
    this.address = shownAddress(url)
    this.#prefix = prefix
  }

  /** Opens the first connection. @param check validates the server first @throws StorageError */
  async open(check: (client: Redis) => Promise<void>): Promise<void> {
    try {
      await this.#openOnce(check)
    } catch (error) {
      this.#isClosed = true
      throw error instanceof StorageError
        ? error
        : new StorageError(`The store ${this.address} ${reasonOf(error)}`)
    }
  }

  /** Milliseconds after which every call settles, whatever the state of the connection */
  get timeout(): number {
    return this.#timeout
  }

  /** From now on, clients wait for each call. */
  endStart(): void {
    this.#timeout = callTimeout
  }

  /** Number of the current connection: what was cached over an earlier one may be stale. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Waits for a connection until `timeout` after the last one was lost; later calls fail right away.
   * @throws StorageError
   */
  async whenOpen(until = performance.now() + this.#timeout): Promise<void> {
    while (!this.#client) {
      const since = this.#awaySince ?? performance.now()
      const left = Math.min(until, since + this.#timeout) - performance.now()
      if (left <= 0 || this.#isClosed) throw away(this.address, this.#reason)
      await Promise.race([this.#opening, sleep(left, undefined, { ref: false })])
    }
  }

  /**
   * Runs a script that may write, at most once.
   * @param onLate called with the result if it turns out to have run although this threw UnknownOutcome
   * @returns its result; `notExecuted` if it did not run, so that the caller can retry with fresh arguments
   * @throws StorageError that says whether the outcome is known
   */
  async trip(
    name: ScriptName,
    args: readonly Argument[],
    until: number,
    onLate?: (outcome: unknown) => void,
  ): Promise<unknown> {
    await this.whenOpen(until)
    const sent = performance.now()
    const number = ++this.#number
    const generation = this.#generation
    const client = this.#client as Redis
    try {
      const reply = await this.#run(client, name, [this.#replica, generation, number, ...args], until)
      const status: unknown = Array.isArray(reply) ? reply[0] : undefined
      if (status === 'void') {
        this.#giveUp(client)
        return notExecuted
      }
      if (status === 'ok') this.#answered = Math.max(this.#answered, number)
      return reply
    } catch (error) {
      if (isReply(error)) {
        if (!isRefusedForGood(error)) this.#giveUp(client)
        throw away(this.address, reasonOf(error))
      }
      this.#reason = reasonOf(error)
      this.#giveUp(client, sent)
    }
    try {
      await this.whenOpen(until)
    } catch {
      if (onLate) this.#abandoned.set(number, onLate)
      throw new UnknownOutcome(this.address, this.#reason)
    }
    if (!this.#outcomes.has(number)) return notExecuted
    const outcome = this.#outcomes.get(number)
    this.#outcomes.delete(number)
    return outcome
  }

  /** Runs a script that may write exactly once: retries until it was executed. */
  async write(name: ScriptName, args: readonly Argument[]): Promise<unknown> {
    const until = performance.now() + this.#timeout
    while (this.#writes.size >= maxWrites) await Promise.race(this.#writes)
    const writing = this.#write(name, args, until)
    const ended: Promise<unknown> = writing.catch(() => {}).finally(() => this.#writes.delete(ended))
    this.#writes.add(ended)
    return writing
  }

  async #write(name: ScriptName, args: readonly Argument[], until: number): Promise<unknown> {
    for (;;) {
      const reply = await this.trip(name, args, until)
      if (reply !== notExecuted) return reply
    }
  }

  /** Runs a script that is read-only or idempotent: it is retried on a new connection. @throws StorageError */
  async ask(name: ScriptName, args: readonly Argument[] = []): Promise<unknown> {
    const until = performance.now() + this.#timeout
    for (;;) {
      await this.whenOpen(until)
      const client = this.#client as Redis
      const sent = performance.now()
      try {
        return await this.#run(client, name, args, until)
      } catch (error) {
        if (isReply(error)) throw away(this.address, reasonOf(error))
        this.#reason = reasonOf(error)
        this.#giveUp(client, sent)
      }
    }
  }

  /** Sends a single Redis command. */
  async command(...args: [string, ...Argument[]]): Promise<unknown> {
    await this.whenOpen()
    return within(this.#replyTimeout, (this.#client as Redis).call(...(args as [string, ...string[]])))
  }

  /**
   * Keeps the outcomes of this replica's writes for another day.
   * @throws StorageError if nothing can be written
   */
  async refresh(): Promise<void> {
    await this.whenOpen()
    const client = this.#client as Redis
    try {
      await within(
        this.#replyTimeout,
        client.call('EXPIRE', `${this.#prefix}:t:${this.#replica}`, day / 1000),
      )
      this.#refreshed = realTime()
    } catch (error) {
      if ((error as Error).message.startsWith('NOPERM')) return // the store is usable without this command
      this.#reason = reasonOf(error)
      this.#giveUp(client)
      throw away(this.address, this.#reason)
    }
  }

  get #replyTimeout(): number {
    return this.#timeout - lookupTime
  }

  async #run(client: Redis, name: ScriptName, args: readonly Argument[], until: number): Promise<unknown> {
    this.trips++
    const sent = performance.now()
    const limit = Math.min(this.#replyTimeout, Math.max(minReplyTimeout, until - performance.now()))
    const call = (command: string, script: string): Promise<unknown> =>
      within(limit, client.call(command, [script, 1, `${this.#prefix}:`, ...args] as string[]))
    try {
      return await call('EVALSHA', hashes.get(name) as string)
    } catch (error) {
      if (!(error as Error).message?.startsWith('NOSCRIPT')) throw error
      return await call('EVAL', scripts[name])
    } finally {
      this.tripSeconds += (performance.now() - sent) / 1000
    }
  }

  /** @returns resolves with the next connection */
  #beginOpening(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** @param since when the server last may have been there: nobody waits for long after that */
  #giveUp(client: Redis, since = performance.now()): void {
    // It was disconnected already. Once it is closed, doing so again would keep the process for `disconnectTimeout`.
    if (client !== this.#client) return
    this.#client = undefined
    this.#awaySince = since
    this.#opening = this.#beginOpening()
    void this.#reopen()
    client.disconnect()
  }

  async #reopen(): Promise<void> {
    for (let pause = 10; !this.#isClosed; pause = Math.min(2 * pause, maxReconnectDelay)) {
      try {
        await this.#openOnce()
        return
      } catch (error) {
        this.#reason = reasonOf(error)
      }
      await sleep(pause, undefined, { ref: false })
    }
  }

  async #openOnce(check?: (client: Redis) => Promise<void>): Promise<void> {
    const timeout = check ? this.#timeout : connectTimeout
    const client = await connect(this.#url, timeout)
    const generation = ++this.#generation
    try {
      if (check) await within(timeout, check(client))
      const sent = performance.now()
      const reply = await this.#run(client, 'greet', [this.#replica, generation], sent + timeout)
      const [now, epoch, run, born, known] = reply as [number, string | null, string, string, string[]]
      const outcomes = pairsOf(known).flatMap(([name, text]) => (name.startsWith('g') ? [] : [text]))
      const newest = this.#remember(outcomes)
      // If we were away for long, our outcomes have expired: that doesn't indicate a loss.
      const haveExpired = outcomes.length === 0 && realTime() - this.#refreshed > day
      const isOlder = newest < this.#answered && !haveExpired
      this.#refreshed = realTime()
      this.onOpen({ now, sent, epoch: epoch ?? undefined, run, born: Number(born) }, isOlder)
      this.#answered = newest
    } catch (error) {
      client.disconnect()
      throw error
    }
    if (this.#isClosed) return client.disconnect()
    client.once('close', () => this.#giveUp(client))
    this.#client = client
    this.#awaySince = undefined
    this.#wake()
    const abandoned = [...this.#abandoned]
    this.#abandoned.clear()
    for (const [number, tell] of abandoned) if (this.#outcomes.has(number)) tell(this.#outcomes.get(number))
  }

  /** Loads the outcomes of the last scripts. @returns the number of the newest one */
  #remember(outcomes: readonly string[]): number {
    this.#outcomes = new Map()
    let newest = 0
    for (const text of outcomes) {
      const space = text.indexOf(' ')
      const number = Number(text.slice(0, space))
      newest = Math.max(newest, number)
      if (number > this.#number - keptOutcomes) this.#outcomes.set(number, JSON.parse(text.slice(space + 1)))
    }
    return newest
  }

  close(): void {
    this.#isClosed = true
    this.#client?.disconnect()
    this.#client = undefined
    this.#wake()
  }
}

/** Whether the server replied with an error. */
function isReply(error: unknown): boolean {
  return (error as Error).name === 'ReplyError'
}

/** Whether a new connection would get the same error. */
function isRefusedForGood(error: unknown): boolean {
  return /OOM/.test((error as Error).message)
}
