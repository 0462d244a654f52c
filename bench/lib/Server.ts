import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Servers run on one core, and the load generator runs on another. */
export const serverCore = 0
export const loadCore = 1

interface Settings {
  name: string
  /** A program and its arguments */
  command: readonly string[]
  env?: Record<string, string>
  /** Working directory */
  cwd?: string
}

/** A server in a separate process, on a separate core. */
export class Server {
  readonly name: string
  readonly child: ChildProcess
  /** `http://127.0.0.1:41234` */
  url = ''
  readonly #errors: string[] = []

  constructor({ name, command, env = {}, cwd }: Settings) {
    this.name = name
    this.child = spawn('taskset', ['-c', String(serverCore), ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
      env: { ...process.env, NODE_ENV: 'production', ...env },
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors.push(chunk.toString())
      if (this.#errors.length > 100) this.#errors.shift()
    })
    this.child.stdout?.resume()
  }

  /** Starts a server, and reads its address from its output. @throws if it exits */
  static async start(settings: Settings): Promise<Server> {
    const server = new Server(settings)
    const output = server.child.stdout as NodeJS.ReadableStream
    let text = ''
    server.url = await new Promise<string>((resolve, reject) => {
      output.on('data', (chunk: Buffer) => {
        const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec((text += chunk.toString())) ?? []
        if (url === undefined) return
        output.removeAllListeners('data').resume()
        resolve(url)
      })
      server.child.once('exit', (code) => {
        reject(new Error(`${server.name} exited with ${String(code)}:\n${server.errors}`))
      })
    })
    return server
  }

  get errors(): string {
    return this.#errors.join('')
  }

  /** CPU time of all its threads, in seconds */
  get cpuSeconds(): number {
    return readCpuSeconds(this.child.pid as number)
  }

  /** Resident memory, in bytes */
  get memory(): number {
    const [, pages] = readFileSync(`/proc/${this.child.pid}/statm`, 'utf8').split(' ')
    return Number(pages) * 4096
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exit = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    const kill = setTimeout(() => this.child.kill('SIGKILL'), 10_000)
    await exit
    clearTimeout(kill)
  }
}

/** Returns the CPU time of a process, in seconds. Linux counts hundredths. */
export function readCpuSeconds(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) as string).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Returns the command that runs a script in `servers/`. It uses plain node, so that the figures don't include tsx. */
export function getScriptCommand(name: string): string[] {
  return [process.execPath, fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url))]
}
