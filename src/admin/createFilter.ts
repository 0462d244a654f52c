import type { Filtered } from '../journal/Journal.ts'
import { matches, simulatorCases, type EntryFilter } from '../journal/shownCase.ts'
import type { Simulation } from '../Simulation.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { unknownName } from '../lib/nearest.ts'
import { requireNoIssues } from './AdminError.ts'
import { findAccount } from './findAccount.ts'

/** A filter for the journal. Records must match every field that is set. */
export interface Filter extends EntryFilter {
  account?: string
}

/** Creates a predicate for records of the journal. @throws AdminError 400 for an unknown name, 404 for an unknown account */
export async function createFilter(
  simulation: Simulation,
  filter: Filter,
): Promise<(record: Filtered) => boolean> {
  const { contract } = simulation
  const { operation, case: caseName, account } = filter
  const operations = contract.operations.map(({ operationId }) => operationId)
  const cases = new Set([
    ...contract.operations.flatMap((one) => one.cases.map(({ name }) => name)),
    ...simulatorCases,
  ])
  const issues = [
    ...unknownNameIssues('operation', operation, operations),
    ...unknownNameIssues('case', caseName, [...cases].toSorted()),
  ]
  requireNoIssues('The filter is invalid.', issues)
  if (account !== undefined) await findAccount(simulation, account)
  return (record) => matches(filter, record) && (account === undefined || record.account === account)
}

function unknownNameIssues(kind: string, name: string | undefined, known: readonly string[]): PathIssue[] {
  if (name === undefined || known.includes(name)) return []
  return [{ path: [kind], message: unknownName(kind, name, known) }]
}
