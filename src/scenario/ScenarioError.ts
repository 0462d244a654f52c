import { withPath, type Issue } from '../lib/Issue.ts'
import { UserError } from '../lib/UserError.ts'

/** Used instead of a file name for a scenario that was sent to the control plane */
export const postedName = '(posted)'

/** An invalid scenario. The message lists its issues, one per line. */
export class ScenarioError extends UserError {
  override readonly name = 'ScenarioError'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
  /** Each issue, with its location in the file */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(describeIssue).join('\n'))
    this.issues = issues
  }
}

/** `file:line:column: path: message`, a format that editors and terminals recognize. */
export function describeIssue(issue: Issue): string {
  const { file, line, column } = issue
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return `${place}: ${withPath(issue)}`
}
