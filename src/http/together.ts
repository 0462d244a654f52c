/**
 * Does in one go what came during one turn of the event loop, at its end: the first of a turn waits for the last.
 * Under load each piece of work then runs for all requests in a row, and finds its code in the processor's cache; and a
 * client that the first answer woke is awake for the others (docs/decisions/0015). A request that is alone waits for
 * nobody.
 */
export function together<T>(act: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const actOnAll = (): void => {
    const items = waiting
    waiting = []
    for (const item of items) act(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(actOnAll)
  }
}
