import type { FaultEffect } from './FaultEffect.ts'

export interface DelayFault {
  /** Milliseconds of real time, 0 to 600,000 */
  delay?: number
}

/** Delays the request in real time. */
export const delay: FaultEffect<number> = {
  schema: ({ between }) => between(0, 600_000).describe('Milliseconds of real time.'),
  description: (milliseconds) => `waits ${milliseconds} ms`,
  flags: [
    {
      flag: '--delay <ms>',
      description: 'wait this many milliseconds before responding',
      range: [0, 600_000],
    },
  ],
  isSlow: true,
  delay: (milliseconds) => milliseconds,
}
