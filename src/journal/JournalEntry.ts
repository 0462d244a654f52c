/** A request and its response, as `/__admin/requests` shows them, free of credentials. */
export interface JournalEntry {
  id: number
  /** ISO 8601, by the account's clock */
  time: string
  account: string | null
  /** The world's version when the request came: the number of changes since its load; null without an account */
  version: number | null
  operation: string | null
  method: string
  /** Includes the query, as received */
  path: string
  /** null if the connection was dropped without a response */
  status: number | null
  case: string | null
  reason: string | null
  /** Whether a fault made the response */
  forced: boolean
  durationMs: number
  request: { headers: Record<string, string>; body: unknown }
  response: { headers: Record<string, string>; body: unknown }
  /** The merge patch that the request applied to the world */
  change: unknown
  /** How the request or the response violates the contract */
  violations: string[]
}
