import { join } from 'node:path'
import { Server } from './Server.ts'

/** Starts the built product as a user would, on a free port. @param flags flags of `proxysim serve` */
export function startProduct(
  product: string,
  flags: readonly string[],
  { name = 'ours', nodeFlags = [] }: { name?: string; nodeFlags?: readonly string[] } = {},
): Promise<Server> {
  return Server.start({
    name,
    command: [process.execPath, ...nodeFlags, join(product, 'dist/cli.js'), 'serve', '--port', '0', ...flags],
  })
}

/** Calls the control plane of a proxysim server. @throws if it refuses the call */
export async function admin<T>(server: Server, method: string, path: string, body?: string): Promise<T> {
  const response = await fetch(`${server.url}/__admin${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return (await response.json()) as T
}

/** Takes a snapshot of each server. @returns a function that restores a server's snapshot */
export async function takeSnapshots(
  servers: readonly Server[],
): Promise<(server: Server) => Promise<unknown>> {
  const ids = new Map<Server, string>()
  for (const server of servers)
    ids.set(server, (await admin<{ id: string }>(server, 'POST', '/snapshots')).id)
  return (server) => admin(server, 'POST', `/snapshots/${ids.get(server)}/restore`)
}
