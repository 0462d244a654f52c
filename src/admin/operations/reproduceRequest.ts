import { reproduce } from '../../scenario/reproduce.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findRecord, outOfReach } from '../findRecord.ts'

export const reproduceRequest: AdminOperation<'reproduceRequest'> = async (
  { path, query, accept, origin },
  simulation,
) => {
  const { store } = simulation
  const record = findRecord(simulation, path.id, query.account)
  const { account, birth, version, raw } = record
  if (!raw)
    throw new AdminError(
      409,
      `Request ${record.id} cannot be reproduced: its body was too long to be kept whole.`,
    )
  const world = account === null || version === null ? undefined : store.worldAt(account, birth, version)
  if (account !== null && !world) throw outOfReach(simulation, record)
  const worlds = account !== null && world ? { [account]: world } : store.state.accounts
  const { scenario, curl } = reproduce(raw, worlds, origin)
  if (!/\byaml\b/i.test(accept)) return { status: 200, body: { scenario: { ...scenario }, curl } }
  const { stringify } = await import('yaml')
  const text = stringify(
    { ...scenario, description: `${scenario.description} ${curl}` },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  )
  return { status: 200, type: 'application/yaml', text }
}
