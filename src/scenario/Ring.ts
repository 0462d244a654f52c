import { hash, type Seed } from '../world/chance.ts'

/** More points make the shares more alike. */
const pointsEach = 16
/** A point is its place on the ring and, in the lower digits, whose it is. */
const owners = 2 ** 20

/**
 * Chooses among records by a seed (consistent hashing): one record more takes over its share of the choices, and all
 * other choices stay as they were.
 */
export class Ring {
  readonly #ids: readonly string[]
  readonly #points: Float64Array

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#points = new Float64Array(ids.length * pointsEach)
    for (const [owner, id] of ids.entries())
      for (let i = 0; i < pointsEach; i++)
        this.#points[owner * pointsEach + i] = hash([id, i]) * owners + owner
    this.#points.sort()
  }

  /** The record that a seed falls to; undefined where there is none. */
  pick(seed: Seed): string | undefined {
    const place = hash(seed) * owners
    let [low, high] = [0, this.#points.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#points[middle] as number) < place) low = middle + 1
      else high = middle
    }
    const point = this.#points[low] ?? this.#points[0]
    return point === undefined ? undefined : this.#ids[point % owners]
  }
}
