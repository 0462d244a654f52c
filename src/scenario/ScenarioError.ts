import type { Issue } from '../Issue.ts'
import { UserError } from '../UserError.ts'

/** A scenario that is refused whole. Its message is the list of mistakes, one a line. */
export class ScenarioError extends UserError {
  override readonly name = 'ScenarioError'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
  /** Each mistake, with its place in the file */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(describeIssue).join('\n'))
    this.issues = issues
  }
}

/** `file:line:column: path: message`, as editors and terminals understand it. */
export function describeIssue({ file, line, column, path, message }: Issue): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return `${place}: ${path ? `${path}: ` : ''}${message}`
}
