import { counted } from '../lib/text.ts'
import { har, harEntries } from '../journal/har.ts'
import { type JournalRecord, readEntries } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { World } from '../world/World.ts'
import type { JournalEntry } from './shapes.ts'
import type { Simulation } from '../Simulation.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { readFilter, type Filter } from './readFilter.ts'

export const listRequests: AdminOperation<'listRequests'> = async (
  { query: { limit, ...filter } },
  simulation,
) => {
  const { total, found, dropped } = await select(simulation, filter, limit)
  return { status: 200, body: { total, requests: await entriesOf(simulation, found), dropped } }
}

export const getHar: AdminOperation<'getHar'> = async ({ query: { limit, ...filter } }, simulation) => {
  const { found } = await select(simulation, filter, limit)
  return { status: 200, body: har(harEntries(await entriesOf(simulation, found.toReversed()))) }
}

export const clearRequests: AdminOperation<'clearRequests'> = async ({ query }, simulation) => {
  await readFilter(simulation, query) // rejects an unknown account
  await simulation.store.clearJournal(query.account)
  return { status: 204 }
}

export const waitForRequests: AdminOperation<'waitForRequests'> = async (
  { query, body, signal },
  simulation,
) => {
  const { count = 1, timeout = 5000, ...filter } = { ...query, ...body }
  const fits = await readFilter(simulation, filter)
  const found = await collect(simulation, { fits, count, timeout, signal })
  const total = found.length
  if (total >= count)
    return { status: 200, body: { total, requests: await entriesOf(simulation, found.toReversed()) } }
  const wanted = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  const which = wanted.length ? ` (${wanted.join(', ')})` : ''
  const until = signal.aborted ? 'before the simulator stopped' : `within ${timeout} ms`
  return {
    status: 408,
    body: { error: `${total} of ${counted(count, 'request')} came ${until}${which}.`, total },
  }
}

/** The matching records, newest first. */
async function select(
  simulation: Simulation,
  filter: Filter,
  limit: string | undefined,
): Promise<{ total: number; found: JournalRecord[]; dropped: number }> {
  const isWanted = await readFilter(simulation, filter)
  const { journal } = await simulation.store.observations()
  const all = journal.records.filter(isWanted).toReversed()
  return {
    total: all.length,
    found: limit === undefined ? all : all.slice(0, Number(limit)),
    dropped: journal.dropped,
  }
}

/** What is shown of records: their entries, and which of them a rewind has undone since. */
async function entriesOf({ store }: Simulation, records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  const logins = [...new Set(records.flatMap(({ raw: { account } }) => account ?? []))]
  const worlds = await Promise.all(logins.map((login) => store.world(login)))
  const entries = await readEntries(records)
  return entries.map((entry, at) => {
    const world = worlds[logins.indexOf(entry.account ?? '')]
    return world && isRewound((records[at] as JournalRecord).raw, world) ? { ...entry, rewound: true } : entry
  })
}

function isRewound({ version, change, origin }: RawRecord, { origin: present }: World): boolean {
  if (version === null || origin?.load !== present.load) return false
  const reached = change ? version + 1 : version
  return present.undone?.some(([after, before]) => after < reached && reached < before) ?? false
}

interface Wanted {
  fits: (record: JournalRecord) => boolean
  count: number
  /** Milliseconds */
  timeout: number
  signal: AbortSignal
}

/** The matching records, once there are enough or the time is up. */
async function collect(
  { store }: Simulation,
  { fits, count, timeout, signal }: Wanted,
): Promise<JournalRecord[]> {
  const found = new Map<number, JournalRecord>()
  await new Promise<void>((resolve, reject) => {
    const end = (error?: unknown): void => {
      clearTimeout(timer)
      off()
      signal.removeEventListener('abort', aborted)
      if (error) reject(error)
      else resolve()
    }
    const aborted = (): void => end()
    const add = (records: readonly JournalRecord[]): void => {
      for (const record of records) if (fits(record)) found.set(record.raw.id, record)
      if (isRead && found.size >= count) end()
    }
    // An event may come before the journal, and be of a request that was answered before the wait.
    let isRead = false
    const read = async (): Promise<void> => {
      isRead = false
      const { journal } = await store.observations()
      isRead = true
      add(journal.records)
    }
    let counting = Promise.resolve()
    const countAll = (): void => {
      counting = read()
      counting.catch(end)
    }
    const off = store.on((event) => {
      if (event.type === 'request') add([event.record])
      if (event.type !== 'reset' && event.type !== 'cleared') return
      found.clear()
      countAll() // a restore keeps the journal
    })
    // What was there in time counts, even if it takes longer to read it, and even if no event told of it.
    const timer = setTimeout(() => void counting.then(read).then(() => end(), end), timeout)
    signal.addEventListener('abort', aborted)
    if (signal.aborted) end()
    else countAll()
  })
  return [...found.values()].toSorted((a, b) => a.raw.id - b.raw.id)
}
