import type { Snapshot } from '../admin/shapes.ts'
import { kinds } from '../world/Draft.ts'
import { copyState, type State } from './State.ts'
import type { Instant } from '../world/time.ts'

/** A copy of a snapshot's state. */
export interface KeptState {
  state: State
  /** The only account in it, if it isn't a snapshot of all */
  only: string | undefined
}

/** How many snapshots are kept, and how many records in all. The newest is always kept. */
export const mostSnapshots = 50
const mostRecords = 1_000_000

/** Name of the snapshot of what a load or reset replaced. */
export const beforeLoad = 'before-load'

/** Snapshots in memory; the oldest are dropped. */
export class Snapshots {
  readonly #kept: { snapshot: Snapshot; state: State; records: number }[] = []
  #replaced: (KeptState & { snapshot: Snapshot }) | undefined
  #last = 0

  take(state: State, real: Instant): Snapshot {
    const snapshot = snapshotOf(`s${++this.#last}`, state, real)
    this.#kept.push({ snapshot, state: copyState(state), records: recordsOf(state) })
    while (this.#kept.length > 1 && (this.#kept.length > mostSnapshots || this.#records > mostRecords))
      this.#kept.shift()
    return snapshot
  }

  /** Keeps a replaced state as `before-load`. Nobody changes it any more, so it isn't copied. */
  keep(state: State, real: Instant, only?: string): void {
    this.#replaced = { snapshot: snapshotOf(beforeLoad, state, real), state, only }
  }

  get #records(): number {
    return this.#kept.reduce((sum, { records }) => sum + records, 0)
  }

  /** Oldest first. */
  list(): Snapshot[] {
    const taken = this.#kept.map(({ snapshot }) => snapshot)
    return this.#replaced ? [...taken, this.#replaced.snapshot] : taken
  }

  /** A copy of a snapshot's state. */
  find(id: string): KeptState | undefined {
    if (this.#replaced && id === beforeLoad)
      return { state: copyState(this.#replaced.state), only: this.#replaced.only }
    const found = this.#kept.find(({ snapshot }) => snapshot.id === id)
    return found && { state: copyState(found.state), only: undefined }
  }
}

function recordsOf({ accounts }: State): number {
  return Object.values(accounts)
    .flatMap((world) => kinds.map((kind) => Object.keys(world[kind]).length))
    .reduce((sum, count) => sum + count, 0)
}

function snapshotOf(id: string, { scenario }: State, real: Instant): Snapshot {
  return { id, time: new Date(real).toISOString(), scenario: scenario.name }
}
