import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { realTime } from '../../state/clock.ts'
import { StorageError } from '../StorageError.ts'
import { away, reasonOf, shownAddress, unknownOutcome } from './refusals.ts'
import { remembered, scripts, type ScriptName } from './scripts.ts'

type Argument = string | number

/** Milliseconds within which a caller is told, whatever became of the store */
export const patience = 1700
/** Milliseconds after which an answer is not waited for any longer */
const longestTrip = 1400
/** Milliseconds an answer is waited for at least: who is in a hurry does not end the connection of all. */
const shortestTrip = 250
/** Milliseconds a connection may take to come about */
const longestConnect = 1000
/** Milliseconds between two attempts to connect, at most */
const longestPause = 100
/** Milliseconds for which the server remembers what came of the trips of a replica that says nothing */
const day = 86_400_000

/** Writes that are under way at a time, besides those of the lanes: the outcome of more would not be remembered. */
const mostWrites = 32

/** A trip was not made, and never will be: its connection broke before. */
export const notMade = Symbol('not made')

/** What the server knew when a connection came about. */
export interface Greeting {
  /** The server's clock, ms */
  now: number
  /** When that was asked for, by `performance.now()` */
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

/** The client library is loaded by those who need it. */
export async function connect(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const client = new Redis(url, {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: longestConnect,
    disableClientInfo: true,
    // Whoever resends doubles orders: what a broken connection leaves open is looked up instead.
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
    await within(longestConnect, client.connect())
    if (cause) throw cause // a database that is not there is no reason to take another one
    return client
  } catch (error) {
    client.disconnect()
    throw cause ?? error
  }
}

/** @throws Error once the time (ms) is over */
export async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(limit)} ms`)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The way to the server: scripts, one trip each. A connection that breaks, or does not answer in time, is given up for
 * good; the next one asks what came of the trips that were under way, and whatever of them is still to come does nothing.
 */
export class Connection {
  readonly address: string
  /** Trips, for the metrics */
  trips = 0
  tripSeconds = 0
  /** Called with each connection, before anything else goes over it */
  onOpen: (greeting: Greeting, isOlder: boolean) => void = () => {}
  readonly #url: string
  readonly #prefix: string
  readonly #replica = randomUUID()
  #number = 0
  #generation = 0
  #answered = 0
  #client: Redis | undefined
  #outcomes = new Map<number, unknown>()
  #opening: Promise<void>
  #reason = 'did not answer.'
  /** Since when there is no connection, by `performance.now()`; undefined: there is one */
  #awaySince: number | undefined = performance.now()
  #isClosed = false
  /** When the server was last told that we are there */
  #stayed = 0
  readonly #writes = new Set<Promise<unknown>>()
  #wake: () => void = () => {}

  constructor(url: string, prefix: string) {
    this.#url = url
    this.address = shownAddress(url)
    this.#prefix = prefix
    this.#opening = new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** The first connection. @param check has a look at the server before @throws StorageError if there is none */
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

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  /** Why there is no connection */
  get reason(): string {
    return this.#reason
  }

  /** Which connection it is: with another one, nothing that was known before counts. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Waits for a connection, for those who were there when the last one broke; later ones are told at once.
   * @throws StorageError
   */
  async whenOpen(until = performance.now() + patience): Promise<void> {
    while (!this.#client) {
      const since = this.#awaySince ?? performance.now()
      const left = Math.min(until, since + patience) - performance.now()
      if (left <= 0 || this.#isClosed) throw away(this.address, this.#reason)
      await Promise.race([this.#opening, sleep(left, undefined, { ref: false })])
    }
  }

  /**
   * One trip that may write. Made once, or not at all.
   * @returns what came of it; `notMade`, so that the caller may think again
   * @throws StorageError that says whether the outcome is known
   */
  async trip(
    name: ScriptName,
    args: readonly Argument[],
    until = performance.now() + patience,
  ): Promise<unknown> {
    await this.whenOpen(until)
    const number = ++this.#number
    const generation = this.#generation
    const client = this.#client as Redis
    try {
      const reply = await this.#run(client, name, [this.#replica, generation, number, ...args], until)
      if (Array.isArray(reply) && reply[0] === 'void') {
        this.#giveUp(client)
        return notMade
      }
      this.#answered = Math.max(this.#answered, number)
      return reply
    } catch (error) {
      if (isReply(error)) {
        if (!isRefusedForGood(error)) this.#giveUp(client)
        throw away(this.address, reasonOf(error))
      }
      this.#reason = reasonOf(error)
      this.#giveUp(client)
    }
    try {
      await this.whenOpen(until)
    } catch {
      throw unknownOutcome(this.address, this.#reason)
    }
    if (!this.#outcomes.has(number)) return notMade
    const outcome = this.#outcomes.get(number)
    this.#outcomes.delete(number)
    return outcome
  }

  /** One trip that may write, made again until it was made. */
  async write(name: ScriptName, args: readonly Argument[]): Promise<unknown> {
    const until = performance.now() + patience
    while (this.#writes.size >= mostWrites) await Promise.race(this.#writes)
    const writing = this.#write(name, args, until)
    const ended: Promise<unknown> = writing.catch(() => {}).finally(() => this.#writes.delete(ended))
    this.#writes.add(ended)
    return writing
  }

  async #write(name: ScriptName, args: readonly Argument[], until: number): Promise<unknown> {
    for (;;) {
      const reply = await this.trip(name, args, until)
      if (reply !== notMade) return reply
    }
  }

  /** Asks, or does what may be done twice. @throws StorageError */
  async ask(
    name: ScriptName,
    args: readonly Argument[] = [],
    until = performance.now() + patience,
  ): Promise<unknown> {
    for (;;) {
      await this.whenOpen(until)
      const client = this.#client as Redis
      try {
        return await this.#run(client, name, args, until)
      } catch (error) {
        if (isReply(error)) throw away(this.address, reasonOf(error))
        this.#reason = reasonOf(error)
        this.#giveUp(client)
      }
    }
  }

  /** A command as it is. */
  async command(...args: [string, ...Argument[]]): Promise<unknown> {
    await this.whenOpen()
    return within(longestTrip, (this.#client as Redis).call(...(args as [string, ...string[]])))
  }

  /**
   * Says that this replica is there, so that what came of its trips is remembered for another day.
   * @throws StorageError: nothing can be written
   */
  async stay(): Promise<void> {
    await this.whenOpen()
    const client = this.#client as Redis
    try {
      await within(longestTrip, client.call('EXPIRE', `${this.#prefix}:t:${this.#replica}`, day / 1000))
      this.#stayed = realTime()
    } catch (error) {
      if ((error as Error).message.startsWith('NOPERM')) return // such a user may still use the store
      this.#reason = reasonOf(error)
      this.#giveUp(client)
      throw away(this.address, this.#reason)
    }
  }

  /** Whether what came of our trips was forgotten because we were away for long: it says nothing of a loss. */
  #isForgotten(known: readonly string[]): boolean {
    return known.every((name, at) => at % 2 === 1 || name.startsWith('g')) && realTime() - this.#stayed > day
  }

  async #run(client: Redis, name: ScriptName, args: readonly Argument[], until: number): Promise<unknown> {
    this.trips++
    const sent = performance.now()
    const limit = Math.min(longestTrip, Math.max(shortestTrip, until - performance.now()))
    const call = (command: string, script: string): Promise<unknown> =>
      within(limit, client.call(command, [script, 1, this.#prefix, ...args] as string[]))
    try {
      return await call('EVALSHA', hashes.get(name) as string)
    } catch (error) {
      if (!(error as Error).message?.startsWith('NOSCRIPT')) throw error
      return await call('EVAL', scripts[name])
    } finally {
      this.tripSeconds += (performance.now() - sent) / 1000
    }
  }

  #giveUp(client: Redis): void {
    if (client === this.#client) {
      this.#client = undefined
      this.#awaySince = performance.now()
      this.#opening = new Promise((resolve) => {
        this.#wake = resolve
      })
      void this.#reopen()
    }
    client.disconnect()
  }

  async #reopen(): Promise<void> {
    for (let pause = 10; !this.#isClosed; pause = Math.min(2 * pause, longestPause)) {
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
    const client = await connect(this.#url)
    const generation = ++this.#generation
    try {
      if (check) await within(longestConnect, check(client))
      const sent = performance.now()
      const reply = await this.#run(client, 'greet', [this.#replica, generation], sent + longestConnect)
      const [now, epoch, run, born, known] = reply as [number, string | null, string, string, string[]]
      const newest = this.#remember(known)
      const isOlder = newest < this.#answered && !this.#isForgotten(known)
      this.#stayed = realTime()
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
  }

  /** What came of the last trips. @returns the newest of them */
  #remember(known: readonly string[]): number {
    this.#outcomes = new Map()
    let newest = 0
    for (let at = 1; at < known.length; at += 2) {
      if (known[at - 1]?.startsWith('g')) continue
      const text = known[at] as string
      const space = text.indexOf(' ')
      const number = Number(text.slice(0, space))
      newest = Math.max(newest, number)
      if (number > this.#number - remembered) this.#outcomes.set(number, JSON.parse(text.slice(space + 1)))
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

/** Whether the server answered, and refused. */
function isReply(error: unknown): boolean {
  return (error as Error).name === 'ReplyError'
}

/** Whether another connection would be refused too. */
function isRefusedForGood(error: unknown): boolean {
  return /OOM/.test((error as Error).message)
}
