/** Entries of a leaf, and children of a node above: of more, a kept version takes more memory; of less, reading takes longer */
const most = 16

/**
 * A leaf has keys in ascending order, each followed by its value; a node above has for each child a key that is not
 * greater than any in it, followed by the child. Arrays have no slack, as each change keeps some of them for good.
 */
type Node = readonly unknown[]

/**
 * Values by key in ascending order. A tree never changes: `set` and `delete` give another one, which shares with this one
 * all nodes but those on the way to the key.
 */
export class SortedTree<K extends number | string, V> {
  readonly size: number
  readonly #root: Node
  /** Number of levels above the leaves */
  readonly #height: number

  private constructor(root: Node, height: number, size: number) {
    this.#root = root
    this.#height = height
    this.size = size
  }

  /** A tree of entries that are sorted by key. */
  static of<K extends number | string, V>(entries: readonly (readonly [K, V])[]): SortedTree<K, V> {
    let nodes: Node[] = chunked(entries).map((chunk) => chunk.flat(1))
    let height = 0
    for (; nodes.length > 1; height++)
      nodes = chunked(nodes).map((chunk) => chunk.flatMap((node) => [node[0], node]))
    return new SortedTree(nodes[0] ?? [], height, entries.length)
  }

  get(key: K): V | undefined {
    let node = this.#root
    for (let level = this.#height; level > 0; level--)
      node = node[Math.max(placeOf(node, key), 0) + 1] as Node
    const at = placeOf(node, key)
    return at >= 0 && node[at] === key ? (node[at + 1] as V) : undefined
  }

  /** The entry of the least key. */
  get first(): readonly [K, V] | undefined {
    let node = this.#root
    for (let level = this.#height; level > 0; level--) node = node[1] as Node
    return node.length === 0 ? undefined : (node as unknown as [K, V])
  }

  get lastKey(): K | undefined {
    let node = this.#root
    for (let level = this.#height; level > 0; level--) node = node.at(-1) as Node
    return node.at(-2) as K | undefined
  }

  set(key: K, value: V): SortedTree<K, V> {
    const [root, right] = put(this.#root, this.#height, key, value)
    const size = this.get(key) === undefined ? this.size + 1 : this.size
    return right
      ? new SortedTree([root[0], root, right[0], right], this.#height + 1, size)
      : new SortedTree(root, this.#height, size)
  }

  delete(key: K): SortedTree<K, V> {
    if (this.get(key) === undefined) return this
    return new SortedTree(
      without(this.#root, this.#height, key),
      this.size === 1 ? 0 : this.#height,
      this.size - 1,
    )
  }

  forEach(each: (value: V, key: K) => void): void {
    visit(this.#root, this.#height, each as (value: unknown, key: unknown) => void)
  }

  entries(): Generator<[K, V]> {
    return walk(this.#root, this.#height) as Generator<[K, V]>
  }
}

/** Where the last key is that isn't greater than this one; below 0 if all are. */
function placeOf(node: Node, key: number | string): number {
  let low = 0
  let high = node.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if ((node[middle * 2] as number | string) <= key) low = middle + 1
    else high = middle
  }
  return low * 2 - 2
}

/** The node with a value; two if it became too long. */
function put(node: Node, level: number, key: number | string, value: unknown): readonly [Node, Node?] {
  const at = placeOf(node, key)
  if (level === 0)
    return at >= 0 && node[at] === key ? [replaced(node, at, key, value)] : inserted(node, at + 2, key, value)
  const place = Math.max(at, 0)
  const [child, right] = put(node[place + 1] as Node, level - 1, key, value)
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
function without(node: Node, level: number, key: number | string): Node {
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
