import type { JournalRecord } from '../journal/Journal.ts'
import type { Simulation } from '../Simulation.ts'
import { AdminError } from './AdminError.ts'
import { findAccount } from './findAccount.ts'

/**
 * The journal's record with an id.
 * @param account the account that it must belong to, if any
 * @throws AdminError 404
 */
export async function findRecord(
  simulation: Simulation,
  id: string,
  account: string | undefined,
): Promise<JournalRecord> {
  if (account !== undefined) await findAccount(simulation, account)
  const { records } = (await simulation.store.observations()).journal
  const found = records.find((record) => String(record.id) === id)
  if (found && (account === undefined || found.account === account)) return found
  const whose = account === undefined ? '' : ` of ${JSON.stringify(account)}`
  const own = records.filter((record) => account === undefined || record.account === account)
  const [first, last] = [own[0]?.id, own.at(-1)?.id]
  const range = first === last ? first : `${first} to ${last}`
  const kept = own.length ? `it has ${range}` : 'it is empty'
  throw new AdminError(404, `There is no request ${JSON.stringify(id)}${whose} in the journal; ${kept}.`)
}

/** A 409, as the history doesn't reach back to a request. */
export async function outOfReach(
  { store }: Simulation,
  { id, account, version }: JournalRecord,
): Promise<AdminError> {
  if (account === null || version === null)
    return new AdminError(
      409,
      `Request ${id} was refused before it reached an account, so there is no state to go back to.`,
    )
  const { birth, oldest } = (await store.rewindRange(account)) ?? { birth: -1, oldest: Infinity }
  const reached = (await store.observations()).journal.records.find(
    (record) => record.account === account && record.birth === birth && (record.version ?? -1) >= oldest,
  )
  return new AdminError(
    409,
    `The history of ${JSON.stringify(account)} does not reach back to request ${id}; ${
      reached ? `the oldest request that it reaches is ${reached.id}` : 'it reaches none in the journal'
    }.`,
  )
}
