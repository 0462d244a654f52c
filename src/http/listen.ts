import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { UserError } from '../lib/UserError.ts'
import type { Connections } from './Connections.ts'

/** @throws UserError if the port or address isn't available */
export async function listen(server: NetServer, port: number, host: string): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw cantListen(error as NodeJS.ErrnoException, port, host)
  }
}

function cantListen(cause: NodeJS.ErrnoException, port: number, host: string): UserError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is taken. Stop the program that uses it, name another with --port, or let --port 0 pick a free one.`,
    EACCES: `Port ${port} may not be used by this user. Name one above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Name another with --host.`,
  }
  const reason = reasons[cause.code ?? ''] ?? `Can't listen on ${host}, port ${port} (${cause.code}).`
  const code = cause.code === 'EADDRINUSE' ? 'ERR_PROXYSIM_PORT_TAKEN' : 'ERR_PROXYSIM_USAGE'
  return new UserError(reason, { cause, code })
}

export function urlOf(server: NetServer, host: string): string {
  const { port } = server.address() as AddressInfo
  const scheme = server instanceof TlsServer ? 'https' : 'http'
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Milliseconds of real time that pending requests get when a server stops. */
const grace = 5000

/** Stops listening, and waits for pending requests. */
export async function closeServer(server: Server, connections: Connections): Promise<void> {
  // To Node, a connection is idle whose response is written, but not sent yet, as the client is slow to read it.
  server.closeIdleConnections = () => {}
  const closed = once(server, 'close')
  server.close()
  connections.end()
  const hurry = setTimeout(() => server.closeAllConnections(), grace)
  await closed
  clearTimeout(hurry)
}
