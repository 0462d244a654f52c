import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../world/Steps.ts'

/** Maximum milliseconds of work between yields */
const longest = 10

/** Runs long work, yielding to others in between. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < longest) continue
    await nextTurn()
    began = performance.now()
  }
}
