import { STATUS_CODES, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from '../Connections.ts'
import { asProxy } from './hostGuard.ts'

/** Limits until a request has arrived, in milliseconds and bytes. */
export const limits: ServerOptions = {
  requireHostHeader: false, // the host guard checks it, with a better message
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the pauses of clients: one that reuses a connection as it is closed gets a reset
  connectionsCheckingInterval: 1000, // how often the timeouts above are checked; Node's default is 30 s
}

const statusOf: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Responds to requests that aren't HTTP, are too large or too slow, or take us for a proxy, and closes the connection. */
export function answerMalformed(server: Server, connections: Connections): void {
  // Beyond this count, Node silently drops headers, e.g. a second Host. `maxHeaderSize` is limit enough.
  server.maxHeadersCount = 0
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket as Socket, statusOf[error.code ?? ''] ?? 400),
  )
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {}) // Node leaves the socket to us
    if (connections.responseOn(socket as Socket)) socket.destroy()
    else refuse(socket as Socket, 400, `Bad Request: ${asProxy}`)
  })

  function refuse(socket: Socket, status: number, error = STATUS_CODES[status]): void {
    if (socket.writableEnded) return // what else arrives is part of the same error
    const response = connections.responseOn(socket)
    // Whole requests before the broken one are carried out, so their responses come first.
    if (response?.req.complete) response.once('close', () => refuse(socket, status, error))
    // The client would take the error for the rest of the response.
    else if (response?.headersSent || !socket.writable) socket.destroy()
    else send(socket, status, JSON.stringify({ error }))
  }
}

function send(socket: Socket, status: number, body: string): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
