import type { Drop } from '../world/faultValues.ts'

/** A request as the pipeline takes it: nothing of Express or of a socket. */
export interface WireRequest {
  method: string
  /** Path and query, as they came */
  url: string
  /** Names in lower case */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** How often a header came: HTTP joins or drops repeated ones, and a second Authorization must not be overlooked. */
  count: (header: string) => number
  /** Reads the body, at the first call; `limit`: bytes. */
  body: (limit: number) => Promise<WireBody>
  /** Aborted when the client goes away. */
  signal: () => AbortSignal
}

/** The bytes, or why there are none. */
export type WireBody = { bytes: Buffer | undefined } | { unreadable: string }

/** Writes a piece of a stream. */
export type Write = (piece: string) => void

export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** A long body, sent piece by piece with others' work in between */
  pieces?: Iterable<string> | undefined
  /** Begins to write instead of a body; it ends when the client goes away or the simulator stops. */
  stream?: ((write: Write) => void) | undefined
  /** The connection is broken instead of, or amid, the answer. */
  drop?: Drop | undefined
  /** Called if the client went away before it had the answer. */
  lost?: () => void
}

/** What a header can carry: printable ASCII, not too long. */
export function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 500)
}
