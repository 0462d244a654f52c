import { clearTimeout, setTimeout } from 'node:timers'
import { transferableAbortController } from 'node:util'
import { counted } from '../lib/text.ts'
import { har } from '../journal/har.ts'
import { readEntries, type Filtered } from '../journal/Journal.ts'
import { isUndone, type JournalRecord } from '../journal/JournalRecord.ts'
import type { JournalEntry } from '../contract/shapes.ts'
import type { Simulation } from '../Simulation.ts'
import type { Store } from '../store/Store.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { createFilter, type Filter } from './createFilter.ts'

export const listRequests: AdminOperation<'listRequests'> = async (
  { query: { limit, ...filter } },
  simulation,
) => {
  const { total, found, dropped } = await selectRecords(simulation, filter, limit)
  return {
    total,
    requests: await readMarkedEntries(simulation, found),
    dropped,
    refused: simulation.refused.report(),
  }
}

export const getHar: AdminOperation<'getHar'> = async ({ query: { limit, ...filter } }, simulation) => {
  const { found } = await selectRecords(simulation, filter, limit)
  return har(await readMarkedEntries(simulation, found.toReversed()), simulation.isEncrypted)
}

export const clearRequests: AdminOperation<'clearRequests'> = async ({ query }, simulation) => {
  await createFilter(simulation, query) // throws if the account is unknown
  await simulation.store.clearJournal(query.account)
  if (query.account === undefined) simulation.refused.clear()
}

export const waitForRequests: AdminOperation<'waitForRequests'> = async (
  { query, body, signal },
  simulation,
) => {
  const { count = 1, timeout = 5000, ...filter } = { ...query, ...body }
  const isWanted = await createFilter(simulation, filter)
  const stopped = signal()
  const deadline = createDeadline(timeout, stopped)
  const { found, total } = await waitForRecords(simulation.store, isWanted, count, deadline)
  if (total >= count) return { total, requests: await readMarkedEntries(simulation, found.toReversed()) }
  const criteria = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  const suffix = criteria.length ? ` (${criteria.join(', ')})` : ''
  const until = stopped.aborted ? 'before the simulator stopped' : `within ${timeout} ms`
  throw new AdminError(408, `${total} of ${counted(count, 'request')} arrived ${until}${suffix}.`, { total })
}

/**
 * Creates a signal that aborts after `milliseconds` or with `signal`. `AbortSignal.any` may be garbage-collected too early
 * (nodejs/node#57736).
 */
function createDeadline(milliseconds: number, signal: AbortSignal): AbortSignal {
  const controller = transferableAbortController()
  const end = (): void => {
    clearTimeout(timer)
    controller.abort()
  }
  const timer = setTimeout(end, milliseconds)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return controller.signal
}

/**
 * Resolves once enough matching requests have ended, or once `ended` aborts: with their number, and the records of those in the
 * journal and of those that end meanwhile, oldest first.
 */
async function waitForRecords(
  store: Store,
  isWanted: (record: Filtered) => boolean,
  count: number,
  ended: AbortSignal,
): Promise<{ total: number; found: JournalRecord[] }> {
  const found = new Map<number, JournalRecord>()
  let dropped = 0 // before the wait
  let wake = (): void => {}
  const add = (record: JournalRecord): void => {
    if (isWanted(record)) found.set(record.id, record)
    if (dropped + found.size >= count) wake()
  }
  const unsubscribe = store.on((event) => {
    if (event.type === 'request') add(event.record)
    else if (event.type === 'reset') {
      found.clear()
      dropped = 0
    }
  })
  try {
    // Until the store is listening, requests of other replicas are only in the journal.
    await Promise.race([store.whenListening(), aborted(ended)])
    const woken = new Promise<void>((resolve) => (wake = resolve))
    const journal = await store.journal()
    const kept = new Set(journal.records.map(({ id }) => id))
    dropped = journal.countDropped(isWanted) - [...found.keys()].filter((id) => !kept.has(id)).length
    for (const record of journal.records) add(record)
    if (dropped + found.size < count) await Promise.race([woken, aborted(ended)])
    return { total: dropped + found.size, found: [...found.values()].toSorted((a, b) => a.id - b.id) }
  } finally {
    unsubscribe()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Selects the matching records, newest first. */
async function selectRecords(
  simulation: Simulation,
  filter: Filter,
  limit: string | undefined,
): Promise<{ total: number; found: JournalRecord[]; dropped: number }> {
  const isWanted = await createFilter(simulation, filter)
  const journal = await simulation.store.journal()
  const matching = journal.records.filter(isWanted).toReversed()
  const found = limit === undefined ? matching : matching.slice(0, Number(limit))
  return { total: matching.length, found, dropped: journal.dropped }
}

/** Returns the entries of records, marked as `rewound` if a rewind or restore has undone them. */
async function readMarkedEntries(
  { store }: Simulation,
  records: readonly JournalRecord[],
): Promise<JournalEntry[]> {
  const isRewound = await rewoundCheck(store, records)
  return readEntries(records).map((entry, i) =>
    isRewound(records[i] as JournalRecord) ? { ...entry, rewound: true } : entry,
  )
}

/** Returns a function that checks whether a rewind or restore has undone one of these records. */
export async function rewoundCheck(
  store: Store,
  records: readonly JournalRecord[],
): Promise<(record: JournalRecord) => boolean> {
  const logins = [...new Set(records.flatMap(({ account }) => account ?? []))]
  const worlds = new Map(
    await Promise.all(logins.map(async (login) => [login, await store.world(login)] as const)),
  )
  return (record) => {
    const world = worlds.get(record.account ?? '')
    return world !== undefined && record.origin?.load === world.origin.load && isUndone(record, world)
  }
}
