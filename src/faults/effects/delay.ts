import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultEffect } from './FaultEffect.ts'

const phrase = 'a delay in milliseconds (0 to 600000)'

/** Delays the request in real time. */
export const delay: FaultEffect<number> = {
  schema: ({ between }) => between(phrase, 0, 600_000).describe('Milliseconds of real time.'),
  words: (milliseconds) => `waits ${milliseconds} ms`,
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
}
