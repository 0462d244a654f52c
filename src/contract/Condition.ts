import { readingOf, type Readings } from '../world/readingOf.ts'
import { ContractError } from './ContractError.ts'

/** Readings by assumption. It holds in a world that has them all. */
export type Condition = Readonly<Record<string, string | number>>

/** Whether a condition holds in a world; one that is not there never does. */
export function holds(condition: Condition | undefined, world: Readings): boolean {
  return (
    condition !== undefined &&
    Object.entries(condition).every(([assumption, reading]) => readingOf(world, assumption) === reading)
  )
}

/** Reads a condition out of the contract; nothing where there is none. @throws ContractError */
export function readCondition<Name extends string>(
  name: Name,
  value: unknown,
  assumptions: readonly string[],
): { [N in Name]?: Condition } {
  if (value === undefined) return {}
  const unknown = Object.keys(value as Condition).find((id) => !assumptions.includes(id))
  if (unknown !== undefined)
    throw new ContractError(
      `a condition names the assumption ${JSON.stringify(unknown)}, which is not among \`x-assumptions\``,
    )
  return { [name]: value } as { [N in Name]?: Condition }
}
