import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../world/Steps.ts'

/** Maximum milliseconds of work between yields */
const maxSlice = 10

/** Runs long work, yielding to others in between. */
export async function runAsync<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < maxSlice) continue
    await nextTurn()
    began = performance.now()
  }
}
