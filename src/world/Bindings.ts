import { treeOf } from './Table.ts'
import type { Service } from './World.ts'

type Services = Iterable<readonly [number, Pick<Service, 'bindedip'>]>

/** Which services an address is bound to: an index over the services that is a value like them. */
export class Bindings {
  /** `192.0.2.10 5001` */
  readonly #tree: ReturnType<typeof treeOf<string, true>>

  private constructor(tree: ReturnType<typeof treeOf<string, true>>) {
    this.#tree = tree
  }

  static of(services: Services): Bindings {
    const keys: string[] = []
    for (const [id, { bindedip }] of services) if (bindedip) keys.push(keyOf(bindedip, id))
    keys.sort((a, b) => (a < b ? -1 : 1))
    return new Bindings(
      treeOf(
        keys,
        keys.map(() => true as const),
      ),
    )
  }

  /** The services that an address is bound to. */
  *services(ip: string): Generator<number> {
    const start = `${ip} `
    for (const key of this.#tree.keys(start)) {
      if (!key.startsWith(start)) return
      yield Number(key.slice(start.length))
    }
  }

  /** The index after services have changed: itself if none of their addresses did. */
  with(changes: readonly { id: number; before: string | undefined; after: string | undefined }[]): Bindings {
    const moved = changes.filter(({ before, after }) => (before ?? '') !== (after ?? ''))
    if (moved.length === 0) return this
    const tree = this.#tree.clone()
    for (const { id, before } of moved) if (before) tree.delete(keyOf(before, id))
    for (const { id, after } of moved) if (after) tree.set(keyOf(after, id), true)
    return new Bindings(tree)
  }

  /** Derived, so it isn't written out. */
  toJSON(): undefined {
    return undefined
  }
}

function keyOf(ip: string, id: number): string {
  return `${ip} ${id}`
}
