import type { ContractOperation } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import { isId } from './facts.ts'

/** The calls that read an account whose records are unknown: those that need no ids */
export function firstReads(operations: readonly ContractOperation[]): string[] {
  return operations
    .filter(
      ({ method, changesState, pathParameters }) =>
        method === 'GET' && !changesState && !pathParameters.length,
    )
    .map(({ path }) => path)
}

/** The calls that read each record in a response in detail. */
export function followUpReads(path: string, body: unknown): string[] {
  const getIds = (name: string): string[] =>
    (Array.isArray(body) ? body : []).map((one) => String(Object(one)[name])).filter(isId)
  if (path === '/api/products') return getIds('productId').map((id) => `/api/product/${id}`)
  if (path === '/api/services') return getIds('service_id').map((id) => `/api/service/${id}`)
  if (!path.startsWith('/api/service/') || !isObject(body)) return []
  const id = path.slice('/api/service/'.length)
  const { product_type, status } = body
  const isRotating = product_type === 'ppr'
  return [
    `/api/networkstatus/errors/${id}`, // shows whether the service has a client
    ...(status === 'Active' ? [`/api/iplist/${isRotating ? 'ppr-http' : 'http-auth'}/json/${id}`] : []),
    ...(isRotating ? ['stats', 'rate', 'sticky/list'].map((name) => `/api/${name}/${id}`) : []),
  ]
}
