import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

/** Requests that may wait for their turn on one connection; if there are more, it is closed. */
const mostWaiting = 64

interface Connection {
  /** The response to the latest request that was begun */
  response: ServerResponse | undefined
  waiting: number
}

/**
 * The open connections of a server, on each of which one request is handled at a time: a pipelined one begins when those
 * before it are answered. Node would begin all of them, and not tell if a connection ends before a response has had its
 * turn: an order would be paid without an answer.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>()

  /** Call before the server listens. */
  constructor(server: Server, handler: RequestListener) {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#open.set(socket, { response: undefined, waiting: 0 })
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', (request, response) => {
      const { socket } = request
      const connection = this.#open.get(socket)
      if (!connection) return
      const begin = (): void => {
        connection.response = response
        handler(request, response)
      }
      if (response.socket) return begin()
      if (++connection.waiting > mostWaiting) return void socket.destroy()
      response.once('socket', () => {
        connection.waiting--
        if (!socket.destroyed) begin()
      })
    })
  }

  /** The response under way on a connection, if any. */
  responseOn(socket: Socket): ServerResponse | undefined {
    const response = this.#open.get(socket)?.response
    return response?.closed ? undefined : response
  }

  /** Ends each connection when what was asked on it is answered. */
  end(): void {
    for (const socket of this.#open.keys()) this.#endWhenIdle(socket)
  }

  #endWhenIdle(socket: Socket): void {
    const response = this.responseOn(socket)
    if (response) response.once('close', () => this.#endWhenIdle(socket))
    else socket.destroySoon()
  }
}
