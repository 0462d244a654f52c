import type { WorldChange } from '../world/WorldChange.ts'

/** The changes of one world that can be taken back, the newest last. */
export interface Timeline {
  /** When this world took its login's place, as a count of such events: what began before has no say in it. */
  readonly birth: number
  /** Rises when the world goes back: what came before and what comes after are different stories. */
  era: number
  /** What takes each change back */
  undos: (WorldChange | undefined)[]
  /** How many of `undos`, from the first, were forgotten */
  forgotten: number
}

/**
 * What takes the changes of all worlds back. It is bounded over all accounts: the oldest changes are forgotten first,
 * as the journal forgets the requests that made them.
 */
export class History {
  readonly #limit: number
  readonly #timelines = new Map<string, Timeline>()
  /** Whose change each kept undo is, the oldest at `#oldest` */
  #owners: Timeline[] = []
  #oldest = 0
  #births = 0
  /** Birth of the worlds that have no timeline yet */
  #allBorn = 0
  #eras = 0

  /** @param limit changes that are kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The present moment: a request keeps the one in which it began. */
  get moment(): number {
    return this.#births
  }

  /** Whether the world of a login took its place after a moment; with no login, whether all worlds did. */
  isYounger(login: string | undefined, moment: number): boolean {
    const birth = login === undefined ? this.#allBorn : (this.#timelines.get(login)?.birth ?? this.#allBorn)
    return birth > moment
  }

  /** Another world takes a login's place. */
  begin(login: string): void {
    this.#timelines.set(login, newTimeline(++this.#births, ++this.#eras))
  }

  /** Other worlds take the place of all. @returns takes that back */
  beginAll(): () => void {
    const before = new Map(this.#timelines)
    const born = this.#allBorn
    this.#timelines.clear()
    this.#allBorn = ++this.#births
    const timelines = this.#timelines
    return () => {
      for (const [login, timeline] of before) timelines.set(login, timeline)
      this.#allBorn = born
    }
  }

  /** An account is gone, and its changes with it. */
  end(login: string): void {
    this.#timelines.delete(login)
  }

  of(login: string): Timeline {
    let timeline = this.#timelines.get(login)
    if (!timeline) {
      timeline = newTimeline(this.#allBorn, ++this.#eras)
      this.#timelines.set(login, timeline)
    }
    return timeline
  }

  /** Keeps what takes the newest change of a world back. */
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

  /** A world goes back: another story begins. */
  turn(timeline: Timeline): void {
    timeline.era = ++this.#eras
  }

  /** Forgets the newest change: it was not written. */
  pop(timeline: Timeline): void {
    if (timeline.undos.length === timeline.forgotten) return
    timeline.undos.pop()
    const last = this.#owners.lastIndexOf(timeline)
    if (last >= this.#oldest) this.#owners.splice(last, 1)
  }

  /** How many of a world's newest changes can be taken back. */
  reach({ undos, forgotten }: Timeline): number {
    return undos.length - forgotten
  }

  /** What takes the newest `count` changes back, in the order in which it is applied. */
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

/** Lets go of the room of what was forgotten, now and then. */
function compact(timeline: Timeline): void {
  if (timeline.forgotten < 64 || timeline.forgotten * 2 < timeline.undos.length) return
  timeline.undos = timeline.undos.slice(timeline.forgotten)
  timeline.forgotten = 0
}
