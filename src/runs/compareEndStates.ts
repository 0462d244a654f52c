/** What a client changed: `service 5001 bindedip` is now `203.0.113.10`, or there is another `new service {…}`. */
export interface Effect {
  subject: string
  value: string
  /** Whether it is a record that wasn't there before */
  isNew?: boolean
}

/** How the effects of two runs differ, a line each. */
export interface Difference {
  /** What only the expected run has */
  missing: string[]
  added: string[]
}

/** Compares effects and their counts in any order, without `ignored` subjects. */
export function compareEndStates(
  expected: readonly Effect[],
  actual: readonly Effect[],
  ignored: ReadonlySet<string> = new Set(),
): Difference {
  const found = surplus(expected, actual).filter(({ subject }) => !ignored.has(subject))
  return {
    missing: found.filter(({ count }) => count < 0).map(line),
    added: found.filter(({ count }) => count > 0).map(line),
  }
}

/** The subjects in which two runs that should be equal differ. */
export function unsteadySubjects(one: readonly Effect[], other: readonly Effect[]): Set<string> {
  return new Set(surplus(one, other).map(({ subject }) => subject))
}

/** Whether the second run made more equal records than the first: it ordered again. */
export function hasMoreRecords(expected: readonly Effect[], actual: readonly Effect[]): boolean {
  return surplus(expected, actual).some(({ isNew, count }) => isNew && count > 0)
}

interface Surplus extends Effect {
  /** How many more the second has; negative if it has fewer */
  count: number
}

/** The effects that one of two lists has more often, in any order. */
export function surplus(one: readonly Effect[], other: readonly Effect[]): Surplus[] {
  const found = new Map<string, Surplus>()
  for (const [effects, by] of [[one, -1] as const, [other, 1] as const])
    for (const effect of effects) {
      const key = JSON.stringify([effect.subject, effect.value])
      const known = found.get(key) ?? { ...effect, count: 0 }
      known.count += by
      found.set(key, known)
    }
  return [...found.values()].filter(({ count }) => count !== 0)
}

function line({ subject, value, count }: Surplus): string {
  const often = Math.abs(count)
  return `${subject}: ${value}${often === 1 ? '' : ` (${often} times)`}`
}
