import { EventSourceParserStream } from 'eventsource-parser/stream'
import { fetchAdmin, isLockedOut } from '../lib/admin.ts'
import { isObject } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'
import { getState, setState } from './store.ts'
import { journalLimit, sync, syncAccount, syncAccounts, syncQuality } from './sync.ts'

interface StreamEvent {
  event: string
  data: unknown
}

interface StateChange {
  account: string
  /** A merge patch; null if the account was deleted */
  change: unknown
  /** Set if the timeline made the change */
  description?: string
}

/**
 * Follows the simulator's events while the page is visible: over HTTP/1.1, browsers open six connections to a server at most, and a
 * stream occupies one.
 */
export async function followEvents(): Promise<void> {
  while (!getState().needsToken) {
    await waitForVisibility('visible')
    await readWhileVisible()
  }
}

/** Reads the stream until the page is hidden or the admin token is missing. Reconnects. */
async function readWhileVisible(): Promise<void> {
  const hidden = new AbortController()
  void waitForVisibility('hidden').then(() => hidden.abort())
  for (let pause = 500; !hidden.signal.aborted; pause = Math.min(pause * 2, 5000)) {
    try {
      await readEvents(hidden.signal, () => {
        pause = 500
        queue = []
        void resync()
      })
      setState({ connection: 'disconnected' })
    } catch (error) {
      if (hidden.signal.aborted) return
      showDisconnected(error)
      if (getState().needsToken) return
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function waitForVisibility(state: DocumentVisibilityState): Promise<void> {
  while (document.visibilityState !== state)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Reads `/__admin/events` until it ends. EventSource can't send the admin token. */
async function readEvents(signal: AbortSignal, onOpen: () => void): Promise<void> {
  const { body } = await fetchAdmin('/events', { headers: { accept: 'text/event-stream' }, signal })
  if (!body) return
  onOpen()
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    queue.push({ event: value.event ?? 'message', data: JSON.parse(value.data) })
    // Events that arrive together are rendered together.
    if (!syncing) timer ??= setTimeout(flush, 40)
  }
}

let queue: StreamEvent[] = []
let syncing: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Reloads everything without losing events meanwhile. On errors, the page shows that it is not connected. */
export function resync(): Promise<void> {
  const loading = loadAll().finally(() => {
    if (syncing !== loading) return
    syncing = undefined
    flush()
  })
  syncing = loading
  return loading
}

async function loadAll(): Promise<void> {
  try {
    await sync()
    setState({ connection: 'live', isLoaded: true })
  } catch (error) {
    showDisconnected(error)
  }
}

function showDisconnected(error: unknown): void {
  setState({ connection: 'disconnected', ...(isLockedOut(error) && { needsToken: true }) })
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
  } else if (events.length) applyEvents(events)
}

function applyEvents(events: readonly StreamEvent[]): void {
  const { entries, account } = getState()
  const newEntries: JournalEntry[] = []
  const stale = new Set<() => Promise<void>>()
  for (const { event, data } of events) {
    if (event === 'change') {
      const { account: login, change, description } = data as StateChange
      if (description === undefined) unexplainedCount++
      stale.add(isObject(change) ? syncAccounts : resync)
      if (login === account) stale.add(syncAccount)
    } else if (event === 'request') {
      const entry = data as JournalEntry
      if (entry.change !== null) unexplainedCount--
      if (entry.id <= (entries[0]?.id ?? 0)) continue
      newEntries.push(entry)
      stale.add(syncQuality)
    }
  }
  if (newEntries.length > 0)
    setState({ entries: [...newEntries.toReversed(), ...entries].slice(0, journalLimit) })
  for (const refresh of stale) schedule(refresh)
  unexplainedCount = Math.max(0, unexplainedCount)
  if (unexplainedCount > 0) schedule(reloadRewound, 1000)
}

/** Number of changes that no request made, so a rewind or another call of the control plane did */
let unexplainedCount = 0

async function reloadRewound(): Promise<void> {
  if (unexplainedCount === 0) return
  unexplainedCount = 0 // before loading, so that changes meanwhile are loaded next
  await resync()
}

const scheduled = new Set<() => Promise<void>>()

/** Reloads something after a short delay, once for many events. */
function schedule(refresh: () => Promise<void>, ms = 250): void {
  if (scheduled.has(refresh)) return
  scheduled.add(refresh)
  setTimeout(() => {
    scheduled.delete(refresh)
    refresh().catch(() => {}) // the event stream reports lost connections
  }, ms)
}
