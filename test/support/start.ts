import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { getValidator } from '../../src/contract/validator/createValidator.ts'
import { localState } from '../../src/Simulation.ts'
import { startServer, type RunningSimulator } from '../../src/server.ts'
import type { SimulatorOptions } from '../../src/SimulatorOptions.ts'
import { getEntry } from '../../src/journal/getEntry.ts'
import type { Contract } from '../../src/contract/Contract.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import type { StoreEvent } from '../../src/store/Store.ts'
import type { World, WorldData } from '../../src/world/World.ts'
import { findViolation } from './plainContract.ts'
import { ask, basic, type TestResponse, type RequestOptions } from './ask.ts'

export { basic, type TestResponse }

export interface StartOptions extends Omit<SimulatorOptions, 'scenario'> {
  /** A scenario's name or file, or the scenario itself */
  scenario?: string | object
  /** Whether the test provokes responses that violate the contract. @default false */
  mayViolate?: boolean
}

export interface CallOptions extends RequestOptions {
  /** The login whose password is sent, or `login:password`; null sends no credentials. @default `reseller` */
  login?: string | null
}

export interface TestSimulator extends RunningSimulator {
  port: number
  call: <T = unknown>(method: string, path: string, options?: CallOptions) => Promise<TestResponse<T>>
  /** Calls the control plane at a path below `/__admin`; the response must follow `admin.openapi.yaml`. */
  admin: <T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ) => Promise<TestResponse<T>>
  /** The Authorization header of a login, with its current password. */
  authorization: (login?: string) => string
}

/** Starts a simulator in memory and on a free port, and closes it at the end of the test. */
export async function start(options: StartOptions = {}): Promise<TestSimulator> {
  const { started, stop } = await run(options)
  onTestFinished(stop)
  return started
}

/** Starts one simulator for all tests of a `describe` or a file. @returns a function that returns it inside tests */
export function startForAll(options: StartOptions = {}): () => TestSimulator {
  let running: Awaited<ReturnType<typeof run>> | undefined
  beforeAll(async () => {
    running = await run(options)
  })
  afterAll(() => running?.stop())
  return () => {
    if (!running) throw new Error('The simulator is only available in tests and hooks.')
    return running.started
  }
}

/** Returns the whole state of a simulator as JSON, for comparisons. */
export function getState({ simulation }: Pick<RunningSimulator, 'simulation'>): unknown {
  const { scenario, accounts } = localState(simulation)
  return JSON.parse(JSON.stringify({ scenario, accounts: Object.fromEntries(accounts) }))
}

/** Returns an account's world as JSON. */
export function getWorld(
  { simulation }: Pick<RunningSimulator, 'simulation'>,
  login = 'reseller',
): WorldData {
  return JSON.parse(JSON.stringify(simulation.store.read(login))) as WorldData
}

/** Exports the current state of a simulator, and loads it into a new one. */
export async function cloneSimulator({ admin }: TestSimulator, format = 'json'): Promise<TestSimulator> {
  const type = `application/${format}`
  const { text: raw } = await admin('GET', '/scenario', undefined, { headers: { accept: type } })
  const other = await start()
  const options = { raw, headers: { 'content-type': type } }
  const { status, text } = await other.admin('PUT', '/scenario', undefined, options)
  if (status !== 200) throw new Error(text)
  return other
}

/** Resolves at the next event of this type. */
export function waitForEvent(
  { simulation }: Pick<TestSimulator, 'simulation'>,
  type: StoreEvent['type'],
): Promise<void> {
  return new Promise((resolve) => {
    const off = simulation.store.on((event) => {
      if (event.type !== type) return
      off()
      resolve()
    })
  })
}

/** Freezes the clock of the only account at a time. */
export async function setClock({ admin }: Pick<TestSimulator, 'admin'>, now: string): Promise<void> {
  const { status, text } = await admin('PUT', '/clock', { now, frozen: true })
  if (status !== 200) throw new Error(text)
}

/** Creates a folder that is removed at the end of the test. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proxysim-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a folder that has these files and is removed at the end of the test. */
export function createFolderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = createFolder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

/** Whether a world only uses default interpretations. The plain contract describes no others. */
function usesDefaults({ assumptions }: Contract, world: World | undefined): boolean {
  const values = (world?.assumptions ?? {}) as Record<string, unknown>
  return assumptions.every(({ id, default: value }) => values[id] === undefined || values[id] === value)
}

/** Returns how a response violates the contract for other tools. Bodies too long for the journal aren't checked. */
function findPlainViolation(record: JournalRecord): string | undefined {
  const { operation, method, path, status, responseHeaders, responseBody } = record
  if (operation === null || method === 'HEAD' || status === null || responseBody === undefined)
    return undefined
  if (record.case === 'storage-failed') return undefined
  return findViolation(
    method,
    path,
    status,
    String(responseHeaders['content-type'] ?? '') || undefined,
    responseBody,
  )
}

async function run({ scenario, mayViolate = false, ...settings }: StartOptions) {
  const running = await startWith(scenario, settings)
  const { simulation, url } = running
  const violations: string[] = []
  simulation.store.on((event) => {
    if (event.type !== 'request' || event.record.forced) return
    const { record } = event
    const isOurs = usesDefaults(simulation.contract, record.before)
    const plain = isOurs ? findPlainViolation(record) : undefined
    if (record.case === 'contract-violation' || plain !== undefined)
      violations.push(`${plain}\n${JSON.stringify(getEntry(record), null, 2)}`)
  })
  const { protocol, port: digits } = new URL(url)
  const agent = new (protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true })
  const port = Number(digits)

  const authorization = (login = 'reseller'): string => {
    if (login.includes(':')) return basic(login)
    return basic(`${login}:${(simulation.store.read(login) as World | undefined)?.password ?? ''}`)
  }

  const call = <T>(
    method: string,
    path: string,
    { login, headers, ...question }: CallOptions = {},
  ): Promise<TestResponse<T>> => {
    const hasCredentials = login !== null && path.startsWith('/api')
    const defaultHeaders = hasCredentials ? { authorization: authorization(login) } : {}
    return ask(`${protocol}//127.0.0.1:${port}`, method, path, {
      ...question,
      headers: { ...defaultHeaders, ...headers },
      agent,
    })
  }

  const admin: TestSimulator['admin'] = async <T>(
    method: string,
    path: string,
    body?: unknown,
    options = {},
  ) => {
    const contract = await adminContract()
    const fullPath = `/__admin${path}`
    const response = await call<T>(method, fullPath, { ...options, ...(body !== undefined && { body }) })
    const match = contract.match(method, fullPath.split('?', 1)[0] ?? '')
    if (match && 'operation' in match) {
      const { status, headers, text } = response
      const sent = { status, contentType: headers['content-type'], body: text }
      const broken = (await getValidator(contract)).validateResponse(match.operation, sent)
      expect(broken, `${method} ${path}: ${text}`).toEqual([])
    }
    return response
  }

  return {
    started: { ...running, port, call, admin, authorization },
    stop: async () => {
      agent.destroy()
      await running.close()
      if (violations.length && !mayViolate)
        throw new Error(`Responses violated the contract:\n${violations.join('\n')}`)
    },
  }
}

/** Starts a simulator. A scenario object is written to a file, so that it is loaded like a user's. */
async function startWith(
  scenario: string | object | undefined,
  options: SimulatorOptions,
): Promise<RunningSimulator> {
  if (typeof scenario !== 'object')
    return startServer(scenario === undefined ? options : { ...options, scenario })
  const folder = mkdtempSync(join(tmpdir(), 'proxysim-scenario-'))
  try {
    const file = join(folder, 'test.json')
    writeFileSync(file, JSON.stringify({ description: 'For a test.', ...scenario }))
    return await startServer({ ...options, scenario: file })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
