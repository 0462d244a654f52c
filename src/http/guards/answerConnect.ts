import { ServerResponse, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { asProxy } from './hostGuard.ts'

/** Says what is wrong with a CONNECT: a client took us for a proxy. Node itself closes the connection without a word. */
export function answerConnect(server: Server): void {
  server.on('connect', (req, socket: Socket) => {
    socket.on('error', () => {}) // it is ours now
    const res = new ServerResponse(req)
    res.assignSocket(socket)
    const body = JSON.stringify({ error: `Bad Request: ${asProxy}` })
    res.writeHead(400, {
      'content-length': body.length,
      connection: 'close',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    })
    res.end(body, () => socket.destroySoon())
  })
}
