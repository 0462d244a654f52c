/** What was asked and answered, as `/__admin/requests` shows it. No credential is in it. */
export interface JournalEntry {
  id: number
  /** ISO 8601, by the account's clock */
  time: string
  account: string | null
  /** The world's version that the request met: how many changes were made since its load; null without an account */
  version: number | null
  operation: string | null
  method: string
  /** With the query, as it came */
  path: string
  /** null where the connection was dropped unanswered */
  status: number | null
  case: string | null
  reason: string | null
  /** Whether a fault made the answer */
  forced: boolean
  durationMs: number
  request: { headers: Record<string, string>; body: unknown }
  response: { headers: Record<string, string>; body: unknown }
  /** The merge patch that the request made on the world */
  change: unknown
  /** What broke the contract, in the request or in the answer */
  violations: string[]
}

/** What findings are made of: noted while it can still be seen, free of credentials. */
export interface Clues {
  /** Real time, milliseconds: whether something came within a second is a matter of real time. */
  at: number
  /** The answer never reached the client. */
  lost: boolean
  /** The same for orders that are the same */
  order?: string
  /** An update of a service's IP list was asked for, and the instant that its 429 named; by the world's clock, in ms. */
  listUpdate?: { service: string; now: number; until?: number }
  /** A password that was refused as no base64, or that decodes to base64 again */
  password?: 'refused' | 'twice'
  /** Conditional or a prefetch */
  speculative?: string
  /** Headers that were not sent as the document asks */
  missing: string[]
}
