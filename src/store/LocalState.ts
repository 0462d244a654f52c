import type { World, WorldChange } from '../world/World.ts'
import type { State } from './State.ts'

/** The state that the last load or reset replaced, of one account or of all accounts. */
export interface BeforeLoad {
  /** ISO 8601 */
  readonly time: string
  readonly only?: string | undefined
  readonly state: State
}

interface Replacement {
  account: string
  /** Null if the account is deleted */
  replacement: World | null
  time: string
}

/** A change of the state: patches on one account, the replacement of one account, or a new state. */
export type StateChange =
  | { account: string; patches: readonly WorldChange[]; after: World }
  | Replacement
  | { state: State; time: string }

/** The state of one process. With a file, a change is applied only once the log contains it, so responses never show unsaved changes. */
export class LocalState implements State {
  scenario: State['scenario']
  accounts: Map<string, World>
  beforeLoad: BeforeLoad | undefined

  constructor({ scenario, accounts }: State, beforeLoad?: BeforeLoad) {
    this.scenario = scenario
    this.accounts = new Map(accounts)
    this.beforeLoad = beforeLoad
  }

  /** The current state as a copy: later changes don't show in it. */
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
      this.beforeLoad = { time, only: account, state }
    }
    if (replacement) this.accounts.set(account, replacement)
    else this.accounts.delete(account)
  }
}
