/** How a path is known: its first value, which was read only later, or a value that the recording has read or set. */
export type Mark = 'initial' | 'read'

/** The known paths of an account's state at one point of a recording. */
export class Known {
  readonly #marks = new Map<string, Map<string, Mark>>()

  get(path: string): Mark | undefined {
    return this.#marks.get(recordOf(path))?.get(path)
  }

  /** How the existence of a record is known, possibly from a list. A list may leave out hidden products. */
  ofRecord(path: string): Mark | undefined {
    const own = this.get(path)
    if (own || path.startsWith('products/') || path !== recordOf(path)) return own
    return this.get(`${path.slice(0, path.indexOf('/'))}/*`)
  }

  set(path: string, mark: Mark): void {
    const record = recordOf(path)
    const own = this.#marks.get(record)
    if (own) own.set(path, mark)
    else this.#marks.set(record, new Map([[path, mark]]))
  }

  /** Forgets a changed path, and all paths below it. */
  forget(path: string): void {
    const own = this.#marks.get(recordOf(path))
    for (const one of own?.keys() ?? []) if (one === path || one.startsWith(`${path}/`)) own?.delete(one)
  }
}

/** `services/5001/status` → `services/5001` */
export function recordOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/') + 1)
  return end < 0 ? path : path.slice(0, end)
}
