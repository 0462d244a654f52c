import type { Instant } from '../../world/time.ts'
import type { Readings } from '../../world/readingOf.ts'

/** The current epoch as far as this replica knows, and the server's clock. */
export class Epoch {
  /** Empty if unknown */
  id = ''
  /** Identifies the journal and coverage, which outlive a restore */
  run = ''
  /** When it replaced the previous epoch, by the server's clock (ms) */
  #born = 0
  /** Upper bound of the server's clock minus `performance.now()` */
  #ahead = 0
  #now = 0

  set(id: string, run: string, born: number): void {
    this.id = id
    this.run = run
    this.#born = born
  }

  /** @param now the server's time in a reply @param sent when its request was sent, by `performance.now()` */
  sawTime(now: number, sent: number): void {
    this.#now = now
    this.#ahead = now + 1 - sent
  }

  /** The server's current time, or slightly later. */
  get moment(): Instant {
    return performance.now() + this.#ahead
  }

  /**
   * Whether a world was created or replaced after a moment. False in doubt; a birth in the future is ignored, as the
   * server's clock must have been set back.
   */
  isYounger(born: number, moment: Instant): boolean {
    const birth = Math.max(born, this.#born)
    return birth > moment && birth <= this.#now
  }
}

/** A world's readings as JSON; they are stored separately from the world. */
export function readingsText({ assumptions, limits }: Readings): string {
  return JSON.stringify({ assumptions, limits })
}
