import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

/** Another engine can be named, as valkey-server. */
const engine = process.env['PROXYSIM_REDIS_SERVER'] ?? 'redis-server'

/** Whether there is a Redis here: tests of the shared store need a real one. */
export const hasRedis = spawnSync(engine, ['--version']).status === 0

/** A Redis of one test, on a free port, in a folder of its own. */
export class RedisServer {
  readonly port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'proxysim-redis-'))
  readonly #flags: string[]
  #process: ChildProcess | undefined

  private constructor(port: number, flags: string[]) {
    this.port = port
    this.#flags = flags
  }

  static async start(...flags: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), flags)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts it, again: on the same port, with what its folder holds. */
  async start(): Promise<void> {
    const settings = {
      port: this.port,
      dir: this.#folder,
      save: '',
      bind: '127.0.0.1',
      loglevel: 'warning',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    const started = spawn(engine, [...args, ...this.#flags], { stdio: 'ignore' })
    this.#process = started
    for (;;) {
      const { exitCode, signalCode } = started
      if (exitCode !== null || signalCode !== null)
        throw new Error(`${engine} ended with ${exitCode ?? signalCode}`)
      if (await isUp(this.port)) return
    }
  }

  /** A client of its own, for a look behind the store's back. */
  async client(): Promise<Redis> {
    const client = new Redis(this.port, '127.0.0.1', { lazyConnect: true, protocol: 2 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async command(...args: [string, ...(string | number)[]]): Promise<unknown> {
    const client = await this.client()
    try {
      return await client.call(...(args as [string, ...string[]]))
    } finally {
      client.disconnect()
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name)
  }

  /** Ends it the hard way; what its folder holds stays. @returns the signal that ended it */
  async kill(): Promise<NodeJS.Signals | null | undefined> {
    const ended = this.#process
    if (ended?.exitCode === null && ended.signalCode === null) {
      ended.kill('SIGKILL')
      await once(ended, 'exit')
    }
    return ended?.signalCode
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function isUp(port: number): Promise<boolean> {
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    protocol: 2,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
    return true
  } catch (error) {
    return (error as Error).message.startsWith('NOAUTH')
  } finally {
    client.disconnect()
  }
}

/** A port that nobody has at present. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
