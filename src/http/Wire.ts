import type { FaultResponse, Send } from '../faults/effects/FaultEffect.ts'

/** The parts of a request that don't depend on a connection. */
export interface RequestHead {
  method: string
  /** Path and query, percent-encoded */
  url: string
  /** Names in lower case */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** When and where a request arrived. */
export interface Arrival {
  /** Real time at which the connection was accepted; identifies it */
  connectedAt: number
  /** Real time at which the request was read */
  arrivedAt: number
  /** Position of the request on its connection, from 1. Requests that were sent before the previous response have the same one */
  position: number
}

/** A request, independent of Express and sockets. */
export interface WireRequest extends RequestHead {
  arrival: Arrival
  /** The simulator's origin from the client's point of view: `http://127.0.0.1:4010` */
  origin(): string
  /** Whether the body can be read without waiting */
  hasArrived(): boolean
  /** Reads the body; can be called once. `limit` is in bytes. */
  body(limit: number): WireBody | Promise<WireBody>
  /** Aborted when the client disconnects */
  signal(): AbortSignal
}

/** Handles a request. Never throws: errors become responses. When it returns, all changes are durable. */
export type Handler = (request: WireRequest) => Promise<WireResponse>

/** The bytes, or the reason why the body couldn't be read. */
export interface WireBody {
  bytes?: Buffer | undefined
  problem?: string
}

/** Starts a streamed response, which ends when the client disconnects or the simulator stops. */
export type Stream = (write: (piece: string) => void) => void

export interface WireResponse {
  status: number
  headers: Record<string, string | string[]>
  body: string
  /** Replaces `body` */
  stream?: Stream | undefined
  /** Sends the response instead of the server; set by a fault */
  send?: Send | undefined
  /** Called if the client disconnected before it received the response. @param endedAt when it disconnected (`performance.now()`) */
  onUndelivered?: (endedAt: number) => void
}

/** A response of the simulated API before it is validated, recorded and sent. */
export interface ApiResponse extends FaultResponse {
  /** The value of a JSON body */
  value?: unknown
  reason?: string
  /** Whether a fault or rate limit produced the response. Such a response may violate the contract */
  forced?: boolean
  /** Whether an override made the response, so that it may violate the contract */
  overridden?: boolean
  /** Contract violations of this response, if they are already known. For `contract-violation`, those of the response that it replaces */
  violations?: readonly string[]
}
