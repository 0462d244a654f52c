import type { Issue } from '../lib/Issue.ts'
import type { PathIssue } from '../world/invariants.ts'

/** An error of the control plane: status, message, and the issues of invalid input. */
export class AdminError extends Error {
  readonly status: 400 | 404 | 405 | 409 | 503
  readonly details: readonly Issue[] | undefined

  constructor(status: AdminError['status'], message: string, details?: readonly Issue[]) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** A 400 for invalid input, whose message includes the first issue. */
export function wrongInput(what: string, details: readonly Issue[]): AdminError {
  const [first] = details
  const where = first?.path ? `${first.path}: ` : ''
  return new AdminError(400, first ? `${what} ${where}${first.message}${andMore(details)}` : what, details)
}

/** @throws AdminError 400 if there are issues */
export function requireRight(what: string, issues: readonly PathIssue[]): void {
  const details = issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  if (details.length) throw wrongInput(what, details)
}

/** ` (and 2 more)`, after the first of several issues. */
export function andMore({ length }: readonly Issue[]): string {
  return length > 1 ? ` (and ${length - 1} more)` : ''
}
