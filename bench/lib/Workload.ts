/** A request that is sent repeatedly. */
export interface Workload {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  /** Paths to use in turn instead of `path` */
  paths?: readonly string[]
  headers: Record<string, string>
  /** Authorization headers to use in turn */
  authorizations?: readonly string[]
  /** JSON text. `{ip}` is replaced by an address that is never used twice, `{n}` by the request's number from 1. */
  body?: string
  /** The expected status. Any other ends the benchmark. */
  status: number
}

export const login = 'reseller'
export const password = 'secret'

export function basicAuthorization(name: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

const json = { accept: 'application/json', 'content-type': 'application/json' }
const authorized = { ...json, authorization: basicAuthorization(login) }

export const serviceIds: readonly number[] = Array.from({ length: 2000 }, (_, i) => 5001 + i)

/** The compared workloads: a large and a small read, two kinds of change, and a refusal. */
export const workloads: readonly Workload[] = [
  { name: 'list of 20 products', method: 'GET', path: '/api/products', headers: authorized, status: 200 },
  { name: 'one service', method: 'GET', path: '/api/service/5001', headers: authorized, status: 200 },
  {
    name: 'order',
    method: 'POST',
    path: '/api/product/101',
    headers: authorized,
    body: '{"clientid":11}',
    status: 200,
  },
  {
    name: 'update with setip',
    method: 'PUT',
    path: '/api/service/5001',
    headers: authorized,
    body: '{"setip":"{ip}"}',
    status: 200,
  },
  { name: '401', method: 'GET', path: '/api/products', headers: json, status: 401 },
]

/** @throws if no workload has that name */
export function getWorkload(name: string): Workload {
  const found = workloads.find((workload) => workload.name === name)
  if (!found) throw new Error(`Unknown workload ${name}.`)
  return found
}
