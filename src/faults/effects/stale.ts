import type { FaultEffect } from './FaultEffect.ts'

export interface StaleFault {
  /** Number of changes by requests that the records lag behind, 1 to 100. Only for read operations */
  stale?: number
}

/** Responds with earlier records, like a read replica that lags behind. */
export const stale: FaultEffect<number> = {
  schema: ({ integer }) =>
    integer(1, 100).describe(
      'Number of changes by which responses of read operations lag behind. Only changes by requests count.',
    ),
  description: (changes) =>
    `responds with the records of ${changes === 1 ? 'one change' : `${changes} changes`} ago`,
  flags: [
    {
      flag: '--stale <n>',
      description:
        'respond with the records from before the last n changes by requests (read operations only)',
      range: [1, 100],
    },
  ],
  excludes: ['respond', 'drop'],
  issue: (_changes, operations, operation) =>
    operations.some(({ changesState }) => !changesState)
      ? undefined
      : `${operation} changes state, so it has no stale response. Use a read operation, or * for all of them. To lose the response of ${operation}, use phase "after" with drop`,
  changesBehind: (changes) => changes,
}
