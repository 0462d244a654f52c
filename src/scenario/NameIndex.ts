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
export interface NameIndex {
  /** What the names refer to, for messages */
  kind: string
  /** Name → its files; the first takes precedence, the others are shadowed */
  files: ReadonlyMap<string, readonly string[]>
  /** Why files of a folder are not among them: told to who asks for a name that isn't found */
  unreadable?: string
}

export interface Folder {
  path: string
  mayBeMissing?: boolean
}

/**
 * The scenarios or fixtures of folders, the first of which takes precedence.
 * @throws UserError if one can't be read, unless it may be missing
 */
export async function indexFolders(kind: string, folders: readonly Folder[]): Promise<NameIndex> {
  const files = new Map<string, string[]>()
  let unreadable: string | undefined
  for (const { path, mayBeMissing } of folders)
    try {
      for (const [name, file] of await filesOf(path)) files.set(name, [...(files.get(name) ?? []), file])
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && mayBeMissing) continue
      unreadable = `The folder of ${kind}s ${path} can't be read (${code}).`
      if (!mayBeMissing) throw new UserError(unreadable, { cause: error })
    }
  return { kind, files, ...(unreadable !== undefined && { unreadable }) }
}

export function namesOf({ files }: NameIndex): string[] {
  return [...files.keys()].toSorted()
}

/**
 * The file of a name.
 * @param below a file of that name: returns the one it shadows
 * @throws UnknownScenario
 */
export function fileOf(index: NameIndex, name: string, below?: string): string {
  const files = index.files.get(name) ?? []
  const next = below === undefined ? 0 : files.findIndex((file) => isSameFile(file, below)) + 1
  const found = files[next] ?? files[0]
  if (found !== undefined) return found
  const unreadable = index.unreadable === undefined ? '' : `${index.unreadable} `
  throw new UnknownScenario(`${unreadable}${noSuch(index.kind, name, namesOf(index))}`)
}

async function filesOf(folder: string): Promise<[name: string, file: string][]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .toSorted()
    .toReversed()
    .filter((file) => extensions.includes(extname(file)) && isName(basename(file, extname(file))))
    .map((file) => [basename(file, extname(file)), join(folder, file)])
}

/** A name that looks like a path, as that of `a.json.yaml`, couldn't be asked for. */
function isName(name: string): boolean {
  return namePattern.test(name) && !isFile(name)
}

/** Whether a command-line argument is a path to a file rather than a scenario's name. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || basename(name) !== name
}
