import { clearTimeout, setTimeout } from 'node:timers'
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { UserError } from '../lib/UserError.ts'
import { getTcpSocket, registerConnection, registerRequest } from './connections.ts'
import { maxConnections } from './limits.ts'
import { type OnRefused, reportRefusals } from './refusals.ts'

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

/** Maximum number of requests of a connection that wait for responses. Beyond it, nothing more is read. */
const maxPipelined = 100

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
  /** The responses that each open connection waits for, in their order; if it waits for none, the latest one */
  const open = new Map<Socket, ServerResponse[]>()
  const isSecure = server instanceof TlsServer
  const handshakes = isSecure ? pendingHandshakes(server) : new Set<Socket>()
  server.maxConnections = maxConnections
  // A client may close its side after sending the request, and still wait for the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', registerConnection)
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, [])
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const responses = open.get(socket) ?? []
    const previous = responses.at(-1)
    const isPipelined = previous?.closed === false
    registerRequest(socket, isPipelined)
    if (isPipelined) {
      // A pipelined request is handled once the previous response is sent. If that fails, the request isn't executed.
      responses.push(response)
      if (responses.length > maxPipelined) socket.pause()
      previous.once('close', () => {
        responses.shift()
        if (responses.length <= maxPipelined) socket.resume()
        if (socket.writable) handle(request, response)
      })
    } else {
      responses[0] = response
      handle(request, response)
    }
  })
  reportRefusals(server, (socket) => open.get(socket) ?? [], onRefused)
  await bind(server, port, address)
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      // Node considers a connection idle once the response is written, even if a slow client hasn't received all of it.
      server.closeIdleConnections = () => {}
      const closed = once(server, 'close')
      server.close()
      for (const socket of handshakes) socket.destroy()
      for (const [socket, responses] of open) {
        const latest = responses.at(-1)
        if (!latest || latest.closed) socket.destroySoon()
        else latest.once('close', () => socket.destroySoon())
      }
      const forceCloseTimer = setTimeout(() => server.closeAllConnections(), gracePeriod)
      await closed
      clearTimeout(forceCloseTimer)
    },
  }
}

/** The connections that haven't completed their TLS handshake, such as those of port checks. Node doesn't close them. */
function pendingHandshakes(server: TlsServer): ReadonlySet<Socket> {
  const pending = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    pending.add(socket)
    socket.once('close', () => pending.delete(socket))
  })
  server.on('secureConnection', (socket) => pending.delete(getTcpSocket(socket)))
  return pending
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
