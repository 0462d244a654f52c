import { EmptyBTree, type ISortedMap } from 'sorted-btree'

/** A copy-on-write tree: a clone costs nothing, and a change copies only the changed nodes. */
interface Tree<K, V> extends ISortedMap<K, V> {
  clone: () => Tree<K, V>
}

/** The default export of the package. Node, bundlers and TypeScript's module modes each import it differently. */
const BTree = EmptyBTree.constructor as new <K, V>(
  entries: undefined,
  compare: (a: K, b: K) => number,
) => Tree<K, V>

type IndexEntry = readonly [key: string, id: number]

/** Returns the index key of a record; undefined if the record isn't in the index */
export type IndexedBy = (record: never) => string | undefined

interface Index {
  getKey: IndexedBy
  /** Index keys with the ids of their records */
  entries: Tree<IndexEntry, undefined>
}

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table is immutable: `with`
 * returns another table that shares the unchanged records.
 * A table can have an index, which `with` keeps up to date.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #records: Tree<number, T>
  readonly #index: Index | undefined

  private constructor(records: Tree<number, T>, index: Index | undefined) {
    this.#records = records
    this.#index = index
  }

  /** A table of JSON records by id. */
  static of<T>(records: Readonly<Record<string, T>> = {}, indexedBy?: IndexedBy): Table<T> {
    const index = indexedBy && {
      getKey: indexedBy,
      entries: new BTree<IndexEntry, undefined>(undefined, byKey),
    }
    return new Table<T>(new BTree(undefined, byId), index).with(
      Object.entries(records).map(([id, record]) => [Number(id), record]),
    )
  }

  get size(): number {
    return this.#records.size
  }

  /** @param id a number, or its decimal digits */
  get(id: number | string): T | undefined {
    const number = Number(id)
    return Number.isNaN(number) ? undefined : this.#records.get(number)
  }

  has(id: number | string): boolean {
    return this.get(id) !== undefined
  }

  /** The highest id */
  get lastId(): number | undefined {
    return this.#records.maxKey()
  }

  keys(): IterableIterator<number> {
    return this.#records.keys()
  }

  values(): IterableIterator<T> {
    return this.#records.values()
  }

  entries(): IterableIterator<[number, T]> {
    return this.#records.entries()
  }

  map<U>(map: (record: T, id: number) => U): U[] {
    const mapped: U[] = []
    this.#records.forEach((record, id) => void mapped.push(map(record, id)), undefined)
    return mapped
  }

  /** The ids of the records with this index key. */
  findIds(key: string): readonly number[] {
    return this.#index?.entries.getRange([key, 0], [key, Infinity]).map(([[, id]]) => id) ?? []
  }

  /** The first record in index order, with its index key. Records with equal keys are ordered by id. */
  get firstInIndex(): { key: string; id: number } | undefined {
    const entry = this.#index?.entries.minKey()
    return entry && { key: entry[0], id: entry[1] }
  }

  /** A copy with these records; undefined removes a record. */
  with(changes: Iterable<readonly [number, T | undefined]>): Table<T> {
    const records = this.#records.clone()
    const index = this.#index && { ...this.#index, entries: this.#index.entries.clone() }
    for (const [id, record] of changes) {
      if (index) {
        const old = records.get(id)
        const [before, after] = [old && index.getKey(old as never), record && index.getKey(record as never)]
        if (before !== undefined && before !== after) index.entries.delete([before, id])
        if (after !== undefined && before !== after) index.entries.set([after, id], undefined)
      }
      if (record === undefined) records.delete(id)
      else records.set(id, record)
    }
    return new Table(records, index)
  }

  /** The records by id. */
  toJSON(): Record<string, T> {
    const json: Record<string, T> = {}
    this.#records.forEach((record, id) => void (json[id] = record), undefined)
    return json
  }
}

function byId(a: number, b: number): number {
  return a - b
}

function byKey([a, firstId]: IndexEntry, [b, secondId]: IndexEntry): number {
  return a === b ? firstId - secondId : a < b ? -1 : 1
}
