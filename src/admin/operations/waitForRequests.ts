import { listInPieces } from '../../journal/listInPieces.ts'
import { readEntries } from '../../journal/readEntries.ts'
import type { JournalRecord } from '../../journal/Journal.ts'
import type { Simulation } from '../../Simulation.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'
import { counted } from '../../counted.ts'

export const waitForRequests: AdminOperation<'waitForRequests'> = async (
  { query, body, signal },
  simulation,
) => {
  const { count = 1, timeout = 5000, ...filter } = { ...query, ...body }
  const fits = readFilter(simulation, filter)
  const found = await collect(simulation, { fits, count, timeout, signal })
  const total = found.length
  if (total < count) {
    const wanted = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
    const which = wanted.length ? ` (${wanted.join(', ')})` : ''
    return {
      status: 408,
      body: { error: `${total} of ${counted(count, 'request')} came within ${timeout} ms${which}.`, total },
    }
  }
  const entries = await readEntries(found.toReversed())
  return { status: 200, pieces: listInPieces({ total, requests: [] }, entries) }
}

interface Wanted {
  fits: (record: JournalRecord) => boolean
  count: number
  /** Milliseconds */
  timeout: number
  signal: AbortSignal
}

/** The entries that fit: those that are there, and those that come until they are enough or the time is over. */
function collect(simulation: Simulation, { fits, count, timeout, signal }: Wanted): Promise<JournalRecord[]> {
  let found = simulation.store.observations.journal.records.filter(fits)
  if (found.length >= count) return Promise.resolve(found)
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      off()
      signal.removeEventListener('abort', done)
      resolve(found)
    }
    const timer = setTimeout(done, timeout)
    const off = simulation.store.on((event) => {
      if (event.type === 'request' && fits(event.record)) found.push(event.record)
      else if (event.type === 'reset' || event.type === 'cleared')
        found = simulation.store.observations.journal.records.filter(fits) // a restore keeps the journal
      if (found.length >= count) done()
    })
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
