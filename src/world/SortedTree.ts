/** Entries of a leaf, and children of a node above: of more, a kept version takes more memory; of less, reading takes longer */
const most = 8

/**
 * A leaf has keys in ascending order, each followed by its value; a node above has for each child a key that is not
 * greater than any in it, followed by the child. Arrays have no slack, as each change keeps some of them for good.
 */
type Node = readonly unknown[]

type Key = number | string

/**
 * Values by key in ascending order. A tree never changes: `set` and `delete` give another one, which shares with this one
 * all nodes but those on the way to the key. Ids ascend, so what is added last stands in a leaf of its own (the tail)
 * until that is full: to add one copies nothing else.
 */
export class SortedTree<K extends Key, V> {
  readonly size: number
  readonly #root: Node
  /** Number of levels above the leaves */
  readonly #height: number
  /** The greatest keys, if not empty */
  readonly #tail: Node

  private constructor(root: Node, height: number, tail: Node, size: number) {
    this.#root = root
    this.#height = height
    this.#tail = tail
    this.size = size
  }

  /** A tree of entries that are sorted by key. */
  static of<K extends Key, V>(entries: readonly (readonly [K, V])[]): SortedTree<K, V> {
    let nodes: Node[] = chunked(entries).map((chunk) => chunk.flat(1))
    let height = 0
    for (; nodes.length > 1; height++)
      nodes = chunked(nodes).map((chunk) => chunk.flatMap((node) => [node[0], node]))
    return new SortedTree(nodes[0] ?? [], height, [], entries.length)
  }

  get(key: K): V | undefined {
    let node = this.#tail
    if (node.length === 0 || key < (node[0] as K)) {
      node = this.#root
      for (let level = this.#height; level > 0; level--)
        node = node[Math.max(placeOf(node, key), 0) + 1] as Node
    }
    const at = placeOf(node, key)
    return at >= 0 && node[at] === key ? (node[at + 1] as V) : undefined
  }

  /** The entry of the least key. */
  get first(): readonly [K, V] | undefined {
    let node = this.#root.length === 0 ? this.#tail : this.#root
    if (node === this.#root) for (let level = this.#height; level > 0; level--) node = node[1] as Node
    return node.length === 0 ? undefined : (node as unknown as [K, V])
  }

  get lastKey(): K | undefined {
    if (this.#tail.length > 0) return this.#tail.at(-2) as K
    let node = this.#root
    for (let level = this.#height; level > 0; level--) node = node.at(-1) as Node
    return node.at(-2) as K | undefined
  }

  set(key: K, value: V): SortedTree<K, V> {
    const size = this.get(key) === undefined ? this.size + 1 : this.size
    if (!this.#isInTail(key)) {
      const [root, height] = this.#put(0, key, value)
      return new SortedTree(root, height, this.#tail, size)
    }
    const [tail, next] = put(this.#tail, 0, 0, key, value)
    if (!next) return new SortedTree(this.#root, this.#height, tail, size)
    const [root, height] = this.#put(1, tail[0] as K, tail)
    return new SortedTree(root, height, next, size)
  }

  #isInTail(key: K): boolean {
    if (this.#tail.length > 0) return key >= (this.#tail[0] as K)
    const last = this.lastKey
    return last === undefined || key > last
  }

  /** @param level where it is put: 0 a value in a leaf, 1 a leaf in the node above @returns root and height */
  #put(level: number, key: K, value: unknown): readonly [Node, number] {
    if (this.#root.length === 0) return [level === 0 ? [key, value] : (value as Node), 0]
    const [left, right] =
      level > this.#height ? [this.#root, value as Node] : put(this.#root, this.#height, level, key, value)
    return right ? [[left[0], left, right[0], right], this.#height + 1] : [left, this.#height]
  }

  delete(key: K): SortedTree<K, V> {
    if (this.get(key) === undefined) return this
    const size = this.size - 1
    if (this.#isInTail(key))
      return new SortedTree(this.#root, this.#height, without(this.#tail, 0, key), size)
    const root = without(this.#root, this.#height, key)
    return new SortedTree(root, root.length === 0 ? 0 : this.#height, this.#tail, size)
  }

  forEach(each: (value: V, key: K) => void): void {
    visit(this.#root, this.#height, each as (value: unknown, key: unknown) => void)
    visit(this.#tail, 0, each as (value: unknown, key: unknown) => void)
  }

  *entries(): Generator<[K, V]> {
    yield* walk(this.#root, this.#height) as Generator<[K, V]>
    yield* walk(this.#tail, 0) as Generator<[K, V]>
  }
}

/** Where the last key is that isn't greater than this one; below 0 if all are. */
function placeOf(node: Node, key: Key): number {
  let low = 0
  let high = node.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if ((node[middle * 2] as Key) <= key) low = middle + 1
    else high = middle
  }
  return low * 2 - 2
}

/** The node with a key and its value, or child, at a level below; two nodes if it became too long. */
function put(node: Node, level: number, target: number, key: Key, value: unknown): readonly [Node, Node?] {
  const at = placeOf(node, key)
  if (level === target)
    return at >= 0 && node[at] === key ? [replaced(node, at, key, value)] : inserted(node, at + 2, key, value)
  const place = Math.max(at, 0)
  const [child, right] = put(node[place + 1] as Node, level - 1, target, key, value)
  const next = replaced(node, place, child[0], child)
  return right ? inserted(next, place + 2, right[0], right) : [next]
}

function replaced(node: Node, at: number, key: unknown, value: unknown): Node {
  const next = node.slice()
  next[at] = key
  next[at + 1] = value
  return next
}

function inserted(node: Node, at: number, key: unknown, value: unknown): readonly [Node, Node?] {
  const next = node.toSpliced(at, 0, key, value)
  if (next.length <= most * 2) return [next]
  // Ids ascend: what is added at the end leaves a full node behind.
  const half = at === node.length ? at : most
  return [next.slice(0, half), next.slice(half)]
}

/** The node without a key; what is empty then goes as well. */
function without(node: Node, level: number, key: Key): Node {
  const at = Math.max(placeOf(node, key), 0)
  const child = level === 0 ? [] : without(node[at + 1] as Node, level - 1, key)
  return child.length === 0 ? node.toSpliced(at, 2) : replaced(node, at, node[at], child)
}

function visit(node: Node, level: number, each: (value: unknown, key: unknown) => void): void {
  for (let i = 0; i < node.length; i += 2)
    if (level === 0) each(node[i + 1], node[i])
    else visit(node[i + 1] as Node, level - 1, each)
}

function* walk(node: Node, level: number): Generator<[unknown, unknown]> {
  for (let i = 0; i < node.length; i += 2)
    if (level === 0) yield [node[i], node[i + 1]]
    else yield* walk(node[i + 1] as Node, level - 1)
}

function chunked<T>(list: readonly T[]): (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, i) => list.slice(i * most, (i + 1) * most))
}
