import type { CoverageReport } from '../lib/types.ts'

export type Operation = CoverageReport['operations'][number]

export type Outcome = Operation['responses'][number]

/** One answer that the contract gives an operation. */
export interface Cell {
  operation: Operation
  outcome: Outcome
}

/** What belongs to all operations, as a row of its own. */
export function rowsOf({ authentication, operations }: CoverageReport): Operation[] {
  const row = { operation: 'authentication', method: '', path: '', responses: authentication }
  return authentication.length ? [row, ...operations] : operations
}
