import { setImmediate as turn } from 'node:timers/promises'
import type { Steps } from '../world/Steps.ts'

/** Milliseconds that everybody else may have to wait */
const longest = 10

/** Does long work with others' work in between. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < longest) continue
    await turn()
    began = performance.now()
  }
}
