import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of this thread in milliseconds. Other load on the machine doesn't affect it. On systems other than
 * Linux, returns the elapsed time.
 */
export function getCpuTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return performance.now()
  }
}
