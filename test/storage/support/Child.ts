import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'

const program = fileURLToPath(new URL('server.ts', import.meta.url))

export interface Answer<T> {
  status: number
  body: T
}

export interface ChildOptions {
  /** The id of another user to run as */
  user?: number | undefined
  /** A command that runs it, with its arguments */
  within?: string[]
  /** Modules that are loaded before it */
  preload?: string[]
}

/** A simulator in a process of its own. */
export class Child {
  readonly process: ChildProcess
  /** Everything it wrote on standard error */
  errors = ''
  /** Where it listens, once it does */
  readonly url: Promise<URL>

  constructor(options: SimulatorOptions, { user, within = [], preload = [] }: ChildOptions = {}) {
    const imports = ['tsx', ...preload].flatMap((name) => ['--import', name])
    const [command, ...words] = [...within, process.execPath, ...imports, program, JSON.stringify(options)]
    this.process = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user !== undefined && { uid: user, gid: user }),
    })
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
    this.url = new Promise((resolve, reject) => {
      this.process.stdout?.setEncoding('utf8').once('data', (line: string) => resolve(new URL(line.trim())))
      this.process.once('close', (code) => reject(new Error(`It ended with ${code}: ${this.errors}`)))
    })
    this.url.catch(() => {}) // whoever waits for it is told
  }

  /** Resolves once it listens. */
  async ready(): Promise<this> {
    await this.url
    return this
  }

  /** Ends it with a signal, and waits for it. @returns its exit code; null where the signal ended it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { process: child } = this
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close')
      child.kill(signal)
      await closed
    }
    return child.exitCode
  }

  /** The exit code of one that ends by itself. */
  async ended(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, 'close')
    return this.process.exitCode
  }

  /** @throws TypeError where the connection breaks before the whole answer is there */
  async call<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const headers = {
      authorization: `Basic ${btoa('reseller:secret')}`,
      'content-type': 'application/json',
      accept: 'application/json',
    }
    const sent = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(new URL(path, await this.url), { method, headers, body: sent })
    const text = await response.text()
    return { status: response.status, body: (/^[[{]/.test(text) ? JSON.parse(text) : text) as T }
  }
}
