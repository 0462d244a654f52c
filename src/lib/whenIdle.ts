/**
 * Acts once a pass of the nextTick queue adds no more items, so all work that doesn't wait for I/O is done, and one disk
 * write serves many (docs/decisions/0015).
 * @param count how many items have been collected so far
 */
export function whenIdle(act: () => void, count: () => number): void {
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
