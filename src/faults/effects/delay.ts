import { clearTimeout, setTimeout } from 'node:timers'
import type { FaultEffect } from './FaultEffect.ts'

const phrase = 'a delay in milliseconds (0 to 600000)'

/** Delays the request in real time. */
export const delay: FaultEffect<number> = {
  schema: ({ between }) => between(phrase, 0, 600_000).describe('Milliseconds of real time.'),
  words: (milliseconds) => `waits ${milliseconds} ms`,
  // The dashboard imports this file too, so it can't use `node:timers/promises`.
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
}
