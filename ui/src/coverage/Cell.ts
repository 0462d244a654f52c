import type { CoverageReport } from '../lib/types.ts'

export type Operation = CoverageReport['operations'][number]

export type Outcome = Operation['responses'][number]

/** One answer that the contract gives an operation. */
export interface Cell {
  operation: Operation
  outcome: Outcome
}
