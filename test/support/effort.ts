import { readFileSync } from 'node:fs'

/**
 * Milliseconds that this thread has worked: on a machine that others keep busy, time that passes tells nothing of us.
 * Where there is no Linux to ask, the time that passes.
 */
export function effort(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return performance.now()
  }
}
