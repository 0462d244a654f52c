import { treeOf } from './Table.ts'

/** A set of texts in order, as a value: `with` gives another one, which shares what it can with this one. */
export class SortedKeys {
  readonly #tree: ReturnType<typeof treeOf<string, true>>

  private constructor(tree: ReturnType<typeof treeOf<string, true>>) {
    this.#tree = tree
  }

  static of(keys: readonly string[]): SortedKeys {
    const sorted = keys.toSorted((a, b) => (a < b ? -1 : 1))
    return new SortedKeys(
      treeOf(
        sorted,
        sorted.map(() => true as const),
      ),
    )
  }

  get first(): string | undefined {
    return this.#tree.minKey()
  }

  *startingWith(prefix: string): Generator<string> {
    for (const key of this.#tree.keys(prefix)) {
      if (!key.startsWith(prefix)) return
      yield key
    }
  }

  with(removed: readonly string[], added: readonly string[]): SortedKeys {
    if (removed.length === 0 && added.length === 0) return this
    const tree = this.#tree.clone()
    for (const key of removed) tree.delete(key)
    for (const key of added) tree.set(key, true)
    return new SortedKeys(tree)
  }
}
