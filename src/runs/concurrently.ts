/**
 * Maps items concurrently, in order. As soon as one result is undefined or an error, no further items are started.
 * @returns the results that are there
 */
export async function concurrently<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const done: R[] = []
  let next = 0
  let isBroken = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !isBroken) {
      const at = next++
      const result = await work(items[at] as T).catch((error: unknown) => {
        isBroken = true
        throw error
      })
      if (result === undefined) isBroken = true
      else done[at] = result
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(jobs, items.length) }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return done.filter((result) => result !== undefined)
}
