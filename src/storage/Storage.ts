import type { State } from '../state/State.ts'

/** A line of the log that is written out already. */
export class Written {
  readonly pieces: readonly Uint8Array[]

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces
  }
}

/** Where a state lasts: the seam between the store and a disk, or nothing at all. */
export interface Storage {
  /** What was there at the start; undefined if nothing was. */
  readonly found: State | undefined
  /**
   * Takes in a merge patch of the state, which was applied in memory already; several go together as a list.
   * @param undo is called if it can't be written, and takes it back; the latest change's comes first
   */
  append: (patch: unknown, undo: () => void) => void
  /** Takes in a state that stands in the place of all before; it is there whole, or not at all. */
  replace: (state: State, undo: () => void, written?: Written) => void
  /**
   * Writes out what `append` or `replace` takes in next, with others' work in between: taking in a large world would keep
   * them waiting. Nobody may change it yet. Undefined if there is nothing to write.
   */
  write: (patches: State | readonly unknown[]) => Promise<Written | undefined>
  /** Resolves when everything taken in so far lasts; undefined if it does already. @throws StorageError */
  flushed: () => Promise<void> | undefined
  /** Writes what is to be written, and frees what others may want. @throws StorageError */
  close: () => Promise<void>
}
