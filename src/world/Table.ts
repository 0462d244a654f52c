import { SortedTree } from './SortedTree.ts'

/** Returns the index key of a record; undefined if the record isn't in the index */
export type IndexedBy = (record: never) => string | undefined

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table is immutable: `with`
 * returns another table that shares the unchanged records.
 * A table can have an index, which `with` keeps up to date.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #records: SortedTree<number, T>
  readonly #getKey: IndexedBy | undefined
  /** Ids by index key and id */
  readonly #index: SortedTree<string, number>

  private constructor(
    records: SortedTree<number, T>,
    getKey: IndexedBy | undefined,
    index: SortedTree<string, number>,
  ) {
    this.#records = records
    this.#getKey = getKey
    this.#index = index
  }

  /** A table of JSON records by id. */
  static of<T>(records: Readonly<Record<string, T>> = {}, indexedBy?: IndexedBy): Table<T> {
    return new Table<T>(SortedTree.empty, indexedBy, SortedTree.empty).with(
      Object.entries(records).map(([id, record]) => [Number(id), record]),
    )
  }

  get size(): number {
    return this.#records.size
  }

  /** @param id a number, or its decimal digits */
  get(id: number | string): T | undefined {
    return this.#records.get(Number(id))
  }

  has(id: number | string): boolean {
    return this.get(id) !== undefined
  }

  /** The highest id */
  get lastId(): number | undefined {
    return this.#records.lastKey
  }

  keys(): IterableIterator<number> {
    return this.map((_record, id) => id).values()
  }

  values(): IterableIterator<T> {
    return this.map((record) => record).values()
  }

  entries(): IterableIterator<[number, T]> {
    return this.map<[number, T]>((record, id) => [id, record]).values()
  }

  map<U>(map: (record: T, id: number) => U): U[] {
    const mapped: U[] = []
    this.#records.forEach((record, id) => void mapped.push(map(record, id)))
    return mapped
  }

  /** The ids of the records with this index key. */
  findIds(key: string): readonly number[] {
    const ids: number[] = []
    this.#index.forEach((id) => void ids.push(id), toIndexKey(key, 0), toIndexKey(key, maxId))
    return ids
  }

  /** The first record in index order, with its index key. Records with equal keys are ordered by id. */
  get firstInIndex(): { key: string; id: number } | undefined {
    const first = this.#index.firstKey
    if (first === undefined) return undefined
    const end = first.lastIndexOf(separator)
    return { key: first.slice(0, end), id: Number(first.slice(end + 1)) }
  }

  /** A copy with these records, each listed once; undefined removes a record. */
  with(changes: readonly (readonly [number, T | undefined])[]): Table<T> {
    const getKey = this.#getKey
    if (changes.length > minBulk && changes.length > this.size / 4) {
      const all = [...new Map<number, T | undefined>([...this.entries(), ...changes])]
      const entries = all.filter((entry): entry is [number, T] => entry[1] !== undefined)
      const keys = entries.map(([id, record]) => [getKey?.(record as never), id] as const)
      const index = keys.flatMap(([key, id]) =>
        key === undefined ? [] : [[toIndexKey(key, id), id] as const],
      )
      return new Table(SortedTree.of(entries), getKey, SortedTree.of(index))
    }
    let records = this.#records
    let index = this.#index
    for (const [id, record] of changes) {
      if (getKey) {
        const old = records.get(id)
        const [before, after] = [old && getKey(old as never), record && getKey(record as never)]
        if (before !== after) {
          if (before !== undefined) index = index.with(toIndexKey(before, id), undefined)
          if (after !== undefined) index = index.with(toIndexKey(after, id), id)
        }
      }
      records = records.with(id, record)
    }
    return new Table(records, getKey, index)
  }

  /** The records by id. */
  toJSON(): Record<string, T> {
    const json: Record<string, T> = {}
    this.#records.forEach((record, id) => void (json[id] = record))
    return json
  }
}

/** Number of changes from which a tree is rebuilt if they are many for its size. It then shares no nodes with the old one. */
const minBulk = 64

const maxId = 9_999_999_999
const separator = '\0'

/** The position of a record in the index: by key, then by id. */
function toIndexKey(key: string, id: number): string {
  return `${key}${separator}${String(id).padStart(String(maxId).length, '0')}`
}
