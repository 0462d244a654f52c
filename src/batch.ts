/*
 * Under load, what came together is done together: each piece of work then runs for all requests in a row and finds its
 * code in the processor's cache, a disk is written to once for many, and a client that the first answer woke is awake
 * for the others (docs/decisions/0015). What is alone waits for nobody.
 */

/** Calls `act` at a time that it has a reason for; `count` tells how much has come so far. */
export type When = (act: () => void, count: () => number) => void

/** When everything that was there to be read has been read: at the end of this turn of the event loop. */
export const endOfTurn: When = (act) => void setImmediate(act)

/** When all that goes on without waiting for the outside has gone on: a round of the queue brought nothing more. */
export const whenIdle: When = (act, count) => {
  let before = 0
  const look = (): void => {
    const now = count()
    if (now === before) act()
    else {
      before = now
      process.nextTick(look)
    }
  }
  process.nextTick(look)
}

/** Collects, and acts on all of it in one go. */
export function batch<T>(when: When, act: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const actOnAll = (): void => {
    const items = waiting
    waiting = []
    for (const item of items) act(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) when(actOnAll, () => waiting.length)
  }
}
