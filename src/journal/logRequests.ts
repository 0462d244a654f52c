import type { Logger } from 'pino'
import type { Store } from '../state/Store.ts'
import type { JournalEntry } from '../admin/shapes.ts'

/** The log's fields of a request: a summary of the journal entry, so free of credentials. */
export type LoggedRequest = Pick<
  JournalEntry,
  'id' | 'account' | 'operation' | 'method' | 'path' | 'status' | 'case' | 'reason'
> & { ms: number }

/** Logs each API request if the level asks for it; otherwise it costs nothing. */
export function logRequests(store: Pick<Store, 'onOwnRequest'>, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  store.onOwnRequest(({ entry }) => {
    const { id, account, operation, method, path, status, case: name, reason, durationMs } = entry
    const request = { id, account, operation, method, path, status, case: name, reason, ms: durationMs }
    log.info(request satisfies LoggedRequest, 'request')
  })
}
