import type { JournalEntry } from '../contract/shapes.ts'
import type { Instant, TimeZone } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A completed exchange. Records are flat and share values, because journals keep a thousand of them. */
export interface JournalRecord {
  /** Assigned by the store; 0 if a full store couldn't record the request */
  id: number
  /** Origin of the world before the request. Requests with different loads or rewinds aren't comparable */
  origin: { load: number; rewind?: number | undefined; label?: string | undefined } | undefined
  /** The world before the request; only available in the process that handled it */
  before?: World | undefined
  /** The facts of that world that findings use, if it isn't available. If authentication failed, it is the one that the credentials name */
  known?: { version: number; timeZone: TimeZone } | undefined
  /** The world's version before the request */
  version: number | null
  /** Id of the fault that delayed the request. The fault was counted when the request arrived, before `version` */
  delayedBy?: number | undefined
  /** By the account's clock */
  time: Instant
  account: string | null
  operation: string | null
  method: string
  path: string
  status: number | null
  case: string | null
  reason: string | null
  forced: boolean
  /** Whether an override made the response */
  overridden?: boolean | undefined
  durationMs: number
  requestHeaders: Headers
  /** The beginning, if the body is too long and doesn't parse */
  requestBody: string | undefined
  /** Digest of the body of a request without valid credentials, whose body isn't recorded */
  bodyDigest?: string | undefined
  /** Whether the operation takes a body, but the body couldn't be read */
  isBodyUnreadable?: boolean | undefined
  responseHeaders: Headers
  responseBody: string | undefined
  /** Lengths in characters of bodies that were too long to record */
  omitted?: { request?: number | undefined; response?: number | undefined } | undefined
  change: WorldChange | undefined
  /** Whether counters of faults changed, too */
  countsFaults: boolean
  /** The inverse patch of `change`, if `before` isn't available */
  undo?: WorldChange | undefined
  violations: readonly string[]
  /** Real time at the end: when the response was sent, lost, or abandoned by the client. In milliseconds since 1970 */
  at: number
  /** Real time at which the connection was accepted; identifies it, across replicas, too */
  connectedAt: number
  /** Real time at which the request was read. It was handled `durationMs` before `at` */
  arrivedAt: number
  /** Position of the request on its connection, from 1 */
  position: number
  /** Whether the response didn't reach the client */
  isUndelivered: boolean
  /** Whether the client disconnected before the response was sent */
  isAbandoned?: boolean
  /** The redacted entry, cached by `getEntry` */
  entry?: JournalEntry | undefined
}

/** Milliseconds that the simulator may need to notice that a client has disconnected */
const noticeDelay = 20

/** Marks a response that didn't reach the client. @param endedAt real time at which the client disconnected */
export function markUndelivered(record: JournalRecord, endedAt: number): void {
  // The client gave up, unless a fault closed the connection.
  if (!record.isUndelivered || endedAt < record.at) {
    const arrival = record.at - record.durationMs
    record.at = Math.max(endedAt - noticeDelay, arrival)
    record.durationMs = record.at - arrival
    record.isAbandoned = true
  }
  if (record.isUndelivered) return
  record.isUndelivered = true
  const loss = 'the connection was closed before the whole response was sent'
  record.reason = record.reason === null ? loss : `${record.reason}; ${loss}`
  record.entry = undefined
}

/** Whether the request can be repeated: its body is complete, and fits on a command line. */
export function isReproducible({ requestBody, isBodyUnreadable, omitted }: JournalRecord): boolean {
  return omitted?.request === undefined && !isBodyUnreadable && !requestBody?.includes('\0')
}

/** Whether a rewind to this request or to an earlier one has undone it. */
export function isUndone({ id, version, change }: JournalRecord, { origin }: World): boolean {
  if (version === null) return false
  const reached = change ? version + 1 : version
  return (
    origin.undone?.some(
      ([after, before, firstId = Infinity]) =>
        (after < reached && reached < before) || (version === after && id >= firstId),
    ) ?? false
  )
}
