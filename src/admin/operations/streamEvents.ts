import { redactChange } from '../../journal/redaction/redactChange.ts'
import type { Simulation, SimulationEvent } from '../../Simulation.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { readFilter } from '../readFilter.ts'

/** Milliseconds between two comments that keep the connection open. */
const heartbeat = 15_000

export const streamEvents: AdminOperation<'streamEvents'> = ({ query, signal }, simulation) => {
  const { account } = query
  readFilter(simulation, query) // an unknown account is told now
  return {
    status: 200,
    stream(write) {
      write(': connected\n\n')
      const off = simulation.on((event) => {
        const told = isMeant(event, account) ? tell(event, simulation) : undefined
        if (told) write(`event: ${told.name}\ndata: ${JSON.stringify(told.data)}\n\n`)
      })
      const beat = setInterval(() => write(': alive\n\n'), heartbeat)
      beat.unref()
      signal.addEventListener('abort', () => {
        off()
        clearInterval(beat)
      })
    },
  }
}

function isMeant(event: SimulationEvent, account: string | undefined): boolean {
  if (account === undefined || event.type === 'reset' || event.type === 'cleared') return true
  return (event.type === 'request' ? event.record.account : event.account) === account
}

function tell(event: SimulationEvent, { store }: Simulation): { name: string; data: unknown } | undefined {
  switch (event.type) {
    case 'request':
      return { name: 'request', data: event.record.entry }
    case 'change':
      return {
        name: 'change',
        data: { account: event.account, change: redactChange(event.change, store.world(event.account)) },
      }
    case 'reset':
      return { name: 'reset', data: { scenario: event.scenario } }
    case 'cleared':
      return undefined
  }
}
