import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import type { Trial } from './trial.ts'

/** One way to read the documentation where it leaves something open. */
export interface Reading {
  /** Id of the assumption */
  assumption: string
  value: string | number
  meaning: string
  /** The operations that it touches */
  operations: readonly string[]
}

export type ReadingVerdict =
  | 'survives'
  | 'fails'
  /** It succeeded, but never asked what the reading is about: that tells nothing. */
  | 'not asked'

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

/** `productSort=desc`; undefined: as the scenario has it, which is the default of each unless it says otherwise */
export function nameOf(reading: Reading | undefined): string {
  return reading ? `${reading.assumption}=${reading.value}` : 'default'
}

/** What a run says of a reading. */
export function judgeReading(
  reading: Reading | undefined,
  { exitCode, timedOut, seen }: Trial,
): ReadingVerdict {
  if (exitCode !== 0 || timedOut) return 'fails'
  const asked = seen.coverage.operations
    .filter(({ responses }) => responses.some(({ hits }) => hits > 0))
    .map(({ operation }) => operation)
  const isAsked = reading
    ? reading.operations.some((operation) => asked.includes(operation))
    : seen.requests > 0
  return isAsked ? 'survives' : 'not asked'
}

function isNamed(reading: Reading, name: string): boolean {
  return name === reading.assumption || name === nameOf(reading)
}
