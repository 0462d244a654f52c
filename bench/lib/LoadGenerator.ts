import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Load, Measured } from './loadWorker.ts'
import { cpuSeconds, loadCore, type Server } from './Server.ts'

export interface Sample extends Measured {
  /** Microseconds of processor time that the server used for a request. Other work on the machine hardly alters it. */
  cpu: number
  /** CPU time of the load generator. While it is below the server's, the server is the bottleneck. */
  loadCpu: number
}

/** Sends requests from a process and a core of its own. */
export class LoadGenerator {
  readonly #child: ChildProcess

  /** @throws where server and load can't be kept apart */
  constructor() {
    if (process.platform !== 'linux' || availableParallelism() < 2)
      throw new Error('The benchmarks need Linux (taskset, /proc) and two cores.')
    const worker = fileURLToPath(new URL('loadWorker.ts', import.meta.url))
    this.#child = spawn('taskset', ['-c', String(loadCore), process.execPath, '--import', 'tsx', worker], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  /** @throws where an answer is not the right one */
  async run(server: Server, load: Omit<Load, 'url'>): Promise<Sample> {
    const pid = this.#child.pid as number
    const before = { server: server.cpuSeconds, load: cpuSeconds(pid) }
    this.#child.send({ ...load, url: server.url })
    const [{ measured, error }] = (await once(this.#child, 'message')) as [
      { measured?: Measured; error?: string },
    ]
    if (!measured) throw new Error(`${server.name}: ${error}\n${server.errors}`)
    return {
      ...measured,
      cpu: ((server.cpuSeconds - before.server) / measured.requests) * 1e6,
      loadCpu: ((cpuSeconds(pid) - before.load) / measured.requests) * 1e6,
    }
  }

  stop(): void {
    this.#child.disconnect()
  }
}
