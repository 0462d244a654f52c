import { mkdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '../lib/Server.ts'
import { workloads, type Workload } from '../lib/Workload.ts'
import type { Installation } from './install.ts'
import type { Peer, Setting } from './peers.ts'

/** A running peer with its measurements. */
export interface Entrant {
  peer: Peer
  server: Server
  installed: Installation
  /** Milliseconds from the start of the process to the first expected response */
  firstResponse: number
}

/** Starts a peer in a new subfolder. @throws if it doesn't send the expected response */
export async function startPeer(
  peer: Peer,
  installed: Installation,
  { folder, contract, responses }: Pick<Setting, 'folder' | 'contract' | 'responses'>,
): Promise<Entrant> {
  const peerFolder = join(folder, peer.name)
  mkdirSync(peerFolder)
  const port = await findFreePort()
  const secondPort = await findFreePort()
  const setting = { installed: installed.folder, folder: peerFolder, port, secondPort, contract, responses }
  const command = peer.command(setting)
  const began = performance.now()
  const server = new Server({ name: peer.name, command, cwd: peerFolder })
  server.url = `http://127.0.0.1:${port}`
  try {
    const [first] = workloads.flatMap((workload) => peer.adapt(workload) ?? [])
    await waitForResponse(server, first as Workload)
    return { peer, server, installed, firstResponse: performance.now() - began }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Polls until the response is the expected one. */
async function waitForResponse(server: Server, { method, path, headers, status }: Workload): Promise<void> {
  const until = performance.now() + 60_000
  for (;;) {
    const received = await fetch(server.url + path, { method, headers }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => undefined,
    )
    if (received === status) return
    if (server.child.exitCode !== null)
      throw new Error(`exited with ${server.child.exitCode}: ${server.errors}`)
    if (performance.now() > until) throw new Error(`${method} ${path} returns ${received ?? 'nothing'}`)
    await sleep(5)
  }
}

/** Finds the most informative line of a message. */
export function findFirstError(message: string): string {
  const lines = message.split('\n')
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? (lines[0] as string)
}
