import { clearInterval, setInterval } from 'node:timers'
import { getEntry } from '../journal/getEntry.ts'
import { redactValue } from '../journal/redact.ts'
import type { StoreEvent } from '../store/Store.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { createFilter } from './createFilter.ts'

/** Milliseconds between two comments that keep the connection alive. */
const heartbeatInterval = 15_000

/** Milliseconds between two checks for due timeline entries */
const dueCheckInterval = 100

export const streamEvents: AdminOperation<'streamEvents'> = async ({ query, signal }, simulation) => {
  await createFilter(simulation, query) // throws if the account is unknown, before the stream starts
  const { store } = simulation
  return (write) => {
    const unsubscribe = store.on((event) => {
      if (isRelevant(event, query.account)) write(renderEvent(event))
    })
    // Applies due entries on time while a client listens. If saving them fails, the next request reports the error.
    const applyDue = async (): Promise<unknown> => store.applyAllDue()
    const dueTimer = setInterval(() => void applyDue().catch(() => {}), dueCheckInterval).unref()
    const heartbeatTimer = setInterval(() => write(': alive\n\n'), heartbeatInterval).unref()
    // Until the store is listening, changes by other replicas may be missing.
    void store.whenListening().then(() => write(': connected\n\n'))
    signal().addEventListener('abort', () => {
      unsubscribe()
      clearInterval(dueTimer)
      clearInterval(heartbeatTimer)
    })
  }
}

function isRelevant(event: StoreEvent, account: string | undefined): boolean {
  if (account === undefined || event.type === 'reset') return true
  return (event.type === 'request' ? event.record.account : event.account) === account
}

function renderEvent(event: StoreEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(eventData(event))}\n\n`
}

function eventData(event: StoreEvent): unknown {
  if (event.type === 'request') return getEntry(event.record)
  if (event.type === 'reset') return { scenario: event.scenario }
  const { account, change, description, skipped } = event
  return { account, change: redactValue(change), description, skipped }
}
