import type { Logger } from 'pino'
import type { Store } from '../state/Store.ts'
import type { JournalEntry } from './JournalEntry.ts'

/** What the log tells of a request: the journal's entry in short, so no credential is in it. */
export type LoggedRequest = Pick<
  JournalEntry,
  'id' | 'account' | 'operation' | 'method' | 'path' | 'status' | 'case' | 'reason'
> & { ms: number }

/** Logs a line for each request of the API, if the level asks for it. Else it costs nothing. */
export function logRequests(store: Pick<Store, 'onOwnRequest'>, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  store.onOwnRequest(({ entry }) => {
    const { id, account, operation, method, path, status, case: name, reason, durationMs } = entry
    const request = { id, account, operation, method, path, status, case: name, reason, ms: durationMs }
    log.info(request satisfies LoggedRequest, 'request')
  })
}
