import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** Of a connection, the requests that wait for their turn until it is read no further */
const mostWaiting = 64

/**
 * Begins a pipelined request when those before it are answered. If a connection ends before a response has had its turn,
 * Node never tells: an order would be paid without an answer, a file stay open.
 */
export function inTurn(handler: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    if (response.socket) return handler(request, response)
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count >= mostWaiting) stopReading(socket)
    response.once('socket', () => {
      const rest = (waiting.get(socket) ?? 1) - 1
      waiting.set(socket, rest)
      if (rest === 0) socket.emit('drain')
      if (!socket.destroyed) handler(request, response)
    })
  }
}

/**
 * Until the next `drain`. Node does the same by itself, but only as responses pile up, and requests that wait have none
 * yet. What has been read already still arrives.
 */
function stopReading(socket: Socket & { _paused?: boolean }): void {
  socket._paused = true // or the next body that is read would resume it
  socket.pause()
}
