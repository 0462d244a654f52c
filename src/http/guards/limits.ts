import { STATUS_CODES, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { LastResponses } from '../lastResponses.ts'
import { asProxy } from './hostGuard.ts'

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

/** Responds to requests that aren't HTTP, are too large or too slow, or take us for a proxy, and closes the connection. */
export function answerMalformed(server: Server, last: LastResponses): void {
  // Beyond this count, Node silently drops headers, e.g. a second Host. `maxHeaderSize` is limit enough.
  server.maxHeadersCount = 0
  const broken = new WeakSet<object>()
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (broken.has(socket)) return // whatever else arrives is part of the same error
    broken.add(socket)
    refuseNext(socket, statusOf[error.code ?? ''] ?? 400)
  })
  server.on('connect', (_request, duplex) => {
    const socket = duplex as Socket
    // Node leaves the socket to us, also while it sends a response.
    socket.on('error', () => {}).on('drain', () => sentOn(socket)?.emit('drain'))
    refuseNext(socket, 400, `Bad Request: ${asProxy}`)
  })

  function refuseNext(socket: Socket, status: number, error?: string): void {
    const response = last.get(socket)
    whenNext(response, (isNext) => {
      // A request that was too slow may have arrived meanwhile, and is carried out: its response comes first.
      if (last.get(socket) !== response) refuseNext(socket, status, error)
      else if (!isNext) socket.destroy()
      else if (socket.writable) refuse(socket, status, error)
    })
  }
}

/**
 * Waits until all earlier requests are answered: they are carried out, so their responses must not be lost.
 * @param last the response to the last request whose headers have arrived: the broken one, or if it is complete, the one
 *   before
 * @param act `isNext`: whether the next thing that the client expects is the response to the broken request, and not the
 *   rest of one that it would be taken for a part of
 */
function whenNext(last: ServerResponse | undefined, act: (isNext: boolean) => void): void {
  const actAtLast = (): void => act(last?.req.complete !== false)
  if (!last || last.closed) actAtLast()
  else if (last.req.complete || last.headersSent) last.once('close', actAtLast)
  else if (last.socket) act(true)
  else last.once('socket', () => whenNext(last, act)) // it gets one once all earlier responses are sent
}

/** The response that Node sends on a socket, if any */
function sentOn(
  socket: Socket & { _httpMessage?: ServerResponse | null },
): ServerResponse | null | undefined {
  return socket._httpMessage
}

function refuse(socket: Socket, status: number, error = STATUS_CODES[status]): void {
  const body = JSON.stringify({ error })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
