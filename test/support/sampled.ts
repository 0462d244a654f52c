/**
 * The number of cases to try: an eighth of them while you work, all of them in CI (`CI` is set there, and by `.ci/run`). For tests that
 * try many similar cases and take long.
 */
export function sampled(count: number): number {
  return isThorough ? count : Math.ceil(count / 8)
}

/** All items in CI, otherwise every eighth. */
export function sampledItems<T>(items: readonly T[]): T[] {
  return items.filter((_, i) => isThorough || i % 8 === 0)
}

const isThorough = (process.env['CI'] ?? '') !== ''
