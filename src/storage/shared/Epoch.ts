import type { Readings } from '../../world/readingOf.ts'

/** The current epoch as far as this replica knows, and the server's clock. */
export class Epoch {
  /** Empty if unknown */
  id = ''
  /** Identifies the journal and coverage, which outlive a restore */
  run = ''
  /** When it replaced the previous epoch, by the server's clock (ms) */
  #born = 0
  /** The server's clock in the newest reply, and `performance.now()` when its request was sent */
  #now = 0
  #sent = 0

  set(id: string, run: string, born: number): void {
    this.id = id
    this.run = run
    this.#born = born
  }

  /** @param now the server's time in a reply @param sent when its request was sent, by `performance.now()` */
  sawTime(now: number, sent: number): void {
    this.#now = now
    this.#sent = sent
  }

  /** The current time of a monotonic clock: the server's may be set between two replies. */
  get moment(): number {
    return performance.now()
  }

  /**
   * Whether a world was created or replaced after a moment. Compares by the world's age, as both times of it are the
   * server's. False in doubt; a birth in the future is ignored, as the server's clock must have been set back.
   */
  isYounger(born: number, moment: number): boolean {
    const age = this.#now - Math.max(born, this.#born)
    return age >= 0 && this.#sent - age - 1 > moment
  }
}

/** A world's readings as JSON; they are stored separately from the world. */
export function readingsText({ assumptions, limits }: Readings): string {
  return JSON.stringify({ assumptions, limits })
}
