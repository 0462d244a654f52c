import type { JournalRecord } from '../journal/Journal.ts'
import { reproduceRecord } from '../scenario/reproduce.ts'
import type { Simulation } from '../Simulation.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { findAccount } from './findAccount.ts'
import { prefersYaml, yamlAnswer } from './yamlAnswer.ts'

export const rewindRequest: AdminOperation<'rewindRequest'> = async ({ path, query }, simulation) => {
  const record = await findRecord(simulation, path.id, query.account)
  const { account } = record.raw
  const rewound = await simulation.store.rewind(record.raw)
  if (account === null || rewound === undefined) throw await outOfReach(simulation, record)
  return { status: 200, body: { account, version: rewound } }
}

export const reproduceRequest: AdminOperation<'reproduceRequest'> = async (
  { path, query, accept, origin },
  simulation,
) => {
  const record = await findRecord(simulation, path.id, query.account)
  if (!record.isReproducible)
    throw new AdminError(
      409,
      `Request ${record.raw.id} cannot be reproduced: its body was too long or unreadable, or has a NUL character, which a command line can't hold.`,
    )
  const reproduced = await reproduceRecord(simulation.store, record, origin)
  if (!reproduced) throw await outOfReach(simulation, record)
  if (!prefersYaml(accept)) return { status: 200, body: reproduced }
  const { scenario, curl } = reproduced
  return yamlAnswer({ ...scenario, description: `${scenario.description} ${curl}` })
}

/**
 * The journal's record with an id.
 * @param account the account that it must belong to, if any
 * @throws AdminError 404
 */
async function findRecord(
  simulation: Simulation,
  id: string,
  account: string | undefined,
): Promise<JournalRecord> {
  if (account !== undefined) await findAccount(simulation, account)
  const { records, dropped } = (await simulation.store.observations()).journal
  const found = records.find((record) => String(record.raw.id) === id)
  if (found && (account === undefined || found.raw.account === account)) return found
  if (dropped > 0 && /^[1-9]\d*$/.test(id) && Number(id) < (records[0]?.raw.id ?? 0))
    throw new AdminError(
      409,
      `Request ${id} is no longer in the journal, so the history does not reach back to it; ${await reachWords(simulation, account)}.`,
    )
  const whose = account === undefined ? '' : ` of ${JSON.stringify(account)}`
  const own = records.filter((record) => account === undefined || record.raw.account === account)
  const [first, last] = [own[0]?.raw.id, own.at(-1)?.raw.id]
  const range = first === last ? first : `${first} to ${last}`
  const kept = own.length ? `it has ${range}` : 'it is empty'
  throw new AdminError(404, `There is no request ${JSON.stringify(id)}${whose} in the journal; ${kept}.`)
}

/** A 409, as the history doesn't reach back to a request. */
async function outOfReach(
  simulation: Simulation,
  { raw: { id, account, version } }: JournalRecord,
): Promise<AdminError> {
  return new AdminError(
    409,
    account === null || version === null
      ? `Request ${id} was refused before it reached an account, so there is no state to go back to.`
      : `The history of ${JSON.stringify(account)} does not reach back to request ${id}; ${await reachWords(simulation, account)}.`,
  )
}

/** The oldest request that can be rewound, of an account or of all. */
async function reachWords({ store }: Simulation, account: string | undefined): Promise<string> {
  const { records } = (await store.observations()).journal
  for (const { raw } of records) {
    if (raw.account === null || (account !== undefined && raw.account !== account)) continue
    if (await store.worldBefore(raw)) return `the oldest request that it reaches is ${raw.id}`
  }
  return 'it reaches none in the journal'
}
