import { StorageError, TooManyAccounts } from '../storage/StorageError.ts'
import { describeIssue, ScenarioError } from '../scenario/ScenarioError.ts'
import { UnknownScenario } from '../scenario/NameIndex.ts'
import { AdminError } from './AdminError.ts'

/** The one place that turns what was thrown into an answer; undefined: it is a bug of ours. */
export function errorAnswer(error: unknown): { status: number; body: object } | undefined {
  if (error instanceof AdminError) {
    const { status, message, details } = error
    return { status, body: { error: message, ...(details && { details }) } }
  }
  if (error instanceof ScenarioError) {
    const { issues } = error
    const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
    const first = issues[0] ? describeIssue(issues[0]) : error.message
    return { status: 400, body: { error: `The scenario is wrong. ${first}${rest}`, details: issues } }
  }
  if (error instanceof UnknownScenario) return { status: 404, body: { error: error.message } }
  if (error instanceof TooManyAccounts) return { status: 409, body: { error: error.message } }
  if (error instanceof StorageError) return { status: 503, body: { error: error.message } }
  return undefined
}
