import type { Logger } from 'pino'
import type { Store } from '../state/Store.ts'

/** What the log tells of a request: the journal's entry in short, so no credential is in it. */
export interface LoggedRequest {
  id: number
  account: string | null
  operation: string | null
  method: string
  path: string
  status: number | null
  case: string | null
  reason: string | null
  ms: number
}

/** Logs a line for each request of the API, if the level asks for it. Else it costs nothing. */
export function logRequests(store: Pick<Store, 'onOwnRequest'>, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  store.onOwnRequest(({ entry }) => {
    const { id, account, operation, method, path, status, case: name, reason, durationMs } = entry
    const request = { id, account, operation, method, path, status, case: name, reason, ms: durationMs }
    log.info(request satisfies LoggedRequest, 'request')
  })
}
