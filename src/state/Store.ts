import { applyChange } from '../world/bindings.ts'
import { inversePatch } from '../world/mergePatch.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Storage } from '../storage/Storage.ts'
import type { State } from './State.ts'

/** Told of every change after it was applied. */
export type ChangeListener = (account: string, change: WorldChange) => void

/** The one place that changes the state, in memory and, through its storage, on disk. */
export class Store {
  #state: State
  readonly #storage: Storage
  readonly #listeners = new Set<ChangeListener>()

  constructor(state: State, storage: Storage) {
    this.#state = state
    this.#storage = storage
    if (storage.found !== state) storage.replace(state, () => {})
  }

  get state(): State {
    return this.#state
  }

  /** The world of a login. */
  world(login: string): World | undefined {
    return Object.hasOwn(this.#state.accounts, login) ? this.#state.accounts[login] : undefined
  }

  /**
   * Applies a change to a world. A world that is no longer the login's is left alone: whoever holds it began before a
   * reset, and must not write after it.
   * @returns whether it was applied
   */
  change(login: string, world: World, change: WorldChange): boolean {
    if (this.world(login) !== world) return false
    const inverse = inversePatch(world as never, change) as WorldChange
    applyChange(world, change)
    this.#storage.append({ accounts: { [login]: change } }, () => applyChange(world, inverse))
    for (const listener of this.#listeners) listener(login, change)
    return true
  }

  /** Adds a world, or takes one away. */
  setAccount(login: string, world: World | null): void {
    const before = this.world(login)
    if (world) this.#state.accounts[login] = world
    else delete this.#state.accounts[login]
    this.#storage.append({ accounts: { [login]: world } }, () => {
      if (before) this.#state.accounts[login] = before
      else delete this.#state.accounts[login]
    })
  }

  /** Puts another state in the place of all. */
  replace(state: State): void {
    const before = this.#state
    this.#state = state
    this.#storage.replace(state, () => {
      this.#state = before
    })
  }

  /** Resolves when every change so far lasts. @throws StorageError: then the changes were taken back */
  async flushed(): Promise<void> {
    await this.#storage.flushed()
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }
}
