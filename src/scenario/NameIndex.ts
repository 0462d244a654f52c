import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { isSameFile } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { noSuch } from '../world/nearest.ts'

/** Hidden files aren't scenarios; what a terminal can't print is no name. */
const namePattern = /^[^.\p{Cc}][^\p{Cc}]{0,99}$/u
const extensions = ['.yaml', '.yml', '.json']

/** There is no scenario (or fixture) of that name; the message lists the first available ones. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
}

/** Maps names to files. A path is never built from a name. */
export class NameIndex {
  readonly #kind: string
  /** The first file of a name takes precedence, the others are shadowed */
  readonly #files = new Map<string, string[]>()

  private constructor(kind: string) {
    this.#kind = kind
  }

  /** The scenarios or fixtures of folders, the first of which takes precedence; there may be no such folder. */
  static async of(kind: string, folders: readonly string[]): Promise<NameIndex> {
    const index = new NameIndex(kind)
    for (const folder of folders)
      for (const file of await filesIn(folder)) {
        const name = basename(file, extname(file))
        // A name that looks like a path, as that of `a.json.yaml`, couldn't be asked for.
        if (!extensions.includes(extname(file)) || !namePattern.test(name) || isFile(name)) continue
        index.#files.set(name, [...(index.#files.get(name) ?? []), join(folder, file)])
      }
    return index
  }

  get names(): string[] {
    return [...this.#files.keys()].toSorted()
  }

  /**
   * The file of a name.
   * @param below a file of that name: returns the one it shadows
   * @throws UnknownScenario
   */
  fileOf(name: string, below?: string): string {
    const files = this.#files.get(name) ?? []
    const next = below === undefined ? 0 : files.findIndex((file) => isSameFile(file, below)) + 1
    const found = files[next] ?? files[0]
    if (found === undefined) throw new UnknownScenario(noSuch(this.#kind, name, this.names))
    return found
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch((): string[] => [])
  return files.toSorted((a, b) => (a < b ? 1 : -1)) // `.yaml` before `.json`
}

/** Whether a command-line argument is a path to a file rather than a scenario's name. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
