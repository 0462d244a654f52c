import type { World, WorldChange } from '../world/World.ts'
import type { State } from './State.ts'

/** The state that the last load or reset replaced, of one account or of all accounts. */
export interface ReplacedState {
  /** Time at which it was replaced (ISO 8601) */
  readonly time: string
  /** Login, if only this account was replaced */
  readonly account?: string | undefined
  readonly state: State
}

interface Replacement {
  account: string
  /** Null if the account is deleted */
  replacement: World | null
  time: string
}

/** A change to the state: patches to one account, or the replacement of one account or of everything. */
export type StateChange =
  | { account: string; patches: readonly WorldChange[]; after: World }
  | Replacement
  | { state: State; time: string }

/**
 * The state of one process. With a file, a change is applied only once the log contains it, so responses never show unsaved
 * changes.
 */
export class LocalState implements State {
  scenario: State['scenario']
  accounts: Map<string, World>
  beforeLoad: ReplacedState | undefined

  constructor({ scenario, accounts }: State, beforeLoad?: ReplacedState) {
    this.scenario = scenario
    this.accounts = new Map(accounts)
    this.beforeLoad = beforeLoad
  }

  /** A copy of the current state. Later changes don't affect it. */
  get current(): State {
    return { scenario: this.scenario, accounts: new Map(this.accounts) }
  }

  apply(change: StateChange): void {
    if ('after' in change) this.accounts.set(change.account, change.after)
    else if ('replacement' in change) this.#replaceAccount(change)
    else {
      const { state, time } = change
      this.beforeLoad = { time, state: this.current }
      this.scenario = state.scenario
      this.accounts = new Map(state.accounts)
    }
  }

  #replaceAccount({ account, replacement, time }: Replacement): void {
    const before = this.accounts.get(account)
    if (before && replacement) {
      const state = { scenario: this.scenario, accounts: new Map([[account, before]]) }
      this.beforeLoad = { time, account, state }
    }
    if (replacement) this.accounts.set(account, replacement)
    else this.accounts.delete(account)
  }
}
