import type { RefusedRequest } from '../journal/RefusedRequests.ts'

/** Status, call, host and reason of a refused request. */
export function refusedCells({ method, path, host, status, reason }: RefusedRequest): string[] {
  const call = method === null && path === null ? '(unreadable)' : `${method} ${path}`
  return [String(status ?? 'closed'), call, host ?? '-', reason]
}
