import { readFileSync } from 'node:fs'

/**
 * Milliseconds of processor time of this thread, which other load on the machine doesn't affect. On systems other than
 * Linux, elapsed milliseconds.
 */
export function effort(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return performance.now()
  }
}
