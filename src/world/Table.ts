import { EmptyBTree, type ISortedMap } from 'sorted-btree'

/** A copy-on-write tree: a clone costs nothing, and copies only the nodes that it changes. */
interface Tree<K, V> extends ISortedMap<K, V> {
  clone: () => Tree<K, V>
}

/** The default export of the package, which Node, bundlers and TypeScript's module modes each import in another way. */
const BTree = EmptyBTree.constructor as new <K, V>(
  entries: undefined,
  compare: (a: K, b: K) => number,
) => Tree<K, V>

type Entry = readonly [text: string, id: number]

/** The text that a record is found by; undefined if it isn't in the index */
export type IndexedBy = (record: never) => string | undefined

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table never changes: `with`
 * returns another one, which shares everything else with it. So whoever holds a table holds that moment.
 * A table can have an index, which is a part of the value too.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #records: Tree<number, T>
  readonly #indexedBy: IndexedBy | undefined
  /** The texts of the records with their ids */
  readonly #index: Tree<Entry, undefined>

  private constructor(
    records: Tree<number, T>,
    indexedBy: IndexedBy | undefined,
    index: Tree<Entry, undefined>,
  ) {
    this.#records = records
    this.#indexedBy = indexedBy
    this.#index = index
  }

  /** A table of records by id, as JSON has them. */
  static of<T>(records: Readonly<Record<string, T>> = {}, indexedBy?: IndexedBy): Table<T> {
    const empty = new Table<T>(new BTree(undefined, byId), indexedBy, new BTree(undefined, byText))
    return empty.with(Object.entries(records).map(([id, record]) => [Number(id), record]))
  }

  get size(): number {
    return this.#records.size
  }

  /** The record of an id, or of its decimal digits. */
  get(id: number | string): T | undefined {
    const key = Number(id)
    return Number.isNaN(key) ? undefined : this.#records.get(key)
  }

  has(id: number | string): boolean {
    return this.get(id) !== undefined
  }

  /** The greatest id */
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

  /** The ids of the records with this text in the index. */
  idsOf(text: string): readonly number[] {
    return this.#index.getRange([text, 0], [text, Infinity]).map(([[, id]]) => id)
  }

  /** The first record by the index; of the same text, that of the lowest id. */
  get first(): { text: string; id: number } | undefined {
    const key = this.#index.minKey()
    return key && { text: key[0], id: key[1] }
  }

  /** Another table with these records; undefined removes. */
  with(changes: Iterable<readonly [number, T | undefined]>): Table<T> {
    const records = this.#records.clone()
    const index = this.#indexedBy ? this.#index.clone() : this.#index
    for (const [id, record] of changes) {
      const [old, text] = [this.#textOf(records.get(id)), this.#textOf(record)]
      if (old !== text) {
        if (old !== undefined) index.delete([old, id])
        if (text !== undefined) index.set([text, id], undefined)
      }
      if (record === undefined) records.delete(id)
      else records.set(id, record)
    }
    return new Table(records, this.#indexedBy, index)
  }

  #textOf(record: T | undefined): string | undefined {
    return record && this.#indexedBy?.(record as never)
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

function byText([a, first]: Entry, [b, second]: Entry): number {
  return a === b ? first - second : a < b ? -1 : 1
}
