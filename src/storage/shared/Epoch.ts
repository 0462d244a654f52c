import type { Readings } from '../../world/readingOf.ts'

/** Which state holds, as far as is known, and what time it is for the server. */
export class Epoch {
  /** Empty: none is known */
  id = ''
  /** Whose journal and coverage go on */
  run = ''
  /** When it took the place of the one before, by the server's clock (ms) */
  #born = 0
  /** The server's clock in the newest answer, and `performance.now()` when that was asked for */
  #now = 0
  #sent = 0

  set(id: string, run: string, born: number): void {
    this.id = id
    this.run = run
    this.#born = born
  }

  /** The server's time in the answer of a trip that was sent then. */
  sawTime(now: number, sent: number): void {
    this.#now = now
    this.#sent = sent
  }

  /** The present moment. By no clock that can be set: the server's may jump between two answers. */
  get moment(): number {
    return performance.now()
  }

  /**
   * Whether a world took its login's place after a moment: by its age, as both of its times are the server's. In doubt
   * it did not, and what it says of a time to come is not believed: the server's clock was put back.
   */
  isYounger(born: number, moment: number): boolean {
    const age = this.#now - Math.max(born, this.#born)
    return age >= 0 && this.#sent - age - 1 > moment
  }
}

/** The readings of a world, as the store keeps them beside it. */
export function readingsText({ assumptions, limits }: Readings): string {
  return JSON.stringify({ assumptions, limits })
}
