import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'

type Tree<K, T> = ReturnType<typeof bulkLoad<K, T>>

/** Records per node of a tree: of more, a kept version takes more memory; of less, reading all takes longer */
const nodeSize = 16

/** What an indexed record is found by, and its id */
type IndexKey = readonly [text: string, id: number]

/** The text that a record is found by; undefined if it isn't in the index */
export type IndexedBy = (record: never) => string | undefined

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table never changes: `with`
 * gives another one, which shares with this one all that it doesn't touch. So whoever holds a table holds that moment.
 * A table can have an index, which is a part of the value too.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #tree: Tree<number, T>
  readonly #indexedBy: IndexedBy | undefined
  readonly #index: Tree<IndexKey, true>

  private constructor(tree: Tree<number, T>, indexedBy: IndexedBy | undefined, index: Tree<IndexKey, true>) {
    this.#tree = tree
    this.#indexedBy = indexedBy
    this.#index = index
  }

  /** A table of records by id, as JSON has them. */
  static of<T>(records: Readonly<Record<string, T>> = {}, indexedBy?: IndexedBy): Table<T> {
    const entries = Object.entries(records).map(([id, record]) => [Number(id), record] as const)
    const keys = entries.flatMap(([id, record]): IndexKey[] => {
      const text = indexedBy?.(record as never)
      return text === undefined ? [] : [[text, id]]
    })
    return new Table(
      treeOf(
        entries.toSorted(([a], [b]) => a - b),
        (a, b) => a - b,
      ),
      indexedBy,
      treeOf(
        keys.toSorted(byTextAndId).map((key) => [key, true]),
        byTextAndId,
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

  /** The ids of the records with this text in the index. */
  *idsOf(text: string): Generator<number> {
    for (const [found, id] of this.#index.keys([text, 0])) {
      if (found !== text) return
      yield id
    }
  }

  /** The first record by the index; of the same text, that of the lowest id. */
  get first(): { text: string; id: number } | undefined {
    const key = this.#index.minKey()
    return key && { text: key[0], id: key[1] }
  }

  #textOf(record: T | undefined): string | undefined {
    return record && this.#indexedBy?.(record as never)
  }

  /** Another table with these records; undefined removes. */
  with(changes: Iterable<readonly [number, T | undefined]>): Table<T> {
    const tree = this.#tree.clone()
    let index = this.#index
    for (const [id, record] of changes) {
      const [old, text] = [this.#textOf(tree.get(id)), this.#textOf(record)]
      if (old !== text) {
        if (index === this.#index) index = index.clone()
        if (old !== undefined) index.delete([old, id])
        if (text !== undefined) index.set([text, id], true)
      }
      if (record === undefined) tree.delete(id)
      else tree.set(id, record)
    }
    return new Table(tree, this.#indexedBy, index)
  }

  /** The records by id. */
  toJSON(): Record<string, T> {
    const records: Record<string, T> = {}
    this.#tree.forEachPair((id, record) => void (records[id] = record))
    return records
  }
}

function treeOf<K, T>(entries: (readonly [K, T])[], compare: (a: K, b: K) => number): Tree<K, T> {
  return bulkLoad<K, T>(
    entries.map(([key]) => key),
    entries.map(([, value]) => value),
    nodeSize,
    compare,
  )
}

function byTextAndId([a, i]: IndexKey, [b, j]: IndexKey): number {
  return a < b ? -1 : a > b ? 1 : i - j
}
