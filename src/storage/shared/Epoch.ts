import type { Instant } from '../../world/time.ts'
import type { Readings } from '../../world/readingOf.ts'

/** Which state holds, as far as is known, and what time it is for the server. */
export class Epoch {
  /** Empty: none is known */
  id = ''
  /** Whose journal and coverage go on */
  run = ''
  /** When it took the place of the one before, by the server's clock (ms) */
  #born = 0
  /** What the server's clock is ahead of `performance.now()`, at most */
  #ahead = 0
  #now = 0

  set(id: string, run: string, born: number): void {
    this.id = id
    this.run = run
    this.#born = born
  }

  /** The server's time in the answer of a trip that was sent then. */
  sawTime(now: number, sent: number): void {
    this.#now = now
    this.#ahead = now + 1 - sent
  }

  /** The present moment by the server's clock, or a little later. */
  get moment(): Instant {
    return performance.now() + this.#ahead
  }

  /**
   * Whether a world took its login's place after a moment. In doubt it did not, and what it says of a time to come is
   * not believed: the server's clock was put back.
   */
  isYounger(born: number, moment: Instant): boolean {
    const birth = Math.max(born, this.#born)
    return birth > moment && birth <= this.#now
  }
}

/** The readings of a world, as the store keeps them beside it. */
export function readingsText({ assumptions, limits }: Readings): string {
  return JSON.stringify({ assumptions, limits })
}
