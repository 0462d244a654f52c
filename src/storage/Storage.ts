import type { State } from '../state/State.ts'

/** A log line that is already serialized. */
export type Written = readonly Uint8Array[]

/** Persistence of the state: the interface between the store and a disk, if any. */
export interface Storage {
  /** The state at the start; undefined if there was none */
  readonly found: State | undefined
  /**
   * Logs a merge patch that was applied in memory already; a list contains patches that belong together.
   * @param undo rolls it back if it can't be written; called for the latest change first
   * @param written what is logged instead of the patch
   */
  append: (patch: unknown, undo: () => void, written?: Written) => void
  /** Logs a state that replaces everything before, atomically. */
  replace: (state: State, undo: () => void, written?: Written) => void
  /**
   * Serializes what `append` or `replace` will log next, yielding in between, because a large world would block others.
   * It must not change before then. Undefined if there is nothing to write.
   */
  write: (patches: State | readonly object[]) => Promise<Written | undefined>
  /** Resolves once everything so far is durable; undefined if it already is. @throws StorageError */
  flushed: () => Promise<void> | undefined
  /** Writes what is pending, and releases all resources. @throws StorageError */
  close: () => Promise<void>
}
