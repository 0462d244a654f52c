import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { isSameFile } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { noSuch } from '../lib/nearest.ts'

/** Hidden files aren't scenarios; what a terminal can't print is no name. */
const namePattern = /^[^.\p{Cc}][^\p{Cc}]{0,99}$/u
const extensions = ['.yaml', '.yml', '.json']

/** There is no scenario (or fixture) of that name; the message lists the first available ones. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
}

/** Maps names to files. A path is never built from a name. */
export interface NameIndex {
  names: string[]
  /**
   * The file of a name.
   * @param below a file of that name: returns the one it shadows
   * @throws UnknownScenario
   */
  fileOf: (name: string, below?: string) => string
}

/** The scenarios or fixtures of folders, the first of which takes precedence; there may be no such folder. */
export async function indexNames(kind: string, folders: readonly string[]): Promise<NameIndex> {
  const files = new Map<string, string[]>()
  for (const folder of folders) {
    const inside = await readdir(folder).catch((): string[] => [])
    for (const file of inside.toSorted().toReversed()) {
      // `.yaml` comes before `.json`. A name that looks like a path, as that of `a.json.yaml`, couldn't be asked for.
      const name = basename(file, extname(file))
      if (extensions.includes(extname(file)) && namePattern.test(name) && !isFile(name))
        files.set(name, [...(files.get(name) ?? []), join(folder, file)])
    }
  }
  const names = [...files.keys()].toSorted()
  return {
    names,
    fileOf(name, below) {
      const all = files.get(name) ?? []
      const found = all[all.findIndex((file) => below !== undefined && isSameFile(file, below)) + 1] ?? all[0]
      if (found === undefined) throw new UnknownScenario(noSuch(kind, name, names))
      return found
    },
  }
}

/** Whether a command-line argument is a path to a file rather than a scenario's name. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
