import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import { didYouMean } from '../world/nearest.ts'
import type { Trial } from './trial.ts'

/** A possible reading of something the documentation leaves open. */
export interface Reading {
  /** Id of the assumption */
  assumption: string
  value: string | number
  meaning: string
  /** The operations that it affects */
  operations: readonly string[]
}

/** The same as reports have it; null: the scenario's own */
interface TriedReading {
  assumption: string | null
  value: string | number | null
}

export type ReadingVerdict =
  | 'survives'
  | 'fails'
  /** It exited with 0, but never called an operation that the reading affects: this proves nothing. */
  | 'not asked'

/** All readings except the current ones. `only`: ids (`geo`) or readings (`geo=object`). @throws UserError */
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
  const names = all.map(nameOf)
  for (const name of only)
    if (!all.some((reading) => isNamed(reading, name))) {
      const near = didYouMean(name, [...assumptions.map(({ id }) => id), ...names]) || '.'
      throw new UserError(
        `There is no reading ${JSON.stringify(name)} to try${near} There are: ${names.join(', ')}.`,
      )
    }
  return only.length ? all.filter((reading) => only.some((name) => isNamed(reading, name))) : all
}

/** `productSort=desc`, or `default`: the scenario's own readings */
export function nameOf(reading: TriedReading | undefined): string {
  return reading?.assumption ? `${reading.assumption}=${reading.value}` : 'default'
}

export function judgeReading(
  reading: Reading | undefined,
  { exitCode, timedOut, seen }: Trial,
): ReadingVerdict {
  if (exitCode !== 0 || timedOut) return 'fails'
  const isAsked = reading
    ? reading.operations.some((operation) => seen.isAsked(operation))
    : seen.requests > 0
  return isAsked ? 'survives' : 'not asked'
}

function isNamed(reading: Reading, name: string): boolean {
  return name === reading.assumption || name === nameOf(reading)
}
