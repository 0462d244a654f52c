import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import type { AccountState } from '../../../src/contract/shapes.ts'
import { ask as askAt } from '../../support/ask.ts'

/** An exported account */
export type Account = AccountState

export interface Reply {
  status: number
  case: unknown
  text: string
  /** Parsed, if it is JSON */
  body: unknown
}

type Headers = Record<string, string | undefined>

/** The tested system: a simulator with any number of replicas, and another simulator that loads its exports. */
export class Subject {
  readonly #options: SimulatorOptions
  readonly #replicas: RunningSimulator[]
  readonly #other: RunningSimulator
  #turn = 0
  /** Number of steps so far */
  steps = 0

  private constructor(options: SimulatorOptions, replicas: RunningSimulator[], other: RunningSimulator) {
    this.#options = options
    this.#replicas = replicas
    this.#other = other
  }

  static async start(options: SimulatorOptions, count = 1): Promise<Subject> {
    const replicas: RunningSimulator[] = []
    for (let i = 0; i < count; i++) replicas.push(await startServer(options))
    return new Subject(options, replicas, await startServer())
  }

  /** Restarts the replica whose turn is next. @returns whether that also restarted the simulator */
  async restart(): Promise<boolean> {
    const { db, store } = this.#options
    if (db === undefined && store === undefined) return false
    const i = this.#turn % this.#replicas.length
    await this.#replicas[i]?.close()
    this.#replicas[i] = await startServer(this.#options)
    return store === undefined
  }

  /** Sends a request to the replica whose turn it is. @returns undefined if the connection is dropped */
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply | undefined> {
    return ask(this.#replicas[this.#turn++ % this.#replicas.length]?.url, method, path, body, headers)
  }

  admin(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply> {
    return this.call(method, `/__admin${path}`, body, headers) as Promise<Reply>
  }

  /** Sends a request to the simulator that loads the exports. */
  other(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply> {
    return ask(this.#other.url, method, path, body, headers) as Promise<Reply>
  }

  async close(): Promise<void> {
    for (const one of [...this.#replicas, this.#other]) await one.close()
  }
}

async function ask(
  url = '',
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Reply | undefined> {
  const options = typeof body === 'string' ? { raw: body } : { body }
  try {
    const response = await askAt(url, method, path, { ...options, headers })
    const { status, text, json: parsed } = response
    return { status, case: response.headers['sim-case'], text, body: parsed }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
