import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The core that servers run on; load comes from another. */
export const serverCore = 0
export const loadCore = 1

interface Settings {
  name: string
  /** A program and its arguments */
  command: readonly string[]
  env?: Record<string, string>
  /** The folder that it is started in */
  cwd?: string
}

/** A server in a process of its own, on a core of its own. */
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

  /** Starts a server that prints its address. @throws if it ends instead */
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
        reject(new Error(`${server.name} ended with ${String(code)}:\n${server.errors}`))
      })
    })
    return server
  }

  get errors(): string {
    return this.#errors.join('')
  }

  /** Seconds of processor time that it has used, all its threads together */
  get cpuSeconds(): number {
    return cpuSeconds(this.child.pid as number)
  }

  /** Bytes of memory that it holds */
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

/** Seconds of processor time that a process has used; Linux counts in hundredths. */
export function cpuSeconds(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) as string).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The command that runs a script of `servers/`: by plain node, so that nothing of tsx is in what is measured. */
export function script(name: string): string[] {
  return [process.execPath, fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url))]
}
