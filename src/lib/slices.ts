import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which other requests are handled. A step that is running then still ends first. */
const maxSlice = 10

/** A long computation that can pause where it yields. */
export type Steps<T> = Generator<unknown, T>

export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs a computation, and lets other requests be handled before it, in between and after it. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextTurn()
    const end = performance.now() + maxSlice
    do {
      const { done, value } = steps.next()
      if (!done) continue
      await nextTurn()
      return value
    } while (performance.now() < end)
  }
}

/** Collects the items of a computation, up to a number at which it stops. */
export function* collect<T>(parts: Iterable<readonly T[]>, max: number): Steps<T[]> {
  const items: T[] = []
  for (const part of parts) {
    items.push(...part)
    if (items.length >= max) break
    yield
  }
  return items
}
