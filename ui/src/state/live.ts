import { isObject, mergePatch } from '../../../src/world/mergePatch.ts'
import { isLockedOut } from '../lib/admin.ts'
import { describeChange, type ChangeLine } from '../lib/describeChange.ts'
import { readEvents, type StreamEvent } from '../lib/eventStream.ts'
import type { JournalEntry, Patch } from '../lib/types.ts'
import { getState, setState } from './store.ts'
import { journalLimit, sync, syncAccounts, syncClock, syncCoverage, syncFindings, syncWorld } from './sync.ts'

/** Follows the simulator for as long as the page is open. */
export async function follow(): Promise<never> {
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      await readEvents(() => {
        pause = 500
        begin()
      }, receive)
      setState({ connection: 'lost' })
    } catch (error) {
      lost(error)
    }
    await waitFor(pause)
  }
}

let wake = (): void => {}

/** Tries at once instead of waiting further. */
export function reconnect(): void {
  wake()
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve
    setTimeout(resolve, ms)
  })
}

let queue: StreamEvent[] = []
let syncing: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Reads everything; what happens meanwhile waits in the queue. */
function begin(): void {
  queue = []
  void resync()
}

/** Reads everything anew; what happens meanwhile is not lost. Never fails: the page then says that it is not connected. */
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
    setState({ connection: 'live' })
  } catch (error) {
    lost(error)
  }
}

function lost(error: unknown): void {
  setState({ connection: 'lost', ...(isLockedOut(error) && { needsToken: true }) })
}

function receive(event: StreamEvent): void {
  queue.push(event)
  // Many at once are drawn at once.
  if (!syncing) timer ??= setTimeout(flush, 40)
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

/** Changes that no entry has claimed yet, in words: an entry follows the change that it made. */
let unclaimed: { key: string; lines: ChangeLine[] }[] = []

function apply(events: readonly StreamEvent[]): void {
  const { account, entries, lines } = getState()
  let { world, changes } = getState()
  const fresh: JournalEntry[] = []
  const told = new Map(lines)
  const stale = new Set<() => Promise<void>>()
  const newest = entries[0]?.id ?? 0
  for (const { event, data } of events) {
    if (event === 'change') {
      const { account: of, change } = data as { account: string; change: Patch | null }
      stale.add(syncAccounts)
      // Readings decide which answers can come, those of any account.
      if (!isObject(change) || change['assumptions'] !== undefined) stale.add(syncCoverage)
      if (of !== account || !world) continue
      if (!isObject(change)) {
        stale.add(resync) // it is gone
        continue
      }
      const { clock, tokens, password, ...rest } = change
      unclaimed.push({ key: keyOf(of, change), lines: describeChange(change, world) })
      if (clock !== undefined) stale.add(syncClock)
      if (tokens !== undefined || password !== undefined) stale.add(syncWorld)
      world = mergePatch(world, rest, 0) as typeof world
      changes++
    } else if (event === 'request') {
      const entry = data as JournalEntry
      if (entry.id <= newest) continue
      fresh.push(entry)
      stale.add(syncCoverage)
      stale.add(syncFindings)
      if (entry.account !== null && !getState().accounts.some(({ login }) => login === entry.account))
        stale.add(syncAccounts)
      const mine = entry.change === null ? undefined : claim(keyOf(entry.account, entry.change))
      if (mine) told.set(entry.id, mine)
    }
  }
  unclaimed = unclaimed.slice(-50)
  const all = [...fresh.toReversed(), ...entries]
  setState({
    world,
    changes,
    entries: all.slice(0, journalLimit),
    arrived: getState().arrived + fresh.length,
    dropped: getState().dropped + Math.max(0, all.length - journalLimit),
    lines: fresh.length ? forKept(told, all[Math.min(all.length, journalLimit) - 1]?.id ?? 0) : lines,
  })
  for (const refresh of stale) later(refresh)
}

function claim(key: string): ChangeLine[] | undefined {
  const at = unclaimed.findIndex((one) => one.key === key)
  return at < 0 ? undefined : unclaimed.splice(at, 1)[0]?.lines
}

/** A change is known by what it says; passwords may be covered in one and not in the other. */
function keyOf(account: string | null, change: unknown): string {
  return JSON.stringify([account, change], (key, value: unknown) => (key === 'password' ? undefined : value))
}

function forKept(lines: Map<number, ChangeLine[]>, oldest: number): Map<number, ChangeLine[]> {
  for (const id of lines.keys()) if (id < oldest) lines.delete(id)
  return lines
}

const waiting = new Map<() => Promise<void>, ReturnType<typeof setTimeout>>()

/** Reads something anew, a little later and once for many events. */
function later(refresh: () => Promise<void>): void {
  if (waiting.has(refresh)) return
  const run = () => {
    waiting.delete(refresh)
    refresh().catch(() => {}) // the stream will say that the server is gone
  }
  waiting.set(refresh, setTimeout(run, 300))
}
