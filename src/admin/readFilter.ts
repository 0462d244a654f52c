import type { JournalRecord } from '../journal/Journal.ts'
import type { Simulation } from '../Simulation.ts'
import type { Issue } from '../Issue.ts'
import { wrongInput } from './AdminError.ts'
import { findAccount } from './findAccount.ts'
import { unknownName } from './unknownName.ts'

/** What of the journal is asked for; what is left out lets everything through. */
export interface Filter {
  operation?: string
  /** A status, or a class of them: `4xx` */
  status?: string | number
  case?: string
  account?: string
}

/** Cases that come from HTTP and from us, not from the contract. */
const ownCases = ['not-found', 'method-not-allowed', 'bad-request', 'contract-violation', 'storage-failed']

/** Whether an entry of the journal is asked for. @throws AdminError 400 for a name that can't be, 404 for an account */
export async function readFilter(
  simulation: Simulation,
  filter: Filter,
): Promise<(record: JournalRecord) => boolean> {
  const { contract, store } = simulation
  const { operation, status, case: caseName, account } = filter
  const operations = contract.operations.map(({ operationId }) => operationId)
  const cases = new Set([
    ...contract.operations.flatMap((one) => one.cases.map(({ name }) => name)),
    ...ownCases,
  ])
  const wrong = [
    ...unknown('operation', operation, operations),
    ...unknown('case', caseName, [...cases].toSorted()),
  ]
  if (wrong.length) throw wrongInput('The filter is wrong.', wrong)
  // An account that is gone may still stand in the journal.
  if (
    account !== undefined &&
    !(await store.world(account)) &&
    !(await store.observations()).journal.records.some((one) => one.account === account)
  )
    await findAccount(simulation, account)
  const wanted = status === undefined ? undefined : String(status).replaceAll('x', '')
  return (record) =>
    (operation === undefined || record.operation === operation) &&
    (wanted === undefined || String(record.status ?? '').startsWith(wanted)) &&
    (caseName === undefined || record.case === caseName) &&
    (account === undefined || record.account === account)
}

function unknown(kind: string, name: string | undefined, known: readonly string[]): Issue[] {
  if (name === undefined || known.includes(name)) return []
  return [{ path: kind, message: unknownName(kind, name, known) }]
}

/** The entries that are asked for, the newest first. */
export async function select(
  simulation: Simulation,
  filter: Filter,
  limit: string | undefined,
): Promise<{
  total: number
  found: JournalRecord[]
  dropped: number
}> {
  const fits = await readFilter(simulation, filter)
  const { journal } = await simulation.store.observations()
  const all = journal.records.filter(fits).toReversed()
  return {
    total: all.length,
    found: limit === undefined ? all : all.slice(0, Number(limit)),
    dropped: journal.dropped,
  }
}
