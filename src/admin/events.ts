import type { Write } from '../http/Wire.ts'
import { entryOf } from '../journal/redaction/redactRecord.ts'
import { Redactor } from '../journal/redaction/Redactor.ts'
import type { Simulation } from '../Simulation.ts'
import type { Store, StoreEvent } from '../store/Store.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { readFilter } from './readFilter.ts'

/** Milliseconds between two comments that keep the connection open. */
const heartbeat = 15_000

/** Concurrent readers: each may buffer as much as a stream's backlog. */
export const mostReaders = 100

/** Milliseconds between two looks at what is due */
const tick = 100

/** Milliseconds in which events are collected, so that a hundred readers cost little. */
const interval = 20

export const streamEvents: AdminOperation<'streamEvents'> = async ({ query, signal }, simulation) => {
  await readFilter(simulation, query) // rejects an unknown account before the stream starts
  const hub = hubs.get(simulation) ?? new EventHub(simulation.store)
  hubs.set(simulation, hub)
  if (hub.readers >= mostReaders)
    throw new AdminError(429, `${mostReaders} readers follow the events already; end one of them first.`)
  return {
    status: 200,
    stream(write) {
      const leave = hub.join(query.account, write)
      // Before that, the changes of other replicas may be missing.
      void simulation.store.whenListening().then(() => write(': connected\n\n'))
      const beat = setInterval(() => write(': alive\n\n'), heartbeat).unref()
      signal.addEventListener('abort', () => {
        leave()
        clearInterval(beat)
      })
    },
  }
}

const hubs = new WeakMap<Simulation, EventHub>()

/** A reader, the account whose events it wants (undefined: all), and the text not sent to it yet. */
interface Reader {
  write: Write
  account: string | undefined
  pending: string
}

/** Sends events to the readers of the event stream: each is serialized once for all of them. */
export class EventHub {
  readonly #store: Store
  readonly #readers = new Set<Reader>()
  #leave: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store) {
    this.#store = store
  }

  get readers(): number {
    return this.#readers.size
  }

  /** Sends a reader all events from now on. @returns stops that */
  join(account: string | undefined, write: Write): () => void {
    const reader = { write, account, pending: '' }
    this.#readers.add(reader)
    this.#leave ??= this.#follow()
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size > 0) return
      this.#leave?.()
      this.#leave = undefined
    }
  }

  #follow(): () => void {
    const off = this.#store.on((event) => this.#take(event))
    // While somebody listens, what is due happens at its time. If it can't be written, the next request hears of that.
    const settle = async (): Promise<unknown> => this.#store.settleAll()
    const ticking = setInterval(() => void settle().catch(() => {}), tick).unref()
    return () => {
      off()
      clearInterval(ticking)
    }
  }

  #take(event: StoreEvent): void {
    let text: string | undefined
    for (const reader of this.#readers)
      if (isMeant(event, reader.account)) reader.pending += text ??= textOf(event)
    if (text && !this.#timer) this.#timer = setTimeout(() => this.#flush(), interval).unref()
  }

  #flush(): void {
    this.#timer = undefined
    for (const reader of this.#readers) {
      const { pending } = reader
      reader.pending = ''
      if (pending !== '') reader.write(pending)
    }
  }
}

function isMeant(event: StoreEvent, account: string | undefined): boolean {
  if (account === undefined || event.type === 'reset') return true
  return (event.type === 'request' ? event.record.account : event.account) === account
}

/** An event as text; empty if it isn't part of the stream. */
function textOf(event: StoreEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(dataOf(event))}\n\n`
}

function dataOf(event: StoreEvent): unknown {
  if (event.type === 'request') return entryOf(event.record)
  if (event.type === 'reset') return { scenario: event.scenario }
  const { account, change, description, skipped, secrets } = event
  return { account, change: new Redactor(secrets).value(change), description, skipped }
}
