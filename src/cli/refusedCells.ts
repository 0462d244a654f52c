import type { RefusedRequest } from '../journal/RefusedRequests.ts'

/** Returns the table cells of a refused request: status, call, host and reason. */
export function refusedCells({ method, path, host, status, reason }: RefusedRequest): string[] {
  const call = method === null && path === null ? '(unreadable)' : `${method} ${path}`
  return [String(status ?? 'closed'), call, host ?? '-', reason]
}
