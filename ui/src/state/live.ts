import { EventSourceParserStream } from 'eventsource-parser/stream'
import { fetchAdmin, isLockedOut } from '../lib/admin.ts'
import { isObject } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'
import { getState, setState } from './store.ts'
import { journalLimit, sync, syncAccount, syncAccounts, syncVerdicts } from './sync.ts'

interface StreamEvent {
  event: string
  data: unknown
}

interface StateChange {
  account: string
  /** null: the account is gone */
  change: unknown
  /** Changes by the timeline */
  description?: string
}

/** Follows the simulator for as long as the page is open. */
export async function follow(): Promise<never> {
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      await readEvents(() => {
        pause = 500
        queue = []
        void resync()
      })
      setState({ connection: 'lost' })
    } catch (error) {
      lost(error)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Reads `/__admin/events` until it ends. EventSource could not send the token that the control plane may ask for. */
async function readEvents(opened: () => void): Promise<void> {
  const { body } = await fetchAdmin('/events', { headers: { accept: 'text/event-stream' } })
  if (!body) return
  opened()
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    queue.push({ event: value.event ?? 'message', data: JSON.parse(value.data) })
    // Many at once are drawn at once.
    if (!syncing) timer ??= setTimeout(flush, 40)
  }
}

let queue: StreamEvent[] = []
let syncing: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Reloads everything without losing events in between. Never fails: the page then shows that it is not connected. */
export function resync(): Promise<void> {
  syncing ??= readAll().finally(() => {
    syncing = undefined
    flush()
  })
  return syncing
}

async function readAll(): Promise<void> {
  try {
    await sync()
    setState({ connection: 'live', isLoaded: true })
  } catch (error) {
    lost(error)
  }
}

function lost(error: unknown): void {
  setState({ connection: 'lost', ...(isLockedOut(error) && { needsToken: true }) })
}

function flush(): void {
  clearTimeout(timer)
  timer = undefined
  const events = queue
  queue = []
  const reset = events.findLastIndex(({ event }) => event === 'reset')
  if (reset >= 0) {
    queue = events.slice(reset + 1)
    void resync()
  } else if (events.length) apply(events)
}

const arrivals = new WeakMap<JournalEntry, number>()

/** When a request was answered, in real time; undefined if that is not known. */
export function realTime(entry: JournalEntry): number | undefined {
  const date = Date.parse(entry.response.headers['date'] ?? '')
  return Number.isNaN(date) ? arrivals.get(entry) : date
}

function apply(events: readonly StreamEvent[]): void {
  const { entries, account } = getState()
  const fresh: JournalEntry[] = []
  const stale = new Set<() => Promise<void>>()
  for (const { event, data } of events) {
    if (event === 'change') {
      const { account: of, change, description } = data as StateChange
      if (description === undefined) unexplained++
      stale.add(isObject(change) ? syncAccounts : resync)
      if (of === account) stale.add(syncAccount)
    } else if (event === 'request') {
      const entry = data as JournalEntry
      if (entry.change !== null) unexplained--
      if (entry.id <= (entries[0]?.id ?? 0)) continue
      arrivals.set(entry, Date.now())
      fresh.push(entry)
      stale.add(syncVerdicts)
    }
  }
  if (fresh.length > 0) setState({ entries: [...fresh.toReversed(), ...entries].slice(0, journalLimit) })
  for (const refresh of stale) later(refresh)
  unexplained = Math.max(0, unexplained)
  if (unexplained > 0) later(lookForRewinds, 1000)
}

/** Changes that no request made: a rewind, or another call of the control plane */
let unexplained = 0

async function lookForRewinds(): Promise<void> {
  if (unexplained > 0) await resync()
  unexplained = 0
}

const waiting = new Set<() => Promise<void>>()

/** Reloads something after a short delay, once for many events. */
function later(refresh: () => Promise<void>, ms = 250): void {
  if (waiting.has(refresh)) return
  waiting.add(refresh)
  setTimeout(() => {
    waiting.delete(refresh)
    refresh().catch(() => {}) // the stream will say that the server is gone
  }, ms)
}
