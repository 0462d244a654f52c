import type { WorldChange } from '../world/WorldChange.ts'

/** The life of one world, from when it was put in place. */
export interface Timeline {
  /** Sequence number of the event that put this world in place: requests that began before it don't affect it. */
  readonly birth: number
  /** Increases when the world is rewound, as requests before and after a rewind don't belong together. */
  era: number
  /** How many of its changes can be undone */
  kept: number
}

interface Entry {
  timeline: Timeline
  /** The inverse of a change */
  undo: WorldChange
}

/**
 * The inverse changes of all worlds. The limit applies across all accounts: the oldest changes are dropped first, as
 * the journal drops their requests.
 */
export class History {
  readonly #limit: number
  #timelines = new Map<string, Timeline>()
  /** The newest last; those before `#oldest` were dropped */
  #entries: (Entry | undefined)[] = []
  #oldest = 0
  #births = 0
  /** Birth of worlds that have no timeline yet */
  #allBorn = 0
  #eras = 0

  /** @param limit changes to keep */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The current moment; a request remembers the one it began in. */
  get moment(): number {
    return this.#births
  }

  /** Whether a login's world was put in place after a moment; without a login, whether all worlds were. */
  isYounger(login: string | undefined, moment: number): boolean {
    const birth = login === undefined ? this.#allBorn : (this.#timelines.get(login)?.birth ?? this.#allBorn)
    return birth > moment
  }

  /** A login's world is put in place. @returns undoes that */
  begin(login: string): () => void {
    return this.#put(login, newTimeline(++this.#births, ++this.#eras))
  }

  /** An account is deleted, with its changes. @returns undoes that */
  end(login: string): () => void {
    return this.#put(login, undefined)
  }

  #put(login: string, timeline: Timeline | undefined): () => void {
    const before = this.#timelines.get(login)
    if (timeline) this.#timelines.set(login, timeline)
    else this.#timelines.delete(login)
    return () => void this.#put(login, before)
  }

  /** All worlds are replaced. @returns undoes that */
  beginAll(): () => void {
    const [timelines, born] = [this.#timelines, this.#allBorn]
    this.#timelines = new Map()
    this.#allBorn = ++this.#births
    return () => {
      this.#timelines = timelines
      this.#allBorn = born
    }
  }

  of(login: string): Timeline {
    let timeline = this.#timelines.get(login)
    if (!timeline) {
      timeline = newTimeline(this.#allBorn, ++this.#eras)
      this.#timelines.set(login, timeline)
    }
    return timeline
  }

  /** Records the inverse of a world's newest change. */
  push(timeline: Timeline, undo: WorldChange): void {
    if (this.#limit === 0) return
    this.#entries.push({ timeline, undo })
    timeline.kept++
    if (this.#entries.length - this.#oldest <= this.#limit) return
    const dropped = this.#entries[this.#oldest] as Entry
    dropped.timeline.kept--
    this.#entries[this.#oldest++] = undefined
    // Now and then, as it copies what is left
    if (this.#oldest > this.#limit) {
      this.#entries = this.#entries.slice(this.#oldest)
      this.#oldest = 0
    }
  }

  /** A world is rewound: a new era begins. */
  turn(timeline: Timeline): void {
    timeline.era = ++this.#eras
  }

  /** Drops the newest change, which couldn't be written. */
  pop(timeline: Timeline): void {
    const last = this.#entries.findLastIndex((entry) => entry?.timeline === timeline)
    if (last === -1) return
    this.#entries.splice(last, 1)
    timeline.kept--
  }

  /** The inverses of the newest `count` changes, in the order to apply them. */
  undo(timeline: Timeline, count: number): WorldChange[] {
    const undos: WorldChange[] = []
    for (let at = this.#entries.length - 1; at >= this.#oldest && undos.length < count; at--) {
      const entry = this.#entries[at]
      if (entry?.timeline === timeline) undos.push(entry.undo)
    }
    return undos
  }
}

function newTimeline(birth: number, era: number): Timeline {
  return { birth, era, kept: 0 }
}
