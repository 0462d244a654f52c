import { SortedTree } from './SortedTree.ts'

/** The text that a record is found by; undefined if it isn't in the index */
export type IndexedBy = (record: never) => string | undefined

/**
 * Records by numeric id, in ascending order, which is the order of the contract's lists. A table never changes: `with`
 * gives another one, which shares with this one all that it doesn't touch. So whoever holds a table holds that moment.
 * A table can have an index, which is a part of the value too.
 * @example services.with([[5001, { ...service, status: 'Active' }], [5002, undefined]])
 */
export class Table<T> {
  readonly #records: SortedTree<number, T>
  readonly #indexedBy: IndexedBy | undefined
  /** The ids of the records with a text */
  readonly #index: SortedTree<string, readonly number[]>

  private constructor(
    records: SortedTree<number, T>,
    indexedBy: IndexedBy | undefined,
    index: SortedTree<string, readonly number[]>,
  ) {
    this.#records = records
    this.#indexedBy = indexedBy
    this.#index = index
  }

  /** A table of records by id, as JSON has them. */
  static of<T>(records: Readonly<Record<string, T>> = {}, indexedBy?: IndexedBy): Table<T> {
    const entries = Object.entries(records)
      .map(([id, record]) => [Number(id), record] as const)
      .toSorted(([a], [b]) => a - b)
    return new Table(SortedTree.of(entries), indexedBy, indexOf(entries, indexedBy))
  }

  get size(): number {
    return this.#records.size
  }

  /** The record of an id, or of its decimal digits. */
  get(id: number | string): T | undefined {
    return this.#records.get(Number(id))
  }

  has(id: number | string): boolean {
    return this.get(id) !== undefined
  }

  /** The greatest id */
  get lastId(): number | undefined {
    return this.#records.lastKey
  }

  *keys(): Generator<number> {
    for (const [id] of this.#records.entries()) yield id
  }

  *values(): Generator<T> {
    for (const [, record] of this.#records.entries()) yield record
  }

  entries(): Generator<[number, T]> {
    return this.#records.entries()
  }

  map<U>(map: (record: T, id: number) => U): U[] {
    const mapped: U[] = []
    this.#records.forEach((record, id) => void mapped.push(map(record, id)))
    return mapped
  }

  /** The ids of the records with this text in the index. */
  idsOf(text: string): readonly number[] {
    return this.#index.get(text) ?? []
  }

  /** The first record by the index; of the same text, that of the lowest id. */
  get first(): { text: string; id: number } | undefined {
    const { first } = this.#index
    return first && { text: first[0], id: first[1][0] as number }
  }

  #textOf(record: T | undefined): string | undefined {
    return record && this.#indexedBy?.(record as never)
  }

  /** Another table with these records; undefined removes. */
  with(changes: Iterable<readonly [number, T | undefined]>): Table<T> {
    let records = this.#records
    let index = this.#index
    for (const [id, record] of changes) {
      const [old, text] = [this.#textOf(records.get(id)), this.#textOf(record)]
      if (old !== text) {
        if (old !== undefined)
          index = withIds(
            index,
            old,
            (index.get(old) ?? []).filter((other) => other !== id),
          )
        if (text !== undefined)
          index = withIds(
            index,
            text,
            [...(index.get(text) ?? []), id].toSorted((a, b) => a - b),
          )
      }
      records = record === undefined ? records.delete(id) : records.set(id, record)
    }
    return new Table(records, this.#indexedBy, index)
  }

  /** The records by id. */
  toJSON(): Record<string, T> {
    const json: Record<string, T> = {}
    this.#records.forEach((record, id) => void (json[id] = record))
    return json
  }
}

type Index = SortedTree<string, readonly number[]>

function withIds(index: Index, text: string, ids: readonly number[]): Index {
  return ids.length === 0 ? index.delete(text) : index.set(text, ids)
}

function indexOf(entries: readonly (readonly [number, unknown])[], indexedBy: IndexedBy | undefined): Index {
  const ids = new Map<string, number[]>()
  for (const [id, record] of entries) {
    const text = indexedBy?.(record as never)
    if (text === undefined) continue
    const others = ids.get(text)
    if (others) others.push(id)
    else ids.set(text, [id])
  }
  return SortedTree.of([...ids].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
