import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests may wait for their turn on one connection; it is closed if there are more */
const mostWaiting = 10_000

/**
 * Begins a pipelined request when those before it are answered. If a connection ends before a response has had its turn,
 * Node never tells: an order would be paid without an answer, a file stay open.
 *
 * Node stops reading while responses pile up, but requests that wait have none yet, hence the limit. To stop reading here
 * would be worse: what is half read would time out, and a client that leaves would go unnoticed.
 */
export function inTurn(handler: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    if (response.socket) return handler(request, response)
    const { socket } = request
    const count = waiting.get(socket) ?? 0
    if (count === mostWaiting) return socket.destroy()
    waiting.set(socket, count + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (!socket.destroyed) handler(request, response)
    })
  }
}
