import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Interpretations, World } from '../world/World.ts'
import { getInterpretation } from '../world/World.ts'

/** An assumption with its value in the accounts, and whether a client relied on it. */
export interface AssumptionUse extends Assumption {
  /** Undefined if the accounts have different values */
  value: string | number | undefined
  /** Whether it is confirmed in all accounts */
  confirmed: boolean
  /** Whether an operation that it affects was called with valid credentials */
  used: boolean
}

/** All assumptions with their values in these accounts. @param called the operations that were called with valid credentials */
export function assumptionUses(
  { assumptions }: Contract,
  worlds: readonly (Interpretations & Pick<World, 'confirmed'>)[],
  called: ReadonlySet<string>,
): AssumptionUse[] {
  return assumptions.map((assumption) => {
    const values = new Set(worlds.map((world) => getInterpretation(world, assumption.id)))
    return {
      ...assumption,
      value: values.size === 1 ? [...values][0] : undefined,
      confirmed: worlds.length > 0 && worlds.every(({ confirmed }) => confirmed.includes(assumption.id)),
      used: assumption.operations.some((operation) => called.has(operation)),
    }
  })
}
