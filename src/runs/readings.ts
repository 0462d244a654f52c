import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../lib/UserError.ts'
import { noSuch } from '../world/nearest.ts'
import type { Observed } from './runAgainstSimulator.ts'

/** A possible reading of something the documentation leaves open. */
export interface Reading {
  /** Id of the assumption */
  assumption: string
  value: string | number
  meaning: string
  /** The operations that it affects */
  operations: readonly string[]
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
  const names = all.flatMap((reading) => [reading.assumption, nameOf(reading)])
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(noSuch('reading', unknown, [...new Set(names)]))
  return all.filter(
    (reading) =>
      only.length === 0 || only.some((name) => [reading.assumption, nameOf(reading)].includes(name)),
  )
}

/** `productSort=desc`, or `default`: the scenario's own readings */
export function nameOf(reading?: { assumption: string | null; value: string | number | null }): string {
  return reading?.assumption ? `${reading.assumption}=${reading.value}` : 'default'
}

export function judgeReading(
  reading: Reading | undefined,
  { exitCode, timedOut, seen }: Pick<Observed, 'exitCode' | 'timedOut' | 'seen'>,
): ReadingVerdict {
  if (exitCode !== 0 || timedOut) return 'fails'
  const isAsked = reading
    ? reading.operations.some((operation) => seen.isAsked(operation))
    : seen.requests > 0
  return isAsked ? 'survives' : 'not asked'
}
