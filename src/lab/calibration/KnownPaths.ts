/** How a value is known: `read` if an earlier call returned or set it; `initial` if it is part of the start state, which later calls may show. */
export type Provenance = 'initial' | 'read'

/** The paths of an account's state whose values are known at one point of a recording. */
export class KnownPaths {
  readonly #provenances = new Map<string, Map<string, Provenance>>()

  get(path: string): Provenance | undefined {
    return this.#provenances.get(recordPath(path))?.get(path)
  }

  /** How the existence of a record is known. Lists also show it, except that lists of products may leave out hidden ones. */
  getExistence(path: string): Provenance | undefined {
    const provenance = this.get(path)
    if (provenance || path.startsWith('products/') || path !== recordPath(path)) return provenance
    return this.get(`${path.slice(0, path.indexOf('/'))}/*`)
  }

  set(path: string, provenance: Provenance): void {
    const record = recordPath(path)
    const provenances = this.#provenances.get(record)
    if (provenances) provenances.set(path, provenance)
    else this.#provenances.set(record, new Map([[path, provenance]]))
  }

  /** Forgets a changed path, and all paths below it. */
  forget(path: string): void {
    const provenances = this.#provenances.get(recordPath(path))
    for (const knownPath of provenances?.keys() ?? [])
      if (knownPath === path || knownPath.startsWith(`${path}/`)) provenances?.delete(knownPath)
  }
}

/** `services/5001/status` → `services/5001` */
export function recordPath(path: string): string {
  const end = path.indexOf('/', path.indexOf('/') + 1)
  return end < 0 ? path : path.slice(0, end)
}
