import { isReproducible, type JournalRecord } from '../journal/JournalRecord.ts'
import { reproduceRecord } from '../reproduce.ts'
import type { Simulation } from '../Simulation.ts'
import { AdminError } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { toLoadableJson } from '../scenario/bounds.ts'
import { prefersYaml, refusingTooLarge, yamlResponse } from './TextResponse.ts'
import { findAccount } from './findAccount.ts'

export const rewindRequest: AdminOperation<'rewindRequest'> = async ({ path, query }, simulation) => {
  const record = await findRecord(simulation, path.id, query.account)
  const { account } = record
  const version = await simulation.store.rewind(record)
  if (account === null || version === undefined) throw await outOfReach(simulation, record)
  return { account, version }
}

export const reproduceRequest: AdminOperation<'reproduceRequest'> = async (
  { path, query, accept, origin },
  simulation,
) => {
  const record = await findRecord(simulation, path.id, query.account)
  if (!isReproducible(record))
    throw new AdminError(
      409,
      `Request ${record.id} cannot be reproduced: its body was too long or unreadable, or contains a NUL character, which a command line can't hold.`,
    )
  const reproduced = await reproduceRecord(simulation.store, record, origin)
  if (!reproduced) throw await outOfReach(simulation, record)
  const { scenario, curl } = reproduced
  if (!prefersYaml(accept)) {
    await refusingTooLarge(() => toLoadableJson(scenario))
    return reproduced
  }
  return yamlResponse({ ...scenario, description: `${scenario.description} ${curl}` })
}

/** Finds a record in the journal, optionally of one account. @throws AdminError 404, or 409 if it was dropped */
async function findRecord(simulation: Simulation, id: string, account?: string): Promise<JournalRecord> {
  if (account !== undefined) await findAccount(simulation, account)
  const { records, dropped } = await simulation.store.journal()
  const matching = records.filter((one) => account === undefined || one.account === account)
  const found = matching.find((one) => String(one.id) === id)
  if (found) return found
  if (dropped > 0 && Number(id) > 0 && Number(id) < (records[0]?.id ?? 0))
    throw await tooOld(simulation, `Request ${id} is no longer in the journal.`, account)
  const [first, last] = [matching[0]?.id, matching.at(-1)?.id]
  const range =
    first === undefined ? 'It is empty.' : `It has ${first === last ? first : `${first} to ${last}`}.`
  const ofAccount = account === undefined ? '' : ` of ${JSON.stringify(account)}`
  throw new AdminError(404, `No request ${id}${ofAccount} in the journal. ${range}`)
}

/** Creates a 409 for a request that is too old to rewind to, or that never reached an account. */
async function outOfReach(simulation: Simulation, record: JournalRecord): Promise<AdminError> {
  const { id, account, version } = record
  if (account !== null && version !== null) {
    const problem = `The history of ${JSON.stringify(account)} does not reach back to request ${id}.`
    return tooOld(simulation, problem, account)
  }
  return new AdminError(
    409,
    `Request ${id} was refused before it reached an account, so there is no state to go back to.`,
  )
}

/** Creates a 409 that names the oldest request that can be rewound. */
async function tooOld({ store }: Simulation, problem: string, account?: string): Promise<AdminError> {
  const { records } = await store.journal()
  const candidates = records.filter((one) => one.account !== null && one.account === (account ?? one.account))
  for (const record of candidates)
    if (await store.worldBefore(record))
      return new AdminError(409, `${problem} The oldest request that can be rewound is ${record.id}.`)
  return new AdminError(
    409,
    `${problem} The oldest request that can be rewound is none: the history starts over when a state is loaded or restored. Run the client again first.`,
  )
}
