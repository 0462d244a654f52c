import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { UserError } from '../UserError.ts'
import { didYouMean } from '../world/nearest.ts'

/** Hidden files aren't scenarios; what a terminal can't print is no name. */
const namePattern = /^[^.\p{Cc}][^\p{Cc}]{0,99}$/u
const extensions = ['.yaml', '.yml', '.json']

/** How many names a message lists: beside a file there may be many that are no scenarios. */
const mostListed = 40

/** There is no scenario (or fixture) of that name; the message lists the first available ones. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
}

/** Maps names to files. Folders are scanned once, at the start; a path is never built from a name. */
export class NameIndex {
  readonly #kind: string
  /** Name → its files; the first takes precedence, the others are shadowed */
  readonly #files = new Map<string, string[]>()

  /** @param kind what the names refer to, for messages */
  constructor(kind: string) {
    this.#kind = kind
  }

  /** Adds the files of a folder, which take precedence over those added before. @throws UserError */
  async add(folder: string, { mayBeMissing = false } = {}): Promise<this> {
    for (const [name, file] of await filesOf(folder, mayBeMissing))
      this.#files.set(name, [file, ...(this.#files.get(name) ?? [])])
    return this
  }

  /** A copy with another folder as a fallback. */
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
   * @param below a file of that name: returns the one it shadows
   * @throws UnknownScenario
   */
  file(name: string, below?: string): string {
    const files = this.#files.get(name) ?? []
    const found = files[below === undefined ? 0 : files.indexOf(below) + 1] ?? files[0]
    if (found !== undefined) return found
    const { names } = this
    const more = names.length - mostListed
    const known = `${names.slice(0, mostListed).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`
    throw new UnknownScenario(
      `There is no ${this.#kind} ${JSON.stringify(name)}${didYouMean(name, names) || '.'} There are: ${known}.`,
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

/** Whether a command-line argument is a path to a file rather than a scenario's name. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
