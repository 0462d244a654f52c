import type { Issue } from '../Issue.ts'

/** A no of the control plane: the status, one line, and for wrong input each issue. */
export class AdminError extends Error {
  readonly status: 400 | 404 | 409 | 429 | 503
  readonly details: readonly Issue[] | undefined

  constructor(status: 400 | 404 | 409 | 429 | 503, message: string, details?: readonly Issue[]) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** 400: what is wrong in the input. The line that sums it up names the first mistake. */
export function wrongInput(what: string, details: readonly Issue[]): AdminError {
  const [first] = details
  const rest = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const where = first?.path ? `${first.path}: ` : ''
  return new AdminError(400, first ? `${what} ${where}${first.message}${rest}` : what, details)
}
