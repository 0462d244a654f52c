import type { FaultEffect } from './FaultEffect.ts'

const phrase = 'a delay in milliseconds (0 to 600000)'

/** Delays the request in real time. */
export const delay: FaultEffect<number> = {
  schema: ({ between }) => between(phrase, 0, 600_000).describe('Milliseconds of real time.'),
  words: (milliseconds) => `waits ${milliseconds} ms`,
  wait: (milliseconds, signals) =>
    new Promise((resolve) => {
      // Signals outlive the delay, so a listener left behind would leak.
      const done = (): void => {
        clearTimeout(timer)
        for (const signal of signals) signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      for (const signal of signals) signal.addEventListener('abort', done)
      if (signals.some(({ aborted }) => aborted)) done()
    }),
}
