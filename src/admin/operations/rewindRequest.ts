import type { AdminOperation } from '../AdminOperation.ts'
import { findRecord, outOfReach } from '../findRecord.ts'

export const rewindRequest: AdminOperation<'rewindRequest'> = async ({ path, query }, simulation) => {
  const record = await findRecord(simulation, path.id, query.account)
  const { account, birth, version } = record.raw
  if (account === null || version === null) throw await outOfReach(simulation, record)
  const rewound = await simulation.store.rewind(account, birth, version)
  if (rewound === undefined) throw await outOfReach(simulation, record)
  return { status: 200, body: { account, version: rewound } }
}
