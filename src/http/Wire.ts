import type { Drop } from '../world/faultValues.ts'

/** A request as the road takes it: nothing of Express or of a socket. */
export interface WireRequest {
  method: string
  /** Path and query, as they came */
  url: string
  /** Names in small letters */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** How often a header came: HTTP joins or drops repeated ones, and a second Authorization must not be overlooked. */
  count: (header: string) => number
  /** Reads the body, at the first call. */
  body: () => Promise<WireBody>
  /** Aborted when the client goes away. */
  signal: () => AbortSignal
}

/** The bytes, or why there are none. */
export type WireBody = { bytes: Buffer | undefined } | { unreadable: string }

export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** The connection is broken instead of, or amid, the answer. */
  drop?: Drop
  /** Told when the client went away before it had the answer. */
  lost?: () => void
}
