import type { FaultResponse, Send } from '../faults/effects/FaultEffect.ts'

/** A request, independent of Express and sockets. */
export interface WireRequest {
  method: string
  /** Path and query, not decoded */
  url: string
  /** Names in lower case */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The simulator's origin as the client sees it: `http://127.0.0.1:4010` */
  origin: () => string
  /** Whether the body can be read without waiting */
  hasArrived: () => boolean
  /** Reads the body; call it only once. `limit` is in bytes. */
  body: (limit: number) => WireBody | Promise<WireBody>
  /** Aborted when the client disconnects */
  signal: () => AbortSignal
}

/** Handles a request. Never throws: errors become responses. When it returns, what changed is durable. */
export type Handler = (request: WireRequest) => Promise<WireResponse>

/** The bytes, or why the body couldn't be read. */
export interface WireBody {
  bytes?: Buffer | undefined
  unreadable?: string
}

/** Starts a response that comes in pieces, and ends when the client disconnects or the simulator stops. */
export type Stream = (write: (piece: string) => void) => void

export interface WireResponse {
  status: number
  headers: Record<string, string | string[]>
  body: string
  /** In place of `body` */
  stream?: Stream | undefined
  /** How a fault sends it, in place of the usual way */
  send?: Send | undefined
  /** Called if the client disconnected before it got the response */
  lost?: () => void
}

/** The response of the simulated API, before it is checked, recorded and sent. */
export interface ApiResponse extends FaultResponse {
  /** The value of a JSON body */
  value?: unknown
  reason?: string
  /** Made by a fault or a limit, so it may break the contract */
  forced?: boolean
  /** Made by an override, so it may break the contract */
  overridden?: boolean
  /** Known contract violations, if the response reports them itself */
  violations?: readonly string[]
}
