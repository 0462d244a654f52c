import { getInterpretation, type Interpretations } from '../world/World.ts'
import { ContractError } from './ContractError.ts'

/** Interpretations by assumption. The condition holds in a world with all of them. */
export type Condition = Readonly<Record<string, string | number>>

/** Whether a condition holds in a world. An undefined condition never holds. */
export function holds(condition: Condition | undefined, world: Interpretations): boolean {
  return (
    condition !== undefined &&
    Object.entries(condition).every(
      ([assumption, interpretation]) => getInterpretation(world, assumption) === interpretation,
    )
  )
}

/** Reads a condition from the contract. @throws ContractError */
export function readCondition(value: unknown, assumptions: readonly string[]): Condition | undefined {
  const unknown = Object.keys(value ?? {}).find((id) => !assumptions.includes(id))
  if (unknown === undefined) return value as Condition | undefined
  throw new ContractError(
    `a condition refers to the assumption ${JSON.stringify(unknown)}, which \`x-assumptions\` doesn't define.`,
  )
}
