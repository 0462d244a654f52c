import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import type { Store } from '../../../src/state/Store.ts'

export interface Answer {
  status: number
  type: string
  /** JSON where it is JSON, else text */
  body: unknown
}

/** The running server, or its replicas, as the model's commands use it: over HTTP, and nothing else. */
export class Subject {
  readonly #options: SimulatorOptions
  // A kept connection that the server closes just then would be taken for a dropped answer.
  readonly #agent = new Agent({ keepAlive: false })
  /** Requests go to each in turn, so those that are sent at once go to all */
  readonly #running: RunningSimulator<Store>[]
  #sent = 0
  #restarts = 0
  /** Requests that were answered */
  asked = 0

  private constructor(options: SimulatorOptions, running: RunningSimulator<Store>[]) {
    this.#options = options
    this.#running = running
  }

  /** @param replicas of one store */
  static async start(options: SimulatorOptions, replicas = 1): Promise<Subject> {
    const running: RunningSimulator<Store>[] = []
    while (running.length < replicas) running.push(await startServer(options))
    return new Subject(options, running)
  }

  /** Ends a server and starts another on the same file or store, which goes on with what it holds. */
  async restart(): Promise<void> {
    const which = this.#restarts++ % this.#running.length
    await this.#running[which]?.close()
    const { scenario: _scenario, ...options } = this.#options
    this.#running[which] = await startServer(options)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    for (const one of this.#running) await one.close()
  }

  /** As the account; undefined where the connection was dropped unanswered. */
  async api(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const login = Buffer.from('reseller:secret:with:colons').toString('base64')
    return this.#send(method, path, body, { authorization: `Basic ${login}` })
  }

  /** To the control plane, whatever it answers. */
  async control(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer | undefined> {
    return this.#send(method, `/__admin${path}`, body, headers)
  }

  /** To the control plane; whatever is not a success fails the test. */
  async admin<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.control(method, path, body)
    assert.ok(answer && answer.status < 300, `${method} ${path}: ${JSON.stringify(answer?.body)}`)
    return answer.body as T
  }

  #send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer | undefined> {
    const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const options = {
      method,
      path,
      agent: this.#agent,
      port: new URL(this.#running[this.#sent++ % this.#running.length]?.url ?? '').port,
      host: '127.0.0.1',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...headers,
        ...(bytes !== undefined && { 'content-length': Buffer.byteLength(bytes) }),
      },
    }
    return new Promise((resolve, reject) => {
      const asking = request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', () => resolve(undefined))
        response.on('end', () => {
          this.asked++
          const type = response.headers['content-type'] ?? ''
          resolve({
            status: response.statusCode ?? 0,
            type,
            body: type.startsWith('application/json') && text ? JSON.parse(text) : text,
          })
        })
      })
      asking.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' ? resolve(undefined) : reject(error),
      )
      asking.end(bytes)
    })
  }
}
