/** Work that pauses after each step, so that whoever runs it may let others have a turn. */
export type Steps<T> = Generator<undefined, T>

/** Does all of it at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
