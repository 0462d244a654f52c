import { reproduceRecord } from '../../scenario/reproduce.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findRecord, outOfReach } from '../findRecord.ts'

export const reproduceRequest: AdminOperation<'reproduceRequest'> = async (
  { path, query, accept, origin },
  simulation,
) => {
  const record = findRecord(simulation, path.id, query.account)
  if (!record.raw)
    throw new AdminError(
      409,
      `Request ${record.id} cannot be reproduced: its body was too long to be kept whole.`,
    )
  const reproduction = reproduceRecord(simulation.store, record, origin)
  if (!reproduction) throw outOfReach(simulation, record)
  const { scenario, curl } = reproduction
  if (!/\byaml\b/i.test(accept)) return { status: 200, body: { scenario: { ...scenario }, curl } }
  const { stringify } = await import('../../yaml.ts')
  const text = stringify(
    { ...scenario, description: `${scenario.description} ${curl}` },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  )
  return { status: 200, type: 'application/yaml', text }
}
