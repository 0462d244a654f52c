import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/*
 * When clients connected and sent their requests, at the earliest. While the event loop is busy, the system queues what arrives,
 * and Node accepts one connection per turn. So a request may be handled after the response to another that was sent at the same
 * time.
 */

/** Real time since when the event loop has been busy */
let busySince = 0
/** Milliseconds for which it had been idle by then */
let idleBefore = -1
/** Shorter breaks are calls of the system that found work waiting */
const minBreak = 0.05
/** Nothing waits in a queue of the system for longer */
const maxWait = 1000

/** Notes whether the event loop has been idle; called before requests are handled. */
export function observeLoop(): void {
  const { idleTime } = performance.nodeTiming
  const now = performance.timeOrigin + performance.now()
  busySince = idleTime - idleBefore > minBreak ? now : Math.max(busySince, now - maxWait)
  idleBefore = idleTime
}

/** Earliest real time at which a request that is handled now may have arrived. */
export function getEarliestArrival(): number {
  return busySince
}

interface Connection {
  openedAt: number
  requests: number
}

const connections = new WeakMap<Socket, Connection>()
let lastOpening = 0

export function registerConnection(socket: Socket): void {
  observeLoop()
  lastOpening = Math.max(busySince, lastOpening + 0.001)
  connections.set(socket, { openedAt: lastOpening, requests: 0 })
}

/** Earliest real time at which the client may have opened a connection. No two are equal, so it also identifies the connection. */
export function getEarliestOpening(socket: Socket): number {
  return connections.get(socket)?.openedAt ?? 0
}

/** Counts a request. @returns its position on the connection, from 1 */
export function countRequest(socket: Socket): number {
  const connection = connections.get(socket)
  return connection ? ++connection.requests : 1
}
