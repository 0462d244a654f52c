/** Work that yields after each step, so that the caller can let others run. */
export type Steps<T> = Generator<undefined, T>

/** Runs all steps without a pause. */
export function runSync<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
