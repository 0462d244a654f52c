import type { Contract, ContractOperation } from '../contract/Contract.ts'

/** Finds where the API's own path begins: a real service may be mounted below a prefix. */
export function placeOf(
  pathname: string,
  method: string,
  contract: Contract,
): { operation: ContractOperation; path: Record<string, string>; start: number } | string | undefined {
  let otherMethod: string | undefined
  for (let start = pathname.indexOf('/'); start >= 0; start = pathname.indexOf('/', start + 1)) {
    const match = contract.match(method, pathname.slice(start))
    if (match && 'operation' in match && match.operation.method === method) return { ...match, start }
    if (match) otherMethod = 'a method that this path does not support'
  }
  return otherMethod
}
