import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Arrival } from './Wire.ts'

/* When clients opened their connections and sent their requests, from which findings conclude which response came before which request. */

const { timeOrigin } = performance // Node's own value, which a test's fake timers don't replace

const connections = new WeakMap<Socket, Arrival>()
let lastConnectedAt = 0

/** Registers a connection when it is accepted. No two get the same time, so it also identifies the connection. */
export function registerConnection(socket: Socket): void {
  lastConnectedAt = Math.max(timeOrigin + performance.now(), lastConnectedAt + 0.001)
  connections.set(socket, { connectedAt: lastConnectedAt, arrivedAt: lastConnectedAt, position: 0 })
}

/** The TCP connection; over TLS, it is the socket below, which Node only has as `_parent`. */
export function getTcpSocket(socket: Socket & { _parent?: Socket }): Socket {
  return socket._parent ?? socket
}

/** Registers a request when it is read. One that doesn't wait for the previous response has arrived with the previous request. */
export function registerRequest(socket: Socket, isPipelined: boolean): void {
  const connection = connections.get(getTcpSocket(socket))
  if (!connection || isPipelined) return
  connection.position++
  connection.arrivedAt = timeOrigin + performance.now()
}

/** When the latest request of a connection arrived. */
export function describeArrival(socket: Socket): Arrival {
  const now = timeOrigin + performance.now()
  return {
    ...(connections.get(getTcpSocket(socket)) ?? { connectedAt: 0, arrivedAt: now, position: 1 }),
  }
}
