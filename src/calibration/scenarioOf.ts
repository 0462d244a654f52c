import type { Contract } from '../contract/Contract.ts'
import { checkScenario } from '../scenario/checkScenario.ts'
import { exportAccount } from '../scenario/exportScenario.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { login } from './Simulator.ts'

/** The world as a scenario that is valid. */
export function scenarioOf(world: World, at: Instant, contract: Contract): ScenarioDocument {
  const { seed: _, tokens: __, faults: ___, clock: ____, ...account } = exportAccount(world, at)
  const document: ScenarioDocument = {
    description: 'What a recording of the real service shows, as it was at the beginning.',
    clock: instantOf(at),
    accounts: { [login]: account },
  }
  // The real service may have what our world can't: that is left out.
  for (let round = 0; round < 20; round++) {
    const issues = checkScenario(document, contract.operations)
    if (issues.length === 0) break
    for (const { path } of issues) drop(document as unknown as Record<string, unknown>, path)
  }
  return document
}

const requiredFields = ['client', 'product', 'product_type', 'price', 'productName', 'serviceid', 'status']

function drop(document: Record<string, unknown>, path: readonly (string | number)[]): void {
  // A required field that is wrong takes its record with it.
  const short = path.slice(0, requiredFields.includes(String(path[4])) ? 4 : 5)
  let node = document
  for (const key of short.slice(0, -1)) {
    if (typeof node[key] !== 'object' || node[key] === null) return
    node = node[key] as Record<string, unknown>
  }
  delete node[short.at(-1) as string]
}
