import type { components } from '../admin/admin.gen.ts'
import type { ShownChange } from '../world/shownChange.ts'
import type { Instant } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import type { KnownSecrets } from './redaction/Redactor.ts'

/** A request and its response, without credentials */
export type JournalEntry = components['schemas']['Entry']

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Credentials that a request or its response may contain; a function looks them up when the entry is first read. */
export type Secrets = KnownSecrets | (() => KnownSecrets)

/** Everything known about an exchange that has ended. A thousand of them live a while, so they are flat and share what they can. */
export interface JournalRecord {
  /** Assigned by the store; 0: a full one couldn't record the request */
  id: number
  /** Where the world came from that the request met: those of different loads or rewinds don't belong together */
  origin: { load: number; rewind?: number | undefined } | undefined
  /** The world that the request met; only at hand in the process that kept it */
  before?: World | undefined
  /** The world's version when the request came */
  version: number | null
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
  requestBody: string | undefined
  /** Whether the operation takes a body, but the one that was sent couldn't be read */
  isBodyUnreadable?: boolean | undefined
  responseHeaders: Headers
  responseBody: string | undefined
  /** Characters of bodies that were too long to keep */
  omitted?: { request?: number | undefined; response?: number | undefined } | undefined
  change: WorldChange | undefined
  /** What was at the paths of the change before it, null where nothing was; where the world from before isn't at hand */
  undo?: WorldChange | undefined
  /** Change and undo as they are shown, where that differs and the world from before isn't at hand */
  shown?: { change: ShownChange | undefined; undo: ShownChange | undefined } | undefined
  violations: readonly string[]
  /** Set by the store where the world that it met isn't at hand, or it met none: then they could be anyone's */
  secrets?: Secrets | undefined
  /** Real time, milliseconds */
  at: number
  /** Whether the response never reached the client */
  lost: boolean
  /** What may be shown of it, once `entryOf` was asked */
  entry?: JournalEntry | undefined
}

/** Whether its body is kept as it was sent, and a command line can hold it. */
export function isReproducible({ requestBody, isBodyUnreadable, omitted }: JournalRecord): boolean {
  return omitted?.request === undefined && !isBodyUnreadable && !requestBody?.includes('\0')
}

/** Whether a rewind has undone the state that a request found or made. */
export function isUndone({ version, change: patch }: JournalRecord, { origin }: World): boolean {
  if (version === null) return false
  const reached = patch ? version + 1 : version
  return origin.undone?.some(([after, before]) => after < reached && reached < before) ?? false
}
