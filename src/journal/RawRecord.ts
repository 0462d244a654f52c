import type { Instant } from '../world/time.ts'
import type { Evidence } from './findings.ts'
import type { JournalEntry } from './JournalEntry.ts'
import type { KnownSecrets } from './redaction/Redactor.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Credentials that may stand in a request or its answer; a function finds them when the entry is looked at. */
export type Secrets = KnownSecrets | (() => KnownSecrets)

/** What is known of a request when its record is closed; `secrets` are taken out of it before it is shown. */
export interface RawRecord {
  /** Given by the store */
  id: number
  /** When the account's world took its place, and between which rewinds the request came; set by the store */
  birth: number
  era: number
  /** The world's version that the request met */
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
  durationMs: number
  requestHeaders: Headers
  requestBody: string | undefined
  responseHeaders: Headers
  responseBody: string | undefined
  change: unknown
  violations: string[]
  /** Undefined if it may be anybody's, as a wrong login with the right password; the store knows whose there are */
  secrets: Secrets | undefined
  /** Real time, milliseconds */
  at: number
  /** Whether the answer never reached the client */
  lost: boolean
  evidence: Evidence | undefined
  /** As it is shown, of a record that was kept elsewhere and whose bodies were too long for that */
  entry?: JournalEntry
}
