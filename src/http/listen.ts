import { clearTimeout, setTimeout } from 'node:timers'
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { UserError } from '../lib/UserError.ts'
import { countRequest, registerConnection, registerSecure } from './connections.ts'
import { maxConnections } from './limits.ts'
import { type OnRefused, summarizeRequest, reportRefusals } from './refusals.ts'

export interface Listening {
  /** `http://127.0.0.1:4010` */
  url: string
  /** Stops listening, and waits for pending requests. */
  close: () => Promise<void>
}

interface ListenOptions {
  port: number
  address: string
  /** Host name in the URL. @default address */
  host?: string
  onRefused?: OnRefused
}

/** Milliseconds of real time for pending requests to finish when a server stops */
const gracePeriod = 5000

/**
 * Starts a server, and tracks its connections.
 * @throws UserError if the port or address isn't available
 */
export async function listen(
  server: Server,
  handle: RequestListener,
  { port, address, host = address, onRefused = () => {} }: ListenOptions,
): Promise<Listening> {
  /** The response to the latest request of each open connection */
  const latest = new Map<Socket, ServerResponse | undefined>()
  const isSecure = server instanceof TlsServer
  const handshakes = isSecure ? pendingHandshakes(server) : new Map<string, Socket>()
  server.maxConnections = maxConnections
  // A client may close its side after sending the request, and still wait for the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', registerConnection)
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    latest.set(socket, undefined)
    socket.once('close', () => latest.delete(socket))
  })
  server.on('request', (request, response) => {
    const previous = latest.get(request.socket)
    latest.set(request.socket, response)
    if (!previous || previous.closed) countRequest(request.socket)
    // After the last response of a connection, nothing more is answered.
    if (!previous || (previous.writableEnded && previous.shouldKeepAlive)) return handle(request, response)
    onRefused(summarizeRequest(request), 400, pipelined)
    refusePipelined(response)
  })
  reportRefusals(server, (socket) => latest.get(socket), onRefused)
  await bind(server, port, address)
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      // Node considers a connection idle once the response is written, even if a slow client hasn't received all of it.
      server.closeIdleConnections = () => {}
      const closed = once(server, 'close')
      server.close()
      for (const socket of handshakes.values()) socket.destroy()
      for (const [socket, response] of latest)
        if (!response || response.closed) socket.destroySoon()
        else response.once('close', () => socket.destroySoon())
      const forceCloseTimer = setTimeout(() => server.closeAllConnections(), gracePeriod)
      await closed
      clearTimeout(forceCloseTimer)
    },
  }
}

/** The connections that haven't completed their TLS handshake, such as those of port checks. Node doesn't close them. */
function pendingHandshakes(server: TlsServer): ReadonlyMap<string, Socket> {
  const pending = new Map<string, Socket>()
  const peerKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const peer = peerKey(socket)
    pending.set(peer, socket)
    socket.once('close', () => pending.get(peer) === socket && pending.delete(peer))
  })
  server.on('secureConnection', (socket) => {
    const peer = peerKey(socket)
    registerSecure(socket, pending.get(peer) ?? socket)
    pending.delete(peer)
  })
  return pending
}

const pipelined = 'Bad Request: wait for each response before the next request'

/**
 * Refuses a pipelined request, which arrives before the response to the previous one. If it were
 * accepted and the connection ended early, the client couldn't tell whether it was executed.
 */
function refusePipelined(response: ServerResponse): void {
  response.shouldKeepAlive = false
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: pipelined }))
}

/** Binds a port and releases it. @throws UserError if the port or address isn't available */
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
    throw listenError(error as NodeJS.ErrnoException, port, address)
  }
}

function listenError(cause: NodeJS.ErrnoException, port: number, address: string): UserError {
  const known: Record<string, [problem: string, advice: string, option: string]> = {
    EADDRINUSE: [
      `Port ${port} of ${address} is taken.`,
      'Stop the program that uses it, or choose another port; 0 picks a free one.',
      'port',
    ],
    EACCES: [`Port ${port} may not be used by this user.`, 'Choose one above 1023.', 'port'],
    EADDRNOTAVAIL: [`${address} is not an address of this machine.`, 'Choose another host.', 'host'],
  }
  const other = `Can't listen on ${address}, port ${port} (${cause.code}).`
  const [problem, advice, option] = known[cause.code ?? ''] ?? [other, 'Choose another host or port.', 'port']
  const code = cause.code === 'EADDRINUSE' ? 'ERR_PROXYSIM_PORT_TAKEN' : 'ERR_PROXYSIM_USAGE'
  return new UserError(problem, { advice, options: [option], code, cause })
}
