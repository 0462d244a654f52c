import { recordsInTurn, type Records } from '../../scenario/exportScenario.ts'
import { reproduceRecord, type Reproduction } from '../../scenario/reproduce.ts'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { jsonChunks } from '../../jsonChunks.ts'
import { AdminError } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findRecord, outOfReach } from '../findRecord.ts'
import { prefersYaml } from '../prefersYaml.ts'
import { yamlAnswer } from '../yamlAnswer.ts'

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
  const reproduced = async (records?: Records): Promise<Reproduction> => {
    const found = await reproduceRecord(simulation.store, record, origin, records)
    if (found) return found
    throw await outOfReach(simulation, record)
  }
  const inTurn = await reproduced(recordsInTurn)
  // reproduction → scenario → accounts → login → kind → record
  if (!prefersYaml(accept)) return { status: 200, pieces: jsonChunks(inTurn, 5) }
  const described = async (): Promise<ScenarioDocument> => {
    const { scenario, curl } = await reproduced()
    return { ...scenario, description: `${scenario.description} ${curl}` }
  }
  return yamlAnswer(inTurn.scenario.accounts, described, 0)
}
