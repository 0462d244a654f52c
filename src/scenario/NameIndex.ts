import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { isSameFile } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { unknownName } from '../lib/nearest.ts'

/** Names of files that can be scenarios. Hidden files and unprintable names are ignored. */
const namePattern = /^[^.\p{Cc}][^\p{Cc}]{0,99}$/u
const extensions = ['.yaml', '.yml', '.json']

/** Thrown if there is no scenario or fixture with the given name. The message suggests a similar name, or lists the available ones. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'
  override readonly code = 'ERR_PROXYSIM_SCENARIO'
}

/** Maps names to files. Paths are never built from names. */
export interface NameIndex {
  names: string[]
  /**
   * Finds the file for a name.
   * @param shadowing a file with this name; if given, finds the file that it shadows
   * @throws UnknownScenario
   */
  findFile: (name: string, shadowing?: string) => string
}

/** The scenarios or fixtures of folders. The first folder takes precedence; a folder may be missing. */
export async function indexNames(kind: string, folders: readonly string[]): Promise<NameIndex> {
  const files = new Map<string, string[]>()
  for (const folder of folders) {
    const inside = await readdir(folder).catch((): string[] => [])
    for (const file of inside.toSorted().toReversed()) {
      // `.yaml` takes precedence over `.json`. A name that looks like a path, such as that of `a.json.yaml`, is ignored.
      const name = basename(file, extname(file))
      if (extensions.includes(extname(file)) && namePattern.test(name) && !isFilePath(name))
        files.set(name, [...(files.get(name) ?? []), join(folder, file)])
    }
  }
  const names = [...files.keys()].toSorted()
  return {
    names,
    findFile(name, shadowing) {
      const paths = files.get(name) ?? []
      const chosen =
        paths[paths.findIndex((file) => shadowing !== undefined && isSameFile(file, shadowing)) + 1] ??
        paths[0]
      if (chosen !== undefined) return chosen
      throw new UnknownScenario(unknownName(kind, name, names))
    },
  }
}

/** Whether a command-line argument is a path to a file rather than a scenario's name. */
export function isFilePath(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
