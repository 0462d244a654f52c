/** A request that is sent over and over. */
export interface Workload {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  /** Paths that take turns, instead of the one */
  paths?: readonly string[]
  headers: Record<string, string>
  /** Authorization headers that take turns */
  authorizations?: readonly string[]
  /** JSON text; `{ip}` becomes an address that never came before, `{n}` counts the requests of a run from 1. */
  body?: string
  /** The status that is a right answer; any other ends the benchmark. */
  status: number
}

export const login = 'reseller'
export const password = 'secret'

export function basicAuthorization(name: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

const json = { accept: 'application/json', 'content-type': 'application/json' }
const known = { ...json, authorization: basicAuthorization(login) }

/** The workloads for the ratios: a large and a small read, two kinds of change, and a refusal. */
export const workloads: readonly Workload[] = [
  { name: 'list of 20 products', method: 'GET', path: '/api/products', headers: known, status: 200 },
  { name: 'one service', method: 'GET', path: '/api/service/5001', headers: known, status: 200 },
  {
    name: 'order',
    method: 'POST',
    path: '/api/product/101',
    headers: known,
    body: '{"clientid":11}',
    status: 200,
  },
  {
    name: 'update with setip',
    method: 'PUT',
    path: '/api/service/5001',
    headers: known,
    body: '{"setip":"{ip}"}',
    status: 200,
  },
  { name: '401', method: 'GET', path: '/api/products', headers: json, status: 401 },
]

/** @throws where there is none of that name */
export function workloadNamed(name: string): Workload {
  const found = workloads.find((workload) => workload.name === name)
  if (!found) throw new Error(`there is no workload ${name}`)
  return found
}
