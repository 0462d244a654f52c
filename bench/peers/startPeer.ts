import { mkdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '../lib/Server.ts'
import { workloads, type Workload } from '../lib/Workload.ts'
import type { Installed } from './install.ts'
import type { Peer, Setting } from './peers.ts'

/** A running peer with its measurements. */
export interface Entrant {
  peer: Peer
  server: Server
  installed: Installed
  /** Milliseconds from the start of the process to the first expected response */
  firstAnswer: number
}

/** Starts a peer in a new subfolder. @throws if it doesn't send the expected response */
export async function startPeer(
  peer: Peer,
  installed: Installed,
  { folder, contract, responses }: Pick<Setting, 'folder' | 'contract' | 'responses'>,
): Promise<Entrant> {
  const own = join(folder, peer.name)
  mkdirSync(own)
  const port = await freePort()
  const secondPort = await freePort()
  const setting = { installed: installed.folder, folder: own, port, secondPort, contract, responses }
  const command = peer.command(setting)
  const began = performance.now()
  const server = new Server({ name: peer.name, command, cwd: own })
  server.url = `http://127.0.0.1:${port}`
  try {
    const [first] = workloads.flatMap((workload) => peer.adapt(workload) ?? [])
    await answersRight(server, first as Workload)
    return { peer, server, installed, firstAnswer: performance.now() - began }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Polls until the response is the expected one. */
async function answersRight(server: Server, { method, path, headers, status }: Workload): Promise<void> {
  const until = performance.now() + 60_000
  for (;;) {
    const got = await fetch(server.url + path, { method, headers }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => undefined,
    )
    if (got === status) return
    if (server.child.exitCode !== null)
      throw new Error(`it ended with ${server.child.exitCode}: ${server.errors}`)
    if (performance.now() > until) throw new Error(`it answers ${got ?? 'nothing'} to ${method} ${path}`)
    await sleep(5)
  }
}

/** Finds the most informative line of a message. */
export function firstError(message: string): string {
  const lines = message.split('\n')
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? (lines[0] as string)
}
