/** Filters for entries and records. A missing field matches everything. */
export interface EntryFilter {
  operation?: string | undefined
  /** A status such as `422`, or a class such as `4xx` */
  status?: string | number | undefined
  case?: string | undefined
}

interface AnsweredRequest {
  case: string | null
  forced: boolean
  status: number | null
}

/** The value of `Sim-Case` for an error without a case */
export const forcedCase = 'forced'

/** Cases that don't come from the contract */
export const simulatorCases = [
  'not-found',
  'method-not-allowed',
  'bad-request',
  'contract-violation',
  'storage-failed',
  'too-many-requests',
  'override-failed',
  forcedCase,
] as const

/** The case in `Sim-Case`. A custom error of a fault has no case of its own. */
export function shownCase({ case: name, forced, status }: AnsweredRequest): string | null {
  return name ?? (forced && status !== null && status >= 400 ? forcedCase : null)
}

export function matches(
  { operation, status, case: name }: EntryFilter,
  request: AnsweredRequest & { operation: string | null },
): boolean {
  return (
    (operation === undefined || request.operation === operation) &&
    (status === undefined || String(request.status ?? '').startsWith(String(status).replaceAll('x', ''))) &&
    (name === undefined || shownCase(request) === name)
  )
}
