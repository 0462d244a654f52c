import { readdirSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CapturedResponse, CapturedResponses } from '../lib/captureResponses.ts'
import { workloads, type Workload } from '../lib/Workload.ts'

/** The files and commands that set up a peer */
export interface Setting {
  /** The folder whose `node_modules` contains the peer */
  installed: string
  /** The folder for the files that the peer reads and writes */
  folder: string
  port: number
  /** Another free port, for tools that need two */
  secondPort: number
  /** The contract, with our responses as examples */
  contract: string
  /** The expected responses, by the workload's name */
  responses: CapturedResponses
}

/** A tool for the same purpose */
export interface Peer {
  name: string
  /** npm packages with exact versions, so that figures can be reproduced */
  packages: readonly string[]
  /** Writes its files, and returns the command that starts it */
  command: (setting: Setting) => readonly string[]
  /** Returns the workload for this tool; undefined if it has no equivalent. */
  adapt: (workload: Workload) => Workload | undefined
  /** Notes on the figures */
  note: string
}

const node = process.execPath
const adaptUnchanged = (workload: Workload): Workload => workload
const omitRefusals = (workload: Workload): Workload | undefined =>
  workload.status === 401 ? undefined : workload

interface Stub {
  method: string
  path: string
  response: CapturedResponse
}

/** Lists the requests that succeed, with our responses. */
function toStubs({ responses }: Setting): Stub[] {
  return workloads
    .filter(({ status }) => status === 200)
    .map(({ name, method, path }) => ({ method, path, response: responses[name] as CapturedResponse }))
}

const prism: Peer = {
  name: 'Prism',
  packages: ['@stoplight/prism-cli@5.14.2'],
  command: ({ installed, port, contract }) => [
    node,
    join(installed, 'node_modules/.bin/prism'),
    'mock',
    contract,
    '--port',
    String(port),
    '--verboseLevel',
    'silent',
  ],
  adapt: adaptUnchanged,
  note: 'validates requests; no state; log off, three times as fast as the default',
}

const mockoon: Peer = {
  name: 'Mockoon',
  packages: ['@mockoon/cli@9.9.0'],
  command: ({ installed, port, contract }) => [
    node,
    join(installed, 'node_modules/.bin/mockoon-cli'),
    'start',
    '--data',
    contract,
    '--port',
    String(port),
    '--hostname',
    '127.0.0.1',
    '--disable-log-to-file',
    '--disable-admin-api',
    '--max-transaction-logs',
    '0',
    '--proxy',
    'disabled',
  ],
  adapt: omitRefusals,
  note: 'checks neither requests nor credentials; no state',
}

const wiremock: Peer = {
  name: 'WireMock',
  packages: ['wiremock@3.13.2'],
  command(setting) {
    const build = join(setting.installed, 'node_modules/wiremock/build')
    const jar = readdirSync(build).find((name) => name.endsWith('.jar')) ?? ''
    const mappings = join(setting.folder, 'mappings')
    mkdirSync(mappings, { recursive: true })
    const stubs = toStubs(setting).map(({ method, path, response: { status, headers, body } }) => ({
      request: { method, urlPath: path, headers: { Authorization: { matches: 'Basic .+' } } },
      response: { status, headers: { 'Content-Type': headers['content-type'] }, body },
    }))
    const refusal = {
      priority: 10,
      request: { method: 'ANY', urlPathPattern: '/api/.*' },
      response: { status: 401, headers: { 'Content-Type': 'text/plain' }, body: 'Unauthenticated' },
    }
    writeFileSync(join(mappings, 'all.json'), JSON.stringify({ mappings: [...stubs, refusal] }))
    return [
      'java',
      '-jar',
      join(build, jar),
      '--port',
      String(setting.port),
      '--bind-address',
      '127.0.0.1',
      '--root-dir',
      setting.folder,
      '--no-request-journal',
      '--disable-request-logging',
      '--disable-banner',
    ]
  },
  adapt: adaptUnchanged,
  note: 'handwritten stubs, no contract; no state; journal off; needs a Java runtime, which is not counted',
}

const jsonServer: Peer = {
  name: 'json-server',
  packages: ['json-server@1.0.0-beta.3'],
  command(setting) {
    const db = join(setting.folder, 'db.json')
    mkdirSync(join(setting.folder, 'public')) // json-server doesn't start without this folder
    const [products, service] = toStubs(setting).map(({ response }) => JSON.parse(response.body) as object)
    writeFileSync(db, JSON.stringify({ products, service: [{ id: '5001', ...service }], product: [] }))
    return [
      node,
      join(setting.installed, 'node_modules/.bin/json-server'),
      db,
      '--port',
      String(setting.port),
      '--host',
      '127.0.0.1',
    ]
  },
  adapt(workload) {
    if (workload.status === 401) return undefined
    const path = workload.path.replace('/api', '')
    return workload.method === 'POST' ? { ...workload, path: '/product', status: 201 } : { ...workload, path }
  },
  note: 'no operations: an order adds a record, and an update replaces one; state in a file that each change rewrites; no contract, no credentials',
}

const mountebank: Peer = {
  name: 'mountebank',
  packages: ['mountebank@2.9.1'],
  command(setting) {
    const stubs = toStubs(setting).map(({ method, path, response: { status, headers, body } }) => ({
      predicates: [{ equals: { method, path } }, { exists: { headers: { Authorization: true } } }],
      responses: [{ is: { statusCode: status, headers: { 'Content-Type': headers['content-type'] }, body } }],
    }))
    const refusal = {
      responses: [
        { is: { statusCode: 401, headers: { 'Content-Type': 'text/plain' }, body: 'Unauthenticated' } },
      ],
    }
    const file = join(setting.folder, 'imposters.json')
    const imposter = { port: setting.port, protocol: 'http', stubs: [...stubs, refusal] }
    writeFileSync(file, JSON.stringify({ imposters: [imposter] }))
    return [
      node,
      join(setting.installed, 'node_modules/.bin/mb'),
      'start',
      '--port',
      String(setting.secondPort),
      '--configfile',
      file,
      '--noParse',
      '--nologfile',
      '--loglevel',
      'error',
      '--localOnly',
      '--pidfile',
      join(setting.folder, 'mb.pid'),
    ]
  },
  adapt: adaptUnchanged,
  note: 'handwritten stubs, no contract; no state',
}

export const tools: readonly Peer[] = [prism, mockoon, wiremock, jsonServer, mountebank]
