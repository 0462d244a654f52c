import type { Simulation } from '../../Simulation.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { EventHub } from '../EventHub.ts'
import { readFilter } from '../readFilter.ts'

/** Milliseconds between two comments that keep the connection open. */
const heartbeat = 15_000

/** Concurrent readers: each may buffer as much as a stream's backlog. */
export const mostReaders = 100

const hubs = new WeakMap<Simulation, EventHub>()

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
      void Promise.resolve(simulation.store.whenListening?.()).then(() => write(': connected\n\n'))
      const beat = setInterval(() => write(': alive\n\n'), heartbeat)
      beat.unref()
      signal.addEventListener('abort', () => {
        leave()
        clearInterval(beat)
      })
    },
  }
}
