import type { WorldChange } from '../world/WorldChange.ts'

/** The changes of one world that can be undone, the newest last. */
export interface Timeline {
  /** Sequence number of the event that put this world in place: requests that began before it don't affect it. */
  readonly birth: number
  /** Increases when the world is rewound, as requests before and after a rewind don't belong together. */
  era: number
  /** The inverse of each change */
  undos: (WorldChange | undefined)[]
  /** How many of `undos`, from the start, were dropped */
  forgotten: number
}

/**
 * The inverse changes of all worlds. The limit applies across all accounts: the oldest changes are dropped first, as
 * the journal drops their requests.
 */
export class History {
  readonly #limit: number
  #timelines = new Map<string, Timeline>()
  /** Owner of each undo that is kept, the oldest at `#oldest` */
  #owners: Timeline[] = []
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
    timeline.undos.push(undo)
    this.#owners.push(timeline)
    if (this.#owners.length - this.#oldest <= this.#limit) return
    const owner = this.#owners[this.#oldest] as Timeline
    this.#oldest++
    owner.undos[owner.forgotten] = undefined
    owner.forgotten++
    compact(owner)
    if (this.#oldest > this.#limit) {
      this.#owners = this.#owners.slice(this.#oldest)
      this.#oldest = 0
    }
  }

  /** A world is rewound: a new era begins. */
  turn(timeline: Timeline): void {
    timeline.era = ++this.#eras
  }

  /** Drops the newest change, which couldn't be written. */
  pop(timeline: Timeline): void {
    if (timeline.undos.length === timeline.forgotten) return
    timeline.undos.pop()
    const last = this.#owners.lastIndexOf(timeline)
    if (last >= this.#oldest) this.#owners.splice(last, 1)
  }

  /** How many of a world's changes can be undone. */
  reach({ undos, forgotten }: Timeline): number {
    return undos.length - forgotten
  }

  /** The inverses of the newest `count` changes, in the order to apply them. */
  undo({ undos }: Timeline, count: number): WorldChange[] {
    return undos
      .slice(undos.length - count)
      .toReversed()
      .filter((undo) => undo !== undefined)
  }
}

function newTimeline(birth: number, era: number): Timeline {
  return { birth, era, undos: [], forgotten: 0 }
}

/** Frees the memory of dropped entries, now and then. */
function compact(timeline: Timeline): void {
  if (timeline.forgotten < 64 || timeline.forgotten * 2 < timeline.undos.length) return
  timeline.undos = timeline.undos.slice(timeline.forgotten)
  timeline.forgotten = 0
}
