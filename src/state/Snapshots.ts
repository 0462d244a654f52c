import type { State } from './State.ts'
import type { Instant } from '../world/time.ts'

/** A kept state, as the control plane shows it. */
export interface Snapshot {
  id: string
  /** ISO 8601, real time */
  time: string
  scenario: string
}

/** So many are kept, and of large states so many characters of JSON. The newest always is. */
const most = 50
const mostCharacters = 256 * 1024 * 1024

/** States that are kept in memory; the oldest are dropped. */
export class Snapshots {
  readonly #kept: { snapshot: Snapshot; state: string }[] = []
  #last = 0

  /** Keeps a copy. */
  take(state: State, real: Instant): Snapshot {
    const snapshot = {
      id: `s${++this.#last}`,
      time: new Date(real).toISOString(),
      scenario: state.scenario.name,
    }
    this.#kept.push({ snapshot, state: JSON.stringify(state) })
    while (this.#kept.length > 1 && (this.#kept.length > most || this.#characters > mostCharacters))
      this.#kept.shift()
    return snapshot
  }

  get #characters(): number {
    return this.#kept.reduce((sum, { state }) => sum + state.length, 0)
  }

  /** The oldest first. */
  list(): Snapshot[] {
    return this.#kept.map(({ snapshot }) => snapshot)
  }

  /** A copy of the state of that name. */
  find(id: string): State | undefined {
    const found = this.#kept.find(({ snapshot }) => snapshot.id === id)
    return found && (JSON.parse(found.state) as State)
  }
}
