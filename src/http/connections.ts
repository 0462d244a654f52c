import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers'
import type { Arrival } from './Wire.ts'

/*
 * The earliest times at which clients may have opened their connections and sent their requests. While the event loop is busy, what
 * arrives is queued by the system, so a request may be handled after the response to another one that was sent at the same time.
 *
 * In each turn, the event loop asks the system once what has arrived: it then reads from all connections that have data, and accepts
 * one connection (on Windows, several). So the data that it reads arrived after it asked in the previous turn. A connection that it
 * accepts was opened after it asked in the last turn that accepted none, because the queue was empty then.
 */

const { nodeTiming, timeOrigin } = performance // Node's own values, which a test's fake timers don't replace

/** The turn in which the loop was observed last */
let turn = -1
/** The real time then */
let observedAt = timeOrigin
/** Milliseconds for which the loop had been idle by then */
let idleTime = 0
/** Whether the loop was idle before this turn's events, so that nothing was queued */
let wasIdle = false
/** A time before the loop asked for this turn's events */
let askedAt = timeOrigin
/** A time before which this turn's data can't have arrived */
let newSince = timeOrigin

/** Observes the event loop: when requests have arrived, and before each response, because later requests may follow from it. */
export function observeLoop(): void {
  const { loopCount } = nodeTiming.uvMetricsInfo
  const idle = nodeTiming.idleTime
  if (loopCount !== turn) {
    const askedBefore = askedAt
    wasIdle = idle > idleTime
    askedAt = observedAt + idle - idleTime // at the earliest: if the loop hasn't been busy since
    newSince = wasIdle || loopCount > turn + 1 ? askedAt : askedBefore
    turn = loopCount
    idleTime = idle
  }
  observedAt = timeOrigin + performance.now()
}

/** Counts connections and requests */
let arrivals = 0
let openConnections = 0

/** Counts a request that was read in this turn. */
export function noteArrival(): void {
  arrivals++
}

/** Milliseconds without news after which a client with several connections has sent all that it sends at once */
const pause = 2
/** Maximum number of pauses that a response waits for, if other clients never pause */
const maxPauses = 5

/** Responses that wait for the same time wait together. Each of their requests is news, so that the last one waits as long as the first */
const settling = new Map<number, Promise<number>>()

/**
 * Waits until nothing new arrives. All requests that clients have sent at the same time have then been read, and what arrives later
 * may follow from the response. Otherwise, a request that a client sends at once after a response looks like one that had been waiting.
 * One turn of the loop is enough if the client only uses one connection, or wasn't authenticated.
 * @returns the real time since when nothing was waiting
 */
export function settle({ position }: Arrival, status: number): Promise<number> {
  const milliseconds = status === 401 || (openConnections === 1 && position > 1) ? 0 : pause
  const known = settling.get(milliseconds)
  if (known) return known
  const waiting = waitForQuiet(milliseconds).finally(() => settling.delete(milliseconds))
  settling.set(milliseconds, waiting)
  return waiting
}

async function waitForQuiet(milliseconds: number): Promise<number> {
  for (let i = 0; i < maxPauses; i++) {
    const before = arrivals
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds))
    observeLoop()
    const asked = turn
    do {
      await new Promise((resolve) => setImmediate(resolve))
      observeLoop()
    } while (turn === asked) // an immediate that is set while data is read runs in the same turn
    if (arrivals === before) break
  }
  return askedAt
}

interface Connection {
  /** Earliest real time at which the client may have opened it. No two are equal, so it also identifies the connection */
  openedAt: number
  /** The turn in which it was accepted; over TLS, in which its handshake ended */
  readyIn: number
  /** Counts its requests, except those that were sent before the response to the previous one */
  position: number
  /** Earliest real time at which the request at this position may have arrived, once it is known */
  arrivedAt: number | undefined
}

const connections = new WeakMap<Socket, Connection>()
let last = { openedAt: timeOrigin, acceptedIn: turn }

/** Registers a connection when it is accepted. */
export function registerConnection(socket: Socket): void {
  noteArrival()
  observeLoop()
  openConnections++
  socket.once('close', () => openConnections--)
  const wasQueueEmpty = turn !== last.acceptedIn && (wasIdle || turn > last.acceptedIn + 1)
  last = { openedAt: wasQueueEmpty ? newSince : last.openedAt - 0.001, acceptedIn: turn }
  connections.set(socket, { openedAt: last.openedAt, readyIn: turn, position: 0, arrivedAt: undefined })
}

/** Registers the end of a connection's TLS handshake, until which the client's request had to wait. */
export function registerHandshake(socket: Socket): void {
  observeLoop()
  const connection = connections.get(getTcpSocket(socket))
  if (connection) connection.readyIn = turn
}

/** The TCP connection; over TLS, it is the socket below, which Node only has as `_parent`. */
export function getTcpSocket(socket: Socket & { _parent?: Socket }): Socket {
  return socket._parent ?? socket
}

/** Counts a request that arrived after the response to the previous one on its connection. */
export function countRequest(socket: Socket): void {
  const connection = connections.get(getTcpSocket(socket))
  if (!connection) return
  connection.position++
  connection.arrivedAt = undefined
}

/** When a request arrived. Called in the turn in which it was read, unless it waited for the response to the previous one. */
export function describeArrival(socket: Socket): Arrival {
  const connection = connections.get(getTcpSocket(socket))
  if (!connection) return { connectedAt: 0, arrivedAt: newSince, position: 1 }
  // Bytes that are read in the next turn may have been ready to be sent when the connection was opened.
  const isNew = turn <= connection.readyIn + 1 && !wasIdle
  connection.arrivedAt ??= isNew ? connection.openedAt : newSince
  return { connectedAt: connection.openedAt, arrivedAt: connection.arrivedAt, position: connection.position }
}
