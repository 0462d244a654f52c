import type { State } from '../state/State.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'

/** A log line that is already serialized. */
export type Written = readonly Uint8Array[]

/** Persistence of the state: the interface between the store and a disk, if any. */
export interface Storage {
  /** The state at the start; undefined if there was none */
  readonly found: State | undefined
  /**
   * Logs a change of an account's world that was applied in memory already.
   * @param version the world's version after it
   * @param undo rolls it back if it can't be written; called for the latest change first
   */
  logChange: (login: string, change: WorldChange, version: number, undo: () => void) => void
  /** Logs an account's new world; null: the account was removed. */
  logWorld: (login: string, world: World | null, undo: () => void, written?: Written) => void
  /** Logs a state that replaces everything before, atomically. */
  replace: (state: State, undo: () => void, written?: Written) => void
  /**
   * Serializes what `logWorld` or `replace` will log next, yielding in between, because a large world would block others.
   * It must not change before then. Undefined if there is nothing to write.
   */
  write: (patches: State | readonly object[]) => Promise<Written | undefined>
  /** Resolves once everything so far is durable; undefined if it already is. @throws StorageError */
  flushed: () => Promise<void> | undefined
  /** Why changes can't be written at present; undefined if they can */
  warning: () => string | undefined
  /** Writes what is pending, and releases all resources. @throws StorageError */
  close: () => Promise<void>
}
