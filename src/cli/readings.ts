import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'

/** One way to read the documentation where it leaves something open. */
export interface Reading {
  /** Id of the assumption */
  assumption: string
  value: string | number
  meaning: string
  /** The operations that it touches */
  operations: readonly string[]
}

/** Every reading but those that hold already. `only`: ids (`geo`) or readings (`geo=object`). @throws UserError */
export function readingsOf(
  { assumptions }: Contract,
  holding: Readonly<Record<string, unknown>>,
  only: readonly string[],
): Reading[] {
  const all = assumptions.flatMap(({ id, default: usual, alternatives, meaning, operations }) =>
    [usual, ...alternatives]
      .filter((value) => value !== (holding[id] ?? usual))
      .map((value) => ({ assumption: id, value, meaning: meaning[value] ?? '', operations })),
  )
  for (const name of only)
    if (!all.some((reading) => isNamed(reading, name)))
      throw new UserError(
        `There is no reading ${JSON.stringify(name)} to try. There are: ${all.map(nameOf).join(', ')}.`,
      )
  return only.length ? all.filter((reading) => only.some((name) => isNamed(reading, name))) : all
}

/** `productSort=desc` */
export function nameOf({ assumption, value }: Reading): string {
  return `${assumption}=${value}`
}

function isNamed(reading: Reading, name: string): boolean {
  return name === reading.assumption || name === nameOf(reading)
}
