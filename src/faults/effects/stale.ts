import type { FaultEffect } from './FaultEffect.ts'

export interface StaleFault {
  /** How many changes by requests the records are behind, 1 to 100. Only for operations that read */
  stale?: number
}

/** Makes the response of earlier records, as a read replica that lags behind does. */
export const stale: FaultEffect<number> = {
  schema: ({ whole }) =>
    whole('a number of changes (1 to 100)', 1, 100).describe(
      'Operations that read respond with the records as they were this many changes by requests ago.',
    ),
  description: (changes) => `responds as ${changes === 1 ? 'one change' : `${changes} changes`} ago`,
  flags: [
    {
      flag: '--stale <n>',
      description: 'respond with the records as they were n changes by requests ago (operations that read)',
      isNumber: true,
    },
  ],
  excludes: ['respond', 'drop'],
  issue: (_changes, operations, operation) =>
    operations.some(({ changesState }) => !changesState)
      ? undefined
      : `${operation} changes state, so it has no stale response. Use an operation that reads, or * for all of them; to lose the response of ${operation}, use phase "after" with drop`,
  changesBehind: (changes) => changes,
}
