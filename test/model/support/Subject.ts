import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import type { WorldView } from '../../../src/admin/shapes.ts'

/** An account as it is exported */
export type Account = WorldView

export interface Answer {
  status: number
  case: string | null
  text: string
  /** Parsed, if it is JSON */
  body: unknown
}

type Headers = Record<string, string>

/** What is tested: one simulator of any number of replicas, and another one that loads its exports. */
export class Subject {
  readonly #options: SimulatorOptions
  readonly #replicas: RunningSimulator[]
  readonly #other: RunningSimulator
  #turn = 0
  /** Steps run so far */
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

  /** Ends the replica that is asked next, and starts it again. @returns whether that ended the simulator's process */
  async restart(): Promise<boolean> {
    const { db, store } = this.#options
    if (db === undefined && store === undefined) return false
    const i = this.#turn % this.#replicas.length
    await this.#replicas[i]?.close()
    this.#replicas[i] = await startServer(this.#options)
    return store === undefined
  }

  /** Asks each replica in its turn; undefined if the connection is dropped. */
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer | undefined> {
    return ask(this.#replicas[this.#turn++ % this.#replicas.length]?.url, method, path, body, headers)
  }

  admin(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    return this.call(method, `/__admin${path}`, body, headers) as Promise<Answer>
  }

  /** Asks the simulator that loads the exports. */
  other(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    return ask(this.#other.url, method, path, body, headers) as Promise<Answer>
  }

  async close(): Promise<void> {
    for (const one of [...this.#replicas, this.#other]) await one.close()
  }
}

async function ask(
  url = '',
  method: string,
  path: string,
  body: unknown,
  given: Headers = {},
): Promise<Answer | undefined> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...given }
  try {
    const response = await fetch(url + path, { method, headers, ...(text !== undefined && { body: text }) })
    const answer = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && answer !== ''
    const parsed: unknown = isJson ? JSON.parse(answer) : answer
    return { status: response.status, case: response.headers.get('sim-case'), text: answer, body: parsed }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
