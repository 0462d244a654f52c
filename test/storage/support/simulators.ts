import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'

export interface Answered<T> {
  status: number
  case: string | null
  body: T
}

export interface Entry {
  id: number
  account: string | null
  operation: string
  status: number
  version: number
  change?: unknown
}

/** A simulator, and what a client asks of it. All accounts here have the password `secret`. */
export class Client {
  readonly simulator: RunningSimulator
  readonly #url: string

  constructor(simulator: RunningSimulator) {
    this.simulator = simulator
    this.#url = simulator.url
  }

  api<T = unknown>(method: string, path: string, body?: unknown, login = 'reseller'): Promise<Answered<T>> {
    return this.#ask(method, `/api${path}`, body, { authorization: `Basic ${btoa(`${login}:secret`)}` })
  }

  admin<T = unknown>(method: string, path: string, body?: unknown): Promise<Answered<T>> {
    return this.#ask(method, `/__admin${path}`, body)
  }

  async #ask<T>(method: string, path: string, body: unknown, headers = {}): Promise<Answered<T>> {
    const reply = await fetch(this.#url + path, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return {
      status: reply.status,
      case: reply.headers.get('sim-case'),
      body: (isJson ? JSON.parse(text) : undefined) as T,
    }
  }

  order(login?: string): Promise<Answered<{ serviceId: number; error?: string }>> {
    return this.api('POST', '/product/101', { clientid: 11 }, login)
  }

  async credit(login?: string): Promise<number> {
    return (await this.api<{ credit: number }>('GET', '/billing/credit', undefined, login)).body.credit
  }

  /** The journal, newest first. */
  async journal(query = ''): Promise<{ total: number; dropped: number; requests: Entry[] }> {
    return (
      await this.admin<{ total: number; dropped: number; requests: Entry[] }>('GET', `/requests${query}`)
    ).body
  }

  /** How often responses were given, by `operation status case` */
  async coverage(query = ''): Promise<Record<string, number>> {
    interface Response {
      status: number
      case: string | null
      hits: number
    }
    const { operations } = (
      await this.admin<{ operations: { operation: string; responses: Response[] }[] }>(
        'GET',
        `/coverage${query}`,
      )
    ).body
    return Object.fromEntries(
      operations.flatMap(({ operation, responses }) =>
        responses
          .filter(({ hits }) => hits > 0)
          .map(({ status, case: name, hits }) => [`${operation} ${status}${name ? ` ${name}` : ''}`, hits]),
      ),
    )
  }

  async createAccount(login: string): Promise<void> {
    await this.admin('POST', '/accounts', { login })
    await this.admin('PATCH', `/accounts/${login}`, { password: 'secret' })
  }
}

/** Starts one, until the end of the test. */
export async function run(options: SimulatorOptions): Promise<Client> {
  const simulator = await startServer(options)
  onTestFinished(() => simulator.close().catch(() => {}))
  return new Client(simulator)
}

export function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'proxysim-storage-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
