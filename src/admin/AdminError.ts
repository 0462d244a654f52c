import { withPath, type Issue } from '../lib/Issue.ts'
import { unknownName } from '../lib/nearest.ts'
import { type PathIssue, pathText } from '../lib/PathIssue.ts'

/** An error response of the control plane. */
export class AdminError extends Error {
  readonly status: 400 | 404 | 405 | 408 | 409 | 413 | 500 | 503
  /** Further fields of the body: the issues of invalid input, or the number of requests that arrived in time */
  readonly fields: { details?: readonly Issue[]; total?: number }

  constructor(status: AdminError['status'], message: string, fields: AdminError['fields'] = {}) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** Maximum number of issues in a response. A check may stop after more than these, so there may be even more issues. */
const maxDetails = 50

/** Creates a 400 for invalid input. The message includes the first issue. */
export function invalidInput(problem: string, issues: readonly PathIssue[]): AdminError {
  const details = issues.slice(0, maxDetails).map(({ path, message }) => ({ path: pathText(path), message }))
  const [first = { path: '', message: '' }] = details
  return new AdminError(400, `${problem} ${withPath(first)}${countFurther(issues)}`, { details })
}

/** @throws AdminError 400 if there are issues */
export function requireNoIssues(problem: string, issues: readonly PathIssue[]): void {
  if (issues.length) throw invalidInput(problem, issues)
}

/** Creates a 404 that suggests the closest name, or lists the existing ones. */
export function notFound(kind: string, id: string, known: readonly (string | number)[]): AdminError {
  return new AdminError(404, unknownName(kind, id, known.map(String)))
}

/** Returns ` (and 2 more)`, to append to the first of several issues. */
export function countFurther({ length }: readonly unknown[]): string {
  const atLeast = length > maxDetails ? 'at least ' : ''
  return length > 1 ? ` (and ${atLeast}${length - 1} more)` : ''
}
