import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { processTime } from './processTime.ts'

/** The core that servers run on; load comes from another. */
export const serverCore = 0
export const loadCore = 1

export interface ServerSettings {
  name: string
  /** A program and its arguments */
  command: readonly string[]
  env?: Record<string, string>
  /** Folder that it is started in */
  cwd?: string
  /** Whether it speaks with us; other people's servers don't. */
  ipc?: boolean
}

/** A server in a process of its own, on a core of its own. Ours and the bare ones speak over IPC. */
export class ServerProcess {
  readonly name: string
  readonly child: ChildProcess
  /** `http://127.0.0.1:41234`, once it listens */
  url = ''
  readonly #errors: string[] = []

  constructor({ name, command, env = {}, cwd, ipc = true }: ServerSettings) {
    this.name = name
    this.child = spawn('taskset', ['-c', String(serverCore), ...command], {
      stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
      cwd,
      env: { ...process.env, NODE_ENV: 'production', ...env },
    })
    this.child.stdout?.resume()
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors.push(chunk.toString())
      if (this.#errors.length > 100) this.#errors.shift()
    })
  }

  /** Starts a script that runs `serve` of servers' `serve.mjs`, and waits until it listens. */
  static async ofScript(
    name: string,
    script: string,
    { env, flags = [] }: { env?: Record<string, string>; flags?: readonly string[] } = {},
  ): Promise<ServerProcess> {
    const server = new ServerProcess({
      name,
      command: [process.execPath, ...flags, script],
      ...(env && { env }),
    })
    server.url = (await server.next<{ url: string }>()).url
    return server
  }

  /** What it says next. @throws when it ends instead */
  async next<T>(): Promise<T> {
    const ended = new AbortController()
    try {
      const [message] = (await Promise.race([
        once(this.child, 'message', { signal: ended.signal }),
        once(this.child, 'exit', { signal: ended.signal }).then(([code]) => {
          throw new Error(`${this.name} ended with ${String(code)}:\n${this.errors}`)
        }),
      ])) as [T]
      return message
    } finally {
      ended.abort()
    }
  }

  /** Asks it, over IPC. */
  async ask<T>(question: string): Promise<T> {
    const answer = this.next<T>()
    this.child.send(question)
    return await answer
  }

  get errors(): string {
    return this.#errors.join('')
  }

  /** Seconds of processor time that it has used, all its threads together. */
  get cpuSeconds(): number {
    return processTime(this.child.pid as number)
  }

  /** Bytes of memory that it holds. */
  get memory(): number {
    const [, pages] = readFileSync(`/proc/${this.child.pid}/statm`, 'utf8').split(' ')
    return Number(pages) * 4096
  }

  /** Ends it: politely over IPC where it listens to that. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exit = once(this.child, 'exit')
    if (this.child.connected) this.child.send('stop', () => {})
    else this.child.kill('SIGTERM')
    const impatience = setTimeout(() => this.child.kill('SIGTERM'), 2000)
    const anger = setTimeout(() => this.child.kill('SIGKILL'), 10_000)
    await exit
    clearTimeout(impatience)
    clearTimeout(anger)
  }
}
