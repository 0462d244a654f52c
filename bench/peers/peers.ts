import { readdirSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CapturedAnswer } from '../lib/captureAnswers.ts'
import type { Workload } from '../lib/Workload.ts'
import type { Peer, Setting } from './Peer.ts'

const node = process.execPath
const asItIs = (workload: Workload): Workload => workload
const withoutCheck = (workload: Workload): Workload | undefined =>
  workload.status === 401 ? undefined : workload

/** The requests of the workloads that are answered, with the answers. */
function answered({ answers }: Setting): { method: string; path: string; answer: CapturedAnswer }[] {
  return [
    { method: 'GET', path: '/api/products', answer: answers['list of 20 products'] },
    { method: 'GET', path: '/api/service/5001', answer: answers['one service'] },
    { method: 'POST', path: '/api/product/101', answer: answers['order'] },
    { method: 'PUT', path: '/api/service/5001', answer: answers['update with setip'] },
  ] as { method: string; path: string; answer: CapturedAnswer }[]
}

function script(name: string): string {
  return fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))
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
  adapt: asItIs,
  note: 'validates requests; no state; log off, which is three times as fast as its default',
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
  adapt: withoutCheck,
  note: 'checks neither requests nor credentials; no state',
}

export const wiremock: Peer = {
  name: 'WireMock',
  packages: ['wiremock@3.13.2'],
  command(setting) {
    const build = join(setting.installed, 'node_modules/wiremock/build')
    const jar = readdirSync(build).find((name) => name.endsWith('.jar')) ?? ''
    const mappings = join(setting.folder, 'mappings')
    mkdirSync(mappings, { recursive: true })
    const stubs = answered(setting).map(({ method, path, answer: { status, headers, body } }) => ({
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
  adapt: asItIs,
  note: 'stubs by hand, no contract; no state; without its journal; needs a Java runtime, which is not counted',
}

export const jsonServer: Peer = {
  name: 'json-server',
  packages: ['json-server@1.0.0-beta.3'],
  command(setting) {
    const db = join(setting.folder, 'db.json')
    mkdirSync(join(setting.folder, 'public')) // without it, it does not start
    const [products, service] = answered(setting).map(({ answer }) => JSON.parse(answer.body) as object)
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
  note: 'records, no operations: an order is a record that is added, an update a record that is replaced; kept in a file, written whole at each change; no contract, no credentials',
}

const openapiBackend: Peer = {
  name: 'openapi-backend',
  packages: ['openapi-backend@5.21.2'],
  command: ({ installed, port, contract }) => [
    node,
    script('openapiBackend'),
    installed,
    String(port),
    contract,
  ],
  adapt: asItIs,
  note: 'a library, on bare node:http; validates requests, makes answers up from the contract; no state',
}

const scalar: Peer = {
  name: 'Scalar mock server',
  packages: ['@scalar/mock-server@0.3.25', '@hono/node-server@1.19.6'],
  command: ({ installed, port, contract }) => [node, script('scalar'), installed, String(port), contract],
  adapt: withoutCheck,
  note: 'a library, on Hono; the last version for Node 20; checks neither requests nor credentials; no state',
}

const mountebank: Peer = {
  name: 'mountebank',
  packages: ['mountebank@2.9.1'],
  command(setting) {
    const stubs = answered(setting).map(({ method, path, answer: { status, headers, body } }) => ({
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
  adapt: asItIs,
  note: 'stubs by hand, no contract; no state',
}

export const peers: readonly Peer[] = [
  prism,
  mockoon,
  wiremock,
  jsonServer,
  openapiBackend,
  scalar,
  mountebank,
]
