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
