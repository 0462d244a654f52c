import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Load, Measurement } from './loadWorker.ts'
import { readCpuSeconds, loadCore, type Server } from './Server.ts'

export interface Sample extends Measurement {
  /** CPU time of the server per request, in microseconds. Other work on the machine hardly affects it. */
  cpu: number
  /** CPU time of the load generator per request, in microseconds. If it is below `cpu`, the server is the bottleneck. */
  loadCpu: number
}

/** Sends requests from a separate process on a separate core. */
export class LoadGenerator {
  readonly #child: ChildProcess

  /** @throws if the machine can't run server and load on separate cores */
  constructor() {
    if (process.platform !== 'linux' || availableParallelism() < 2)
      throw new Error('The benchmarks need Linux (taskset, /proc) and two cores.')
    const worker = fileURLToPath(new URL('loadWorker.ts', import.meta.url))
    this.#child = spawn('taskset', ['-c', String(loadCore), process.execPath, '--import', 'tsx', worker], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  /** @throws if a response has an unexpected status */
  async run(server: Server, load: Omit<Load, 'url'>): Promise<Sample> {
    const pid = this.#child.pid as number
    const before = { server: server.cpuSeconds, load: readCpuSeconds(pid) }
    this.#child.send({ ...load, url: server.url })
    const [{ measured, error }] = (await once(this.#child, 'message')) as [
      { measured?: Measurement; error?: string },
    ]
    if (!measured) throw new Error(`${server.name}: ${error}\n${server.errors}`)
    return {
      ...measured,
      cpu: ((server.cpuSeconds - before.server) / measured.requests) * 1e6,
      loadCpu: ((readCpuSeconds(pid) - before.load) / measured.requests) * 1e6,
    }
  }

  stop(): void {
    this.#child.disconnect()
  }
}
