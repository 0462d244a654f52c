import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The open connections of a server, each with the response to its last request, if there was one. */
export type LastResponses = Map<Socket, ServerResponse | undefined>

/** Call before the server listens. */
export function lastResponses(server: Server): LastResponses {
  const last: LastResponses = new Map()
  server.on('connection', (socket) => {
    last.set(socket, undefined)
    socket.once('close', () => last.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    if (!socket.destroyed) last.set(socket, response)
  })
  return last
}
