import type { Contract } from '../../contract/Contract.ts'
import {
  checkScenario,
  exportAccount,
  type ScenarioDocument,
  mergePatch,
  toIsoString,
  type Instant,
  type World,
} from '../simulator.ts'
import { omitUnknown } from './service/applyFacts.ts'
import { requiredFields } from './service/fields.ts'
import { login } from './Simulator.ts'

/**
 * Creates a valid scenario from a world.
 * @param hasOrders whether the recording has calls that cost money
 * @returns the scenario, and the paths of the parts that it can't contain
 */
export function createScenario(
  world: World,
  at: Instant,
  contract: Contract,
  hasOrders: boolean,
): { scenario: ScenarioDocument; leftOut: string[] } {
  const leftOut = new Set<string>()
  const { seed: _, tokens: __, faults: ___, clock: ____, ...account } = exportAccount(world, at)
  let document: ScenarioDocument = {
    description: 'The state of the real service when the recording (or its longest part) began.',
    clock: toIsoString(at),
    accounts: { [login]: omitUnknown(account, hasOrders) },
  }
  // Records of the real service that our world can't contain are left out.
  for (let round = 0; round < 20; round++) {
    const issues = checkScenario(document, contract.operations)
    if (issues.length === 0) break
    for (const { path } of issues) {
      // If a required field is invalid, the whole record is removed; otherwise only the field.
      const removed = path.slice(0, requiredFields.includes(String(path[4])) ? 4 : 5)
      leftOut.add(removed.slice(2).join('.'))
      const patch = removed.reduceRight<unknown>((below, key) => ({ [key]: below }), null)
      document = mergePatch(document, patch) as ScenarioDocument
    }
  }
  return { scenario: document, leftOut: [...leftOut] }
}
