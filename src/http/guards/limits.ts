import { STATUS_CODES, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Limits until a request has arrived, in milliseconds and bytes. */
export const limits: ServerOptions = {
  requireHostHeader: false, // the host guard checks it, with a better message
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000, // how often the timeouts above are checked; Node's default is 30 s
}

const statusOf: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Responds to requests that aren't HTTP, are too large or too slow, and closes the connection. */
export function answerMalformed(server: Server): void {
  // Beyond this count, Node silently drops headers, e.g. a second Host. `maxHeaderSize` is limit enough.
  server.maxHeadersCount = 0
  const last = new WeakMap<object, ServerResponse>()
  server.on('request', ({ socket }, res) => last.set(socket, res))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || !isNext(last.get(socket))) socket.destroy()
    else refuse(socket as Socket, statusOf[error.code ?? ''] ?? 400)
  })
}

/**
 * Whether the next thing that the client expects is the response to the broken request: responses are sent in the order
 * of their requests, and within another one, this one would be taken for a part of it.
 * @param last the response to the last request whose headers have arrived
 */
function isNext(last: ServerResponse | undefined): boolean {
  if (!last) return true
  if (last.req.complete) return last.closed // the request after it is broken
  return last.socket !== null && !last.headersSent // it only has a socket once all earlier responses are sent
}

function refuse(socket: Socket, status: number): void {
  const body = JSON.stringify({ error: STATUS_CODES[status] })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
