import type { FaultEffect } from './FaultEffect.ts'

// Bound now, as tests may replace the global ones; the dashboard imports this file, so it can't use `node:timers`.
const { clearTimeout, setTimeout } = globalThis

export interface DelayFault {
  /** Milliseconds of real time, 0 to 600,000 */
  delay?: number
}

const phrase = 'a delay in milliseconds (0 to 600000)'

/** Delays the request in real time. */
export const delay: FaultEffect<number> = {
  schema: ({ between }) => between(phrase, 0, 600_000).describe('Milliseconds of real time.'),
  description: (milliseconds) => `waits ${milliseconds} ms`,
  flags: [
    {
      flag: '--delay <ms>',
      description: 'wait this many milliseconds before responding',
      range: [0, 600_000],
    },
  ],
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    }),
  duration: (milliseconds) => milliseconds,
}
