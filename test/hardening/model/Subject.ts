import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { LocalOptions } from '../../../src/SimulatorOptions.ts'

export interface Answer {
  status: number
  type: string
  /** JSON where it is JSON, else text */
  body: unknown
}

/** The running server, as the model's commands use it: over HTTP, and nothing else. */
export class Subject {
  readonly #options: LocalOptions
  // A kept connection that the server closes just then would be taken for a dropped answer.
  readonly #agent = new Agent({ keepAlive: false })
  #running: RunningSimulator
  /** Requests that were answered */
  asked = 0

  private constructor(options: LocalOptions, running: RunningSimulator) {
    this.#options = options
    this.#running = running
  }

  static async start(options: LocalOptions): Promise<Subject> {
    return new Subject(options, await startServer(options))
  }

  /** Ends the server and starts another on the same file, which resumes what the file holds. */
  async restart(): Promise<void> {
    await this.#running.close()
    const { scenario: _scenario, ...options } = this.#options
    this.#running = await startServer(options)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.#running.close()
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
      port: new URL(this.#running.url).port,
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
