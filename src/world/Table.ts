import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'

type Tree<K, T> = ReturnType<typeof bulkLoad<K, T>>

/** Records per node of a tree */
const nodeSize = 32

const ascending = <K extends number | string>(a: K, b: K): number => (a < b ? -1 : a > b ? 1 : 0)

/** A tree of sorted entries. */
export function treeOf<K extends number | string, T>(keys: K[], values: T[]): Tree<K, T> {
  return bulkLoad<K, T>(keys, values, nodeSize, ascending)
}

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table never changes: `with`
 * gives another one, which shares with this one all that it doesn't touch. So whoever holds a table holds that moment.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #tree: Tree<number, T>

  private constructor(tree: Tree<number, T>) {
    this.#tree = tree
  }

  /** A table of records by id, as JSON has them. */
  static of<T>(records: Readonly<Record<string, T>> = {}): Table<T> {
    const ids = Object.keys(records)
      .map(Number)
      .toSorted((a, b) => a - b)
    return new Table(
      treeOf(
        ids,
        ids.map((id) => records[id] as T),
      ),
    )
  }

  get size(): number {
    return this.#tree.size
  }

  /** The record of an id, or of its decimal digits. */
  get(id: number | string): T | undefined {
    const key = Number(id)
    return Number.isNaN(key) ? undefined : this.#tree.get(key) // NaN would be equal to every key
  }

  has(id: number | string): boolean {
    return this.get(id) !== undefined
  }

  /** The greatest id */
  get lastId(): number | undefined {
    return this.#tree.maxKey()
  }

  keys(): IterableIterator<number> {
    return this.#tree.keys()
  }

  values(): IterableIterator<T> {
    return this.#tree.values()
  }

  entries(): IterableIterator<[number, T]> {
    return this.#tree.entries()
  }

  map<U>(map: (record: T, id: number) => U): U[] {
    const mapped: U[] = []
    this.#tree.forEachPair((id, record) => void mapped.push(map(record, id)))
    return mapped
  }

  /** Another table with these records; undefined removes. */
  with(changes: Iterable<readonly [number, T | undefined]>): Table<T> {
    const tree = this.#tree.clone()
    for (const [id, record] of changes) {
      if (record === undefined) tree.delete(id)
      else tree.set(id, record)
    }
    return new Table(tree)
  }

  /** The records by id. */
  toJSON(): Record<string, T> {
    const records: Record<string, T> = {}
    this.#tree.forEachPair((id, record) => void (records[id] = record))
    return records
  }
}

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
