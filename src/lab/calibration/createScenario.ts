import type { Contract } from '../../contract/Contract.ts'
import {
  checkScenario,
  exportAccount,
  type ScenarioDocument,
  mergePatch,
  omitUnknown,
  requiredFields,
  toIsoString,
  type World,
} from '../simulator.ts'
import type { Exchange } from './Exchange.ts'
import { login } from './Simulator.ts'

/**
 * Creates a valid scenario from a world at the start of a recording.
 * @returns the scenario, and the paths of the parts that it can't contain
 */
export function createScenario(
  world: World,
  exchanges: readonly Exchange[],
  contract: Contract,
): { scenario: ScenarioDocument; leftOut: string[] } {
  const leftOut = new Set<string>()
  const hasOrders = exchanges.some(({ operation }) => operation.costsMoney)
  const at = Math.floor(Math.min(...exchanges.map((one) => one.at)) / 1000) * 1000
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
