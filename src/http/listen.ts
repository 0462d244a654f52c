import { clearTimeout, setTimeout } from 'node:timers'
import { once } from 'node:events'
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { UserError } from '../lib/UserError.ts'

/** Limits until a request has arrived, in milliseconds and bytes. Node answers those that exceed them (400, 408, 413, 431). */
export const limits: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the pauses of clients: one that reuses a connection as it is closed gets a reset
  connectionsCheckingInterval: 1000, // how often the timeouts above are checked; Node's default is 30 s
  joinDuplicateHeaders: true, // Node would drop a second Authorization
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:4010` */
  url: string
  /** Stops listening, and waits for pending requests. */
  close: () => Promise<void>
}

/** Milliseconds of real time that pending requests get when a server stops */
const grace = 5000

/**
 * Lets a server listen, and keeps track of its connections.
 * @param host for the URL
 * @throws UserError if the port or address isn't available
 */
export async function listen(
  server: Server,
  handle: RequestListener,
  port: number,
  address: string,
  host = address,
): Promise<Listening> {
  /** Of each open connection, the response to its latest request */
  const latest = new Map<Socket, ServerResponse | undefined>()
  const isSecure = server instanceof TlsServer
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    latest.set(socket, undefined)
    socket.once('close', () => latest.delete(socket))
  })
  server.on('request', (request, response) => {
    const before = latest.get(request.socket)
    if (before && !before.writableEnded) return refusePipelined(response)
    latest.set(request.socket, response)
    handle(request, response)
  })
  await bind(server, port, address)
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      // To Node, a connection is idle whose response is written, but not sent yet, as the client is slow to read it.
      server.closeIdleConnections = () => {}
      const closed = once(server, 'close')
      server.close()
      for (const [socket, response] of latest)
        if (!response || response.closed) socket.destroySoon()
        else response.once('close', () => socket.destroySoon())
      const hurry = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(hurry)
    },
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

/** Binds a port, and releases it. @throws UserError if the port or address isn't available */
export async function tryPort(port: number, address: string): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  await bind(server, port, address)
  server.close()
  await once(server, 'close')
}

async function bind(server: NetServer, port: number, address: string): Promise<void> {
  try {
    server.listen(port, address)
    await once(server, 'listening')
  } catch (error) {
    throw cantListen(error as NodeJS.ErrnoException, port, address)
  }
}

function cantListen(cause: NodeJS.ErrnoException, port: number, address: string): UserError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${address} is taken. Stop the program that uses it, name another with --port, or let --port 0 pick a free one.`,
    EACCES: `Port ${port} may not be used by this user. Name one above 1023 with --port.`,
    EADDRNOTAVAIL: `${address} is not an address of this machine. Name another with --host.`,
  }
  const reason = reasons[cause.code ?? ''] ?? `Can't listen on ${address}, port ${port} (${cause.code}).`
  const code = cause.code === 'EADDRINUSE' ? 'ERR_PROXYSIM_PORT_TAKEN' : 'ERR_PROXYSIM_USAGE'
  return new UserError(reason, { cause, code })
}
