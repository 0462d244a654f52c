import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { UserError } from '../UserError.ts'
import { didYouMean } from '../world/nearest.ts'

/** The only names that are looked up; whatever else is asked for is no name of ours, and no path. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const extensions = ['.yaml', '.yml', '.json']

/** A name that is no scenario's (or no fixture's); the message lists what there is. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
}

/** Which file a name stands for. Folders are looked through once, at the start; no path is ever made from a name. */
export class NameIndex {
  readonly #kind: string
  /** The file that counts first, then those of the same name that it stands before */
  readonly #files = new Map<string, string[]>()

  /** @param kind what the names are names of, for messages */
  constructor(kind: string) {
    this.#kind = kind
  }

  /** Adds the files of a folder; they stand before those of folders that were added before. @throws UserError */
  async add(folder: string, { mayBeMissing = false } = {}): Promise<this> {
    for (const [name, file] of await filesOf(folder, mayBeMissing))
      this.#files.set(name, [file, ...(this.#files.get(name) ?? [])])
    return this
  }

  /** These names, and where they are missing, those of another folder. */
  async over(folder: string): Promise<NameIndex> {
    const both = await new NameIndex(this.#kind).add(folder, { mayBeMissing: true })
    for (const [name, files] of this.#files) both.#files.set(name, files)
    return both
  }

  get names(): string[] {
    return [...this.#files.keys()].toSorted()
  }

  /**
   * The file of a name.
   * @param below a file of that name itself: then the one that it stands before
   * @throws UnknownScenario
   */
  file(name: string, below?: string): string {
    const files = namePattern.test(name) ? (this.#files.get(name) ?? []) : []
    const found = files[below === undefined ? 0 : files.indexOf(below) + 1] ?? files[0]
    if (found !== undefined) return found
    throw new UnknownScenario(
      `There is no ${this.#kind} ${JSON.stringify(name)}${didYouMean(name, this.names) || '.'} There are: ${this.names.join(', ') || 'none'}.`,
    )
  }
}

async function filesOf(folder: string, mayBeMissing: boolean): Promise<[name: string, file: string][]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (mayBeMissing) return []
    throw new UserError(`The folder of scenarios ${folder} can't be read (${error.code}).`, { cause: error })
  })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
    .filter((file) => extensions.includes(extname(file)) && namePattern.test(basename(file, extname(file))))
    .map((file) => [basename(file, extname(file)), join(folder, file)])
}

/** Whether what the command line names is a path to a file, rather than a scenario's name. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
