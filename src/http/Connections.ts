import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** Limits until a request has arrived, in milliseconds and bytes. Node answers those that exceed them (400, 408, 413, 431). */
export const limits: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the pauses of clients: one that reuses a connection as it is closed gets a reset
  connectionsCheckingInterval: 1000, // how often the timeouts above are checked; Node's default is 30 s
  joinDuplicateHeaders: true, // Node would drop a second Authorization
}

/** The open connections of a server, each with the response to its latest request. */
export class Connections {
  readonly #open = new Map<Socket, ServerResponse | undefined>()

  /** Call before the server listens. */
  constructor(server: Server, handler: RequestListener) {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#open.set(socket, undefined)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', (request, response) => {
      const { socket } = request
      const latest = this.#open.get(socket)
      if (latest && !latest.writableEnded) return refusePipelined(response)
      this.#open.set(socket, response)
      handler(request, response)
    })
  }

  /** Ends each connection when what was asked on it is answered. */
  end(): void {
    for (const [socket, response] of this.#open)
      if (!response || response.closed) socket.destroySoon()
      else response.once('close', () => socket.destroySoon())
  }
}

/**
 * A request that comes before the one in front of it is answered, as no client sends it, isn't carried out: if the
 * connection ended, nobody would tell whether it was answered.
 */
function refusePipelined(response: ServerResponse): void {
  response.shouldKeepAlive = false
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: 'Bad Request: wait for each response before the next request' }))
}
