import type { Issue } from '../Issue.ts'

/** An error of the control plane: status, message, and the issues of invalid input. */
export class AdminError extends Error {
  readonly status: 400 | 404 | 409 | 429 | 503
  readonly details: readonly Issue[] | undefined

  constructor(status: 400 | 404 | 409 | 429 | 503, message: string, details?: readonly Issue[]) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** A 400 for invalid input, whose message includes the first issue. */
export function wrongInput(what: string, details: readonly Issue[]): AdminError {
  const [first] = details
  const rest = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const where = first?.path ? `${first.path}: ` : ''
  return new AdminError(400, first ? `${what} ${where}${first.message}${rest}` : what, details)
}
