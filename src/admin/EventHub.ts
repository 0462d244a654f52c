import { Redactor } from '../journal/redaction/Redactor.ts'
import type { Write } from '../http/Wire.ts'
import type { Store, StoreEvent } from '../state/Store.ts'

/** Readers of the same events, and the text not sent to them yet. */
interface Group {
  readers: Set<Write>
  pending: string
}

/** Pause between writes as a multiple of the time the last one took, so that readers cost at most a tenth of it. */
const pauseFactor = 9

/**
 * Sends events to the readers of the event stream: each is serialised once for all readers, and events that occur
 * together are written together.
 */
export class EventHub {
  readonly #store: Store
  /** By account; undefined for the events of all */
  readonly #groups = new Map<string | undefined, Group>()
  #off: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #pausedUntil = 0

  constructor(store: Store) {
    this.#store = store
  }

  get readers(): number {
    let count = 0
    for (const { readers } of this.#groups.values()) count += readers.size
    return count
  }

  /** Sends a reader all events from now on. @returns stops that */
  join(account: string | undefined, write: Write): () => void {
    this.#flush() // earlier events aren't for the new reader
    const group = this.#groups.get(account) ?? { readers: new Set(), pending: '' }
    group.readers.add(write)
    this.#groups.set(account, group)
    this.#off ??= this.#store.on((event) => this.#take(event))
    return () => {
      group.readers.delete(write)
      if (group.readers.size > 0) return
      this.#groups.delete(account)
      if (this.#groups.size > 0) return
      this.#off?.()
      this.#off = undefined
    }
  }

  #take(event: StoreEvent): void {
    let text: string | undefined
    for (const [account, group] of this.#groups)
      if (isMeant(event, account)) group.pending += text ??= textOf(event)
    if (!text || this.#timer) return
    const pause = Math.max(0, this.#pausedUntil - performance.now())
    this.#timer = setTimeout(() => this.#flush(), pause).unref()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const began = performance.now()
    for (const group of this.#groups.values()) {
      const text = group.pending
      group.pending = ''
      if (text !== '') for (const write of group.readers) write(text)
    }
    const now = performance.now()
    this.#pausedUntil = now + pauseFactor * (now - began)
  }
}

function isMeant(event: StoreEvent, account: string | undefined): boolean {
  if (account === undefined || event.type === 'reset' || event.type === 'cleared') return true
  return (event.type === 'request' ? event.record.raw.account : event.account) === account
}

/** An event as text; empty if it isn't part of the stream. */
function textOf(event: StoreEvent): string {
  const data = dataOf(event)
  return data ? `event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n` : ''
}

function dataOf(event: StoreEvent): unknown {
  switch (event.type) {
    case 'request':
      return event.record.entry
    case 'change':
      return { account: event.account, change: new Redactor(event.secrets).value(event.change) }
    case 'reset':
      return { scenario: event.scenario }
    case 'cleared':
      return undefined
  }
}
