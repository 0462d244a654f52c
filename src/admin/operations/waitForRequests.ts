import { readEntries } from '../../journal/readEntries.ts'
import type { JournalRecord } from '../../journal/Journal.ts'
import type { Simulation } from '../../Simulation.ts'
import { jsonChunks } from '../../jsonChunks.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'
import { counted } from '../../counted.ts'

export const waitForRequests: AdminOperation<'waitForRequests'> = async (
  { query, body, signal },
  simulation,
) => {
  const { count = 1, timeout = 5000, ...filter } = { ...query, ...body }
  const fits = await readFilter(simulation, filter)
  const found = await collect(simulation, { fits, count, timeout, signal })
  const total = found.length
  if (total < count) {
    const wanted = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
    const which = wanted.length ? ` (${wanted.join(', ')})` : ''
    const until = signal.aborted ? 'before the simulator stopped' : `within ${timeout} ms`
    return {
      status: 408,
      body: { error: `${total} of ${counted(count, 'request')} came ${until}${which}.`, total },
    }
  }
  const requests = await readEntries(found.toReversed())
  return { status: 200, pieces: jsonChunks({ total, requests }, 2) }
}

interface Wanted {
  fits: (record: JournalRecord) => boolean
  count: number
  /** Milliseconds */
  timeout: number
  signal: AbortSignal
}

/** The matching entries, once there are enough or the time is up. */
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
