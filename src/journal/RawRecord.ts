import type { Instant } from '../world/time.ts'
import type { Clues } from './JournalEntry.ts'
import type { KnownSecrets } from './redaction/Redactor.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Credentials that may stand in a request or its answer; a function finds them when the entry is looked at. */
export type Secrets = KnownSecrets | (() => KnownSecrets)

/** What is known of a request when its record is closed; `secrets` are taken out of it before it is shown. */
export interface RawRecord {
  id: number
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
  secrets: Secrets
  clues: Clues
}
