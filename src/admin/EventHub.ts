import { redactChange } from '../journal/redaction/redactChange.ts'
import type { Write } from '../http/Wire.ts'
import type { Store, StoreEvent } from '../state/Store.ts'

/** Readers that want the same events, and what they have not been sent yet. */
interface Group {
  readers: Set<Write>
  pending: string
}

/** So many times as long as the readers were written to, nothing is written to them: they cost a tenth of the time at most. */
const rest = 9

/**
 * What happens, for all readers of the event stream: each event is made a text once, however many read, and what came
 * together is written together.
 */
export class EventHub {
  readonly #store: Store
  /** By the account whose events they want; undefined: all */
  readonly #groups = new Map<string | undefined, Group>()
  #off: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #restUntil = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** How many read */
  get readers(): number {
    let count = 0
    for (const { readers } of this.#groups.values()) count += readers.size
    return count
  }

  /** Sends a reader all that happens from now on. @returns ends it */
  join(account: string | undefined, write: Write): () => void {
    this.#flush() // what came before is not for the new one
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
    const pause = Math.max(0, this.#restUntil - performance.now())
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
    this.#restUntil = now + rest * (now - began)
  }
}

function isMeant(event: StoreEvent, account: string | undefined): boolean {
  if (account === undefined || event.type === 'reset' || event.type === 'cleared') return true
  return (event.type === 'request' ? event.record.account : event.account) === account
}

/** As the stream has it; empty for what it does not tell. */
function textOf(event: StoreEvent): string {
  const told = tell(event)
  return told ? `event: ${event.type}\ndata: ${JSON.stringify(told)}\n\n` : ''
}

function tell(event: StoreEvent): unknown {
  switch (event.type) {
    case 'request':
      return event.record.entry
    case 'change':
      return { account: event.account, change: redactChange(event.change, event.world) }
    case 'reset':
      return { scenario: event.scenario }
    case 'cleared':
      return undefined
  }
}
