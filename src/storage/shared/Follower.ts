import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { connect, within, type Connection } from './Connection.ts'
import { newName } from './Epochs.ts'
import { pairsOf } from '../../pairsOf.ts'
import type { HistoryEntry } from './WorldCache.ts'

/** Milliseconds that a read blocks until there is an event */
const blockTimeout = 5000

/**
 * Subscribes to the store's events over a separate connection. Replicas only write events while someone subscribes.
 * Events are numbered without gaps, so a gap shows that some were missed.
 */
export class Follower {
  readonly #connection: Connection
  readonly #url: string
  readonly #key: string
  readonly #take: (fields: Record<string, string>) => Promise<void>
  readonly #missed: () => Promise<void>
  #client: Redis | undefined
  #isOn = false
  #round = 0
  /** Identifies the sequence of numbers, and the last number seen in it */
  #numbering = ''
  #last = 0
  #begun: Promise<void> = Promise.resolve()

  /**
   * @param take called for each event
   * @param missed called if events were missed
   */
  constructor(
    connection: Connection,
    { url, prefix }: { url: string; prefix: string },
    take: (fields: Record<string, string>) => Promise<void>,
    missed: () => Promise<void>,
  ) {
    this.#connection = connection
    this.#url = url
    this.#key = `${prefix}:events`
    this.#take = take
    this.#missed = missed
  }

  /** Resolves once no further event can be missed without notice. */
  get begun(): Promise<void> {
    return this.#begun
  }

  /** Call if the store came back older: it then gives numbers again that other events already had. */
  renumber(): void {
    if (this.#numbering !== '') this.#numbering = 'another'
  }

  start(): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#numbering = ''
    const round = ++this.#round
    this.#begun = this.#listen().catch(() => {
      if (this.#isCurrent(round)) this.#numbering = 'unknown' // what comes until it can listen is missed
    })
    void this.#follow(round)
  }

  stop(): void {
    this.#isOn = false
    this.#client?.disconnect()
    this.#client = undefined
  }

  #isCurrent(round: number): boolean {
    return this.#isOn && round === this.#round
  }

  async #follow(round: number): Promise<void> {
    await this.#begun
    let client: Redis | undefined
    while (this.#isCurrent(round)) {
      try {
        client ??= await connect(this.#url)
        if (!this.#isCurrent(round)) return client.disconnect()
        this.#client = client
        await this.#listen()
        const wait = client.call(
          'XREAD',
          'COUNT',
          500,
          'BLOCK',
          blockTimeout,
          'STREAMS',
          this.#key,
          `${this.#last}-0`,
        )
        const reply = await within(2 * blockTimeout, wait)
        for (const [, entries] of (reply ?? []) as [string, HistoryEntry[]][])
          for (const entry of entries) await this.#tell(entry, round)
      } catch {
        if (this.#isCurrent(round)) client?.disconnect() // otherwise `stop` did
        client = undefined
        await sleep(100, undefined, { ref: false })
      }
    }
  }

  async #tell([id, fields]: HistoryEntry, round: number): Promise<void> {
    if (!this.#isCurrent(round)) return
    const number = Number(id.slice(0, id.indexOf('-')))
    if (number !== this.#last + 1) await this.#missed()
    // If the event can't be told now, it is read again.
    if (this.#isCurrent(round)) this.#last = number - 1
    await this.#take(Object.fromEntries(pairsOf(fields)))
    if (this.#isCurrent(round)) this.#last = number
  }

  /** Enables events, and keeps them enabled if called repeatedly. */
  async #listen(): Promise<void> {
    const [numbering, last] = (await this.#connection.ask('listen', [newName()])) as [string, number]
    if (numbering === this.#numbering && last >= this.#last) return
    if (this.#numbering !== '') await this.#missed()
    this.#numbering = numbering
    this.#last = last
  }
}
