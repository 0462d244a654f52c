// How long others wait while somebody asks for something large: the longest of requests that are sent every 10 ms.
//   tsx bench/pauses/index.ts [--quick]
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { build } from '../lib/build.ts'
import { milliseconds as ms, table } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { startOurs } from '../lib/ours.ts'
import type { ServerProcess } from '../lib/ServerProcess.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { authorizationOf, login, password } from '../lib/Workload.ts'

const services = 100_000

/** What somebody asks for while others wait. */
interface Call {
  name: string
  method: string
  path: string
  body?: (server: ServerProcess) => string | Promise<string>
  accept?: string
  status: number
  /** Asked before, unwatched */
  before?: readonly Omit<Call, 'name' | 'before'>[]
}

interface Measured {
  /** Milliseconds: the longest that a probe waited… */
  waited: number
  /** …the most processor time between two ticks of the server, which tells our work from that of other programs… */
  worked: number
  /** …and the longest that its garbage was collected */
  collected: number
  /** Until the answer was there */
  took: number
}

const put = (path: string, body: string, status = 200): Omit<Call, 'name'> => ({
  method: 'PUT',
  path,
  body: () => body,
  status,
})
const order = {
  method: 'POST',
  path: '/api/product/101',
  body: () => '{"clientid":11}',
  status: 200,
} as const
const large = scenario(services)
const shippedLarge = JSON.stringify({
  extends: 'default',
  accounts: {
    [login]: { password, generate: { clients: 200, products: 40, services: 1000, invoices: 2000 } },
  },
})

const calls: readonly Call[] = [
  { name: 'load: `PUT /scenario`', ...put('/__admin/scenario', large) },
  { name: 'reset', method: 'POST', path: '/__admin/reset', status: 200 },
  { name: 'reset of the account', method: 'POST', path: `/__admin/reset?account=${login}`, status: 200 },
  { name: 'export, JSON', method: 'GET', path: '/__admin/scenario', status: 200 },
  {
    name: 'load of that export',
    method: 'PUT',
    path: '/__admin/scenario',
    body: async ({ url }) => (await fetch(`${url}/__admin/scenario`)).text(),
    status: 200,
  },
  {
    name: 'export, YAML: refused',
    method: 'GET',
    path: '/__admin/scenario',
    accept: 'application/yaml',
    status: 400,
  },
  { name: '`GET` of the account', method: 'GET', path: `/__admin/accounts/${login}`, status: 200 },
  {
    name: '`PATCH` of one field',
    method: 'PATCH',
    path: `/__admin/accounts/${login}`,
    body: () => '{"credit":5}',
    status: 200,
  },
  {
    name: '`PATCH` of 1,000 services',
    method: 'PATCH',
    path: `/__admin/accounts/${login}`,
    body: () => JSON.stringify({ services: numbered(1000, { username: 'u'.repeat(90), price: 3 }) }),
    status: 200,
  },
  {
    name: '`PATCH` of 8,000: refused',
    method: 'PATCH',
    path: `/__admin/accounts/${login}`,
    body: () => JSON.stringify({ services: numbered(8000, { username: 'u'.repeat(90), price: 3 }) }),
    status: 400,
  },
  { name: 'snapshot taken', method: 'POST', path: '/__admin/snapshots', status: 201 },
  {
    name: 'snapshot restored',
    method: 'POST',
    path: '/__admin/snapshots/s1/restore',
    status: 200,
  },
  {
    name: '`before-load` restored',
    method: 'POST',
    path: '/__admin/snapshots/before-load/restore',
    status: 200,
  },
  {
    name: 'rewind of one order',
    method: 'POST',
    path: '/__admin/requests/{newest}/rewind',
    status: 200,
    before: [order, order],
  },
  {
    name: 'a request as a scenario',
    method: 'GET',
    path: '/__admin/requests/{newest}/repro',
    status: 200,
    before: [order, order],
  },
  {
    name: 'clock advanced',
    method: 'POST',
    path: '/__admin/clock/advance',
    body: () => '{"by":"PT1H"}',
    status: 200,
  },
  { name: 'list of all services', method: 'GET', path: '/api/services', status: 200 },
  {
    name: '`requests/wait` with 90,000 unknown fields: refused',
    method: 'POST',
    path: '/__admin/requests/wait',
    body: () => JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`f${i}`, 1]))),
    status: 400,
  },
  {
    name: 'an order with 90,000 unknown fields',
    method: 'POST',
    path: '/api/product/101',
    body: () => JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`f${i}`, 1]))),
    status: 422,
  },
  {
    name: '`fixtures` with one name 5,000 times: refused',
    ...put(
      '/__admin/scenario',
      JSON.stringify({ description: 'x', fixtures: Array(5000).fill('catalog'), accounts: {} }),
      400,
    ),
  },
  {
    name: 'account created from a scenario of as many',
    method: 'POST',
    path: '/__admin/accounts',
    body: () => '{"login":"other","scenario":"large"}',
    status: 201,
  },
  { name: 'account deleted', method: 'DELETE', path: '/__admin/accounts/other', status: 204 },
  {
    name: '1,000,000 services: refused',
    ...put('/__admin/scenario', scenario(1_000_000), 400),
  },
  {
    name: 'load of 957 KB of YAML',
    method: 'PUT',
    path: '/__admin/scenario',
    // the export of the shipped scenario `large`, which is hidden by ours here
    before: [put('/__admin/scenario', shippedLarge)],
    body: async ({ url }) =>
      (await fetch(`${url}/__admin/scenario`, { headers: { accept: 'application/yaml' } })).text(),
    status: 200,
  },
  {
    name: 'load of 2,500 services',
    ...put('/__admin/scenario', scenario(2500)),
  },
  {
    name: 'export of 2,500, YAML',
    method: 'GET',
    path: '/__admin/scenario',
    accept: 'application/yaml',
    status: 200,
  },
]

/** Runs the benchmark. @returns Markdown */
export async function pauses({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'large.json'), large)
  const server = await startOurs(build(), { db: join(folder, 'db.json'), scenarios: folder })
  const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { url: server.url } })
  const measured: Measured[][] = calls.map(() => [])
  try {
    for (let run = 0; run < (quick ? 1 : 3); run++)
      for (const [i, call] of calls.entries()) measured[i]?.push(await watched(server, prober, call))
  } finally {
    await prober.terminate()
    await server.stop()
  }
  const longest = (all: readonly Measured[], of: keyof Measured): string =>
    `${ms(Math.max(...all.map((one) => one[of])))} ms`
  return table(
    [
      '',
      'others waited',
      'processor time of the longest turn',
      'longest collection of garbage',
      'answered after',
    ],
    calls.map(({ name }, i) => [
      name,
      ...(['waited', 'worked', 'collected', 'took'] as const).map((of) => longest(measured[i] ?? [], of)),
    ]),
  )
}

async function watched(server: ServerProcess, prober: Worker, call: Call): Promise<Measured> {
  for (const one of call.before ?? []) await ask(server, one, await one.body?.(server))
  const body = await call.body?.(server)
  await server.ask('file replaced')
  await server.ask('watch pauses')
  await tell(prober, 'begin')
  const began = performance.now()
  await ask(server, call, body)
  const took = performance.now() - began
  const { longest: waited } = await tell<{ longest: number }>(prober, 'end')
  const { worked, collected } = await server.ask<{ worked: number; collected: number }>('pauses')
  return { waited, worked, collected, took }
}

async function tell<T>(prober: Worker, question: string): Promise<T> {
  const answer = once(prober, 'message')
  prober.postMessage(question, [])
  const [told] = (await answer) as [T]
  return told
}

/** @throws if the answer is another than it should be */
async function ask(
  { url }: ServerProcess,
  { method, path, accept = 'application/json', status }: Omit<Call, 'name'>,
  body?: string,
): Promise<void> {
  const response = await fetch(url + path.replace('{newest}', String(await newest(url, path))), {
    method,
    headers: { authorization: authorizationOf(login), 'content-type': 'application/json', accept },
    ...(body !== undefined && { body }),
  })
  const bytes = await response.arrayBuffer()
  if (response.status !== status)
    throw new Error(
      `${method} ${path} answered ${response.status}: ${Buffer.from(bytes).toString().slice(0, 500)}`,
    )
}

async function newest(url: string, path: string): Promise<number | undefined> {
  if (!path.includes('{newest}')) return undefined
  const response = await fetch(`${url}/__admin/requests?limit=1`)
  const { requests } = (await response.json()) as { requests: { id: number }[] }
  return requests[0]?.id
}

function scenario(size: number): string {
  return JSON.stringify({
    description: 'A large world.',
    seed: 1,
    clock: '2026-01-15T12:00:00Z',
    accounts: {
      [login]: {
        password,
        credit: 1e6,
        clients: { 11: { email: 'ana@example.com' } },
        products: {
          101: { productName: 'Static', price: 20, product_type: 'fpr' },
          102: { productName: 'Rotating', price: 5, product_type: 'ppr' },
        },
        services: Object.fromEntries(
          Array.from({ length: size }, (_, i) => [i + 1, { client: 11, product: 101 + (i % 2) }]),
        ),
      },
    },
  })
}

function numbered(size: number, service: object): object {
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [i + 1, service]))
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await pauses({ quick: values.quick ?? false })}\n`)
}
