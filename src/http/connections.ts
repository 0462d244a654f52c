import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers'
import type { Arrival } from './Wire.ts'

/*
 * When clients opened their connections and sent their requests, from which findings conclude whether a client had a response before
 * it sent the next request. What arrives while the event loop is busy is queued by the system, so the order in which requests are
 * read says nothing by itself. It does if the response waits until everything that was sent with its request has been read (`settle`).
 */

const { timeOrigin } = performance // Node's own value, which a test's fake timers don't replace

/** Counts what arrives: connections, TLS handshakes, and requests */
let arrivals = 0
let openConnections = 0

/** Milliseconds without an arrival after which a client has sent all that it sends at the same time */
const pause = 2
/** Maximum number of pauses for which a response waits, if other clients never pause */
const maxPauses = 5

/** Responses that wait for the same time wait together. Their requests are arrivals, so the last one waits as long as the first */
const settling = new Map<number, Promise<void>>()

/**
 * Waits until nothing new arrives: then, what arrives later was sent after the response. A client that uses only one connection
 * sends nothing else at the same time, so it doesn't wait. A 401 waits only for a turn of the event loop: with 32 connections, it
 * would take twice the processor time otherwise.
 */
export async function settle({ position }: Arrival, status: number): Promise<void> {
  if (openConnections === 1 && position > 1) return
  const milliseconds = status === 401 ? 0 : pause
  const waiting = settling.get(milliseconds)
  if (waiting) return waiting
  const settled = waitForPause(milliseconds).finally(() => settling.delete(milliseconds))
  settling.set(milliseconds, settled)
  return settled
}

async function waitForPause(milliseconds: number): Promise<void> {
  for (let i = 0, before; i < maxPauses && arrivals !== before; i++) {
    before = arrivals
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds))
    // Between two immediates, the event loop reads what has arrived.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
}

interface Connection extends Arrival {
  /** No two are equal, so it also identifies the connection */
  connectedAt: number
}

const connections = new WeakMap<Socket, Connection>()
let lastConnectedAt = 0

/** Registers a connection when it is accepted. */
export function registerConnection(socket: Socket): void {
  arrivals++
  openConnections++
  socket.once('close', () => openConnections--)
  lastConnectedAt = Math.max(timeOrigin + performance.now(), lastConnectedAt + 0.001)
  connections.set(socket, { connectedAt: lastConnectedAt, arrivedAt: lastConnectedAt, position: 0 })
}

/** Registers the end of a connection's TLS handshake. */
export function registerHandshake(): void {
  arrivals++
}

/** The TCP connection; over TLS, it is the socket below, which Node only has as `_parent`. */
export function getTcpSocket(socket: Socket & { _parent?: Socket }): Socket {
  return socket._parent ?? socket
}

/** Registers a request when it is read. One that doesn't wait for the previous response has arrived with the previous request. */
export function registerRequest(socket: Socket, isPipelined: boolean): void {
  arrivals++
  const connection = connections.get(getTcpSocket(socket))
  if (!connection || isPipelined) return
  connection.position++
  connection.arrivedAt = timeOrigin + performance.now()
}

/** When the latest request of a connection arrived. */
export function describeArrival(socket: Socket): Arrival {
  const { connectedAt, arrivedAt, position } = connections.get(getTcpSocket(socket)) ?? {
    connectedAt: 0,
    arrivedAt: timeOrigin + performance.now(),
    position: 1,
  }
  return { connectedAt, arrivedAt, position }
}
