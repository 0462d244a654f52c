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
  const broken = new WeakSet<object>()
  server.on('request', ({ socket }, res) => last.set(socket, res))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (broken.has(socket)) return // whatever else arrives is part of the same error
    broken.add(socket)
    whenNext(last.get(socket), (isNext) => {
      if (!isNext) socket.destroy()
      else if (socket.writable) refuse(socket as Socket, statusOf[error.code ?? ''] ?? 400)
    })
  })
}

/**
 * Waits until all earlier requests are answered: they are carried out, so their responses must not be lost.
 * @param last the response to the last request whose headers have arrived: the broken one, or if it is complete, the one
 *   before
 * @param act `isNext`: whether the next thing that the client expects is the response to the broken request, and not the
 *   rest of one that it would be taken for a part of
 */
function whenNext(last: ServerResponse | undefined, act: (isNext: boolean) => void): void {
  if (!last) act(true)
  else if (last.req.complete || last.headersSent) whenClosed(last, () => act(last.req.complete))
  else if (last.socket) act(true)
  else last.once('socket', () => whenNext(last, act)) // it gets one once all earlier responses are sent
}

function whenClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act()
  else response.once('close', act)
}

function refuse(socket: Socket, status: number): void {
  const body = JSON.stringify({ error: STATUS_CODES[status] })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
