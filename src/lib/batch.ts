/*
 * Under load, work that arrives together is batched: each step then runs for all requests in a row while its code is in
 * the CPU cache, one disk write serves many, and a client woken by the first response is awake for the others
 * (docs/decisions/0015). A single item never waits.
 */

/** Decides when to call `act`; `count` returns how many items have been collected so far. */
export type When = (act: () => void, count: () => number) => void

/** Items that came one at a time in a row, after which they are taken to go on so. */
const enough = 16

/**
 * At the end of this turn of the event loop, when all available input has been read. While items keep coming one at a
 * time, it acts at once: another turn of the loop would cost a lone request a tenth of its time. Every sixteenth item
 * checks whether others came with it.
 */
export function endOfTurn(): When {
  let single = 0
  let atOnce = 0
  return (act, count) => {
    if (atOnce > 0) {
      atOnce--
      process.nextTick(act) // the rest of the request's bytes are parsed first
    } else
      setImmediate(() => {
        single = count() === 1 ? single + 1 : 0
        if (single >= enough) atOnce = enough - 1
        act()
      })
  }
}

/** Once a pass of the nextTick queue adds no more items, so all work that doesn't wait for I/O is done. */
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
