import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'

/** The command of the engine, which can be another one, such as valkey-server */
const engine = process.env['PROXYSIM_REDIS_SERVER'] ?? 'redis-server'

/** Whether Redis is installed. Tests of the shared store need a real server. */
export const hasRedis = spawnSync(engine, ['--version']).status === 0

/** A Redis server with its own port and folder. */
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
    const server = new RedisServer(await findFreePort(), flags)
    await server.start()
    return server
  }

  /** Starts a server that is stopped at the end of the test. */
  static async startForTest(...flags: string[]): Promise<RedisServer> {
    const server = await RedisServer.start(...flags)
    onTestFinished(() => server.stop())
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts or restarts the server, on the same port and with the data in its folder. */
  async start(): Promise<void> {
    const settings = {
      port: this.port,
      dir: this.#folder,
      save: '',
      bind: '127.0.0.1',
      loglevel: 'warning',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    this.#process = spawn(engine, [...args, ...this.#flags], { stdio: 'ignore' })
    const ended = once(this.#process, 'exit').then(([code, signal]) => {
      throw new Error(`${engine} exited with ${code ?? signal}`)
    })
    await Promise.race([this.command('PING'), ended])
  }

  /** Connects a separate client. */
  client(): Redis {
    const retry = { retryStrategy: () => 20, maxRetriesPerRequest: null }
    return new Redis(this.port, '127.0.0.1', { ...retry, protocol: 2 }).on('error', () => {})
  }

  async command(...args: [string, ...(string | number)[]]): Promise<unknown> {
    const client = this.client()
    try {
      return await client.call(...(args as [string, ...string[]]))
    } finally {
      client.disconnect()
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name)
  }

  /** Kills the server, and keeps its folder. @returns the signal that ended it */
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

/** Finds a free port that no other process gets while its server restarts: systems only assign higher ports. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + randomInt(20_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
}
