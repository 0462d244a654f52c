import { onTestFinished } from 'vitest'
import { startServer, type RunningSimulator } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import { ask, basic, type TestResponse } from '../../support/ask.ts'

interface Entry {
  id: number
  account: string | null
  operation: string
  status: number
  version: number
  change?: { credit?: number } | null
}

interface Journal {
  total: number
  dropped: number
  requests: Entry[]
}

/** A simulator with helpers for requests. Its accounts have the password `secret`. */
export class Client {
  readonly url: string
  readonly store: RunningSimulator['simulation']['store']
  readonly close: () => Promise<void>

  constructor({ url, simulation, close }: RunningSimulator) {
    this.url = url
    this.store = simulation.store
    this.close = close
  }

  api<T = { error: string }>(method: string, path: string, body?: unknown, login = 'reseller') {
    const headers = { authorization: basic(`${login}:secret`) }
    return ask<T>(this.url, method, `/api${path}`, { body, headers })
  }

  admin<T = unknown>(method: string, path: string, body?: unknown): Promise<TestResponse<T>> {
    return ask<T>(this.url, method, `/__admin${path}`, { body })
  }

  order(login?: string) {
    return this.api<{ serviceId: number; error: string }>('POST', '/product/101', { clientid: 11 }, login)
  }

  async credit(login?: string): Promise<number> {
    return (await this.api<{ credit: number }>('GET', '/billing/credit', undefined, login)).json.credit
  }

  /** The journal, newest first. */
  async journal(): Promise<Journal> {
    return (await this.admin<Journal>('GET', '/requests')).json
  }

  /** Number of responses, by `operation status` */
  async coverage(query = ''): Promise<Record<string, number>> {
    interface Covered {
      operations: { operation: string; responses: { status: number; hits: number }[] }[]
    }
    const { operations } = (await this.admin<Covered>('GET', `/coverage${query}`)).json
    const hit = operations.flatMap(({ operation, responses }) =>
      responses.flatMap(({ status, hits }) => (hits > 0 ? [[`${operation} ${status}`, hits] as const] : [])),
    )
    return Object.fromEntries(hit)
  }

  async createAccount(login: string): Promise<void> {
    await this.admin('POST', '/accounts', { login })
    await this.admin('PATCH', `/accounts/${login}`, { password: 'secret' })
  }
}

/** Starts a simulator that is closed at the end of the test. */
export async function run(options: SimulatorOptions): Promise<Client> {
  const simulator = await startServer(options)
  onTestFinished(() => simulator.close().catch(() => {}))
  return new Client(simulator)
}
