/**
 * The number of cases to try: an eighth of them while you work, all of them in CI (`CI` is set there, and by `.ci/run`). For tests that
 * try many similar cases and take long.
 */
export function sampled(count: number): number {
  return isThorough ? count : Math.ceil(count / 8)
}

const isThorough = (process.env['CI'] ?? '') !== ''
