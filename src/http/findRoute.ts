import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { RequestHead } from './Wire.ts'

/** The route of a request: its operation and path parameters. */
export interface Route {
  /** The path without the query, percent-encoded */
  pathname: string
  /** The query without the `?` */
  query: string | undefined
  operation: ContractOperation | undefined
  /** The methods of the path, if the contract has the path but not the method */
  allow: readonly string[] | undefined
  /** Path parameters */
  parameters: Record<string, string>
}

export function findRoute(contract: Contract, { method, url }: RequestHead): Route {
  const queryStart = url.indexOf('?')
  const pathname = queryStart < 0 ? url : url.slice(0, queryStart)
  const match = contract.match(method, pathname)
  const routed = match && 'operation' in match ? match : undefined
  return {
    pathname,
    query: queryStart < 0 ? undefined : url.slice(queryStart + 1),
    operation: routed?.operation,
    allow: match && 'allow' in match ? match.allow : undefined,
    parameters: routed?.path ?? {},
  }
}
