import { kinds } from '../world/Draft.ts'
import { copyState, type State } from './State.ts'
import type { Instant } from '../world/time.ts'

/** A kept state, as the control plane shows it. */
export interface Snapshot {
  id: string
  /** ISO 8601, real time */
  time: string
  scenario: string
}

/** A copy of what was kept. */
export interface KeptState {
  state: State
  /** The one account that it is of, if it is not of all */
  only: string | undefined
}

/** So many are kept, and of large states so many records. The newest always is. */
export const mostSnapshots = 50
const mostRecords = 1_000_000

/** Name of the snapshot of what a load or a reset replaced. */
export const beforeLoad = 'before-load'

/** States that are kept in memory; the oldest are dropped. */
export class Snapshots {
  readonly #kept: { snapshot: Snapshot; state: State; records: number }[] = []
  #replaced: (KeptState & { snapshot: Snapshot }) | undefined
  #last = 0

  /** Keeps a copy. */
  take(state: State, real: Instant): Snapshot {
    const snapshot = snapshotOf(`s${++this.#last}`, state, real)
    this.#kept.push({ snapshot, state: copyState(state), records: recordsOf(state) })
    while (this.#kept.length > 1 && (this.#kept.length > mostSnapshots || this.#records > mostRecords))
      this.#kept.shift()
    return snapshot
  }

  /** Keeps a state that was replaced, as `before-load`. Nobody changes it any more, so it is not copied. */
  keep(state: State, real: Instant, only?: string): void {
    this.#replaced = { snapshot: snapshotOf(beforeLoad, state, real), state, only }
  }

  get #records(): number {
    return this.#kept.reduce((sum, { records }) => sum + records, 0)
  }

  /** The oldest first. */
  list(): Snapshot[] {
    const taken = this.#kept.map(({ snapshot }) => snapshot)
    return this.#replaced ? [...taken, this.#replaced.snapshot] : taken
  }

  /** A copy of the state of that name. */
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
