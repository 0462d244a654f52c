import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { access, constants, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from './UserError.ts'

/** Whether two paths lead to the same file, including through symbolic or hard links. */
export function isSameFile(a: string, b: string): boolean {
  return fileIdentity(a) === fileIdentity(b)
}

function fileIdentity(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return resolve(path) // the file may not exist
  }
}

/** Creates a folder and its parents. Node's `recursive` option would never return under `/proc`. */
export function makeFolder(folder: string): void {
  const parent = dirname(folder)
  if (existsSync(folder) || parent === folder) return
  makeFolder(parent)
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another process has created it
  }
}

/**
 * Resolves symbolic links, so that all paths to a file become equal. The file may not exist yet; its folder is created.
 * @throws if the links form a loop, or a folder can't be created
 */
export function resolveLinks(path: string): string {
  makeFolder(dirname(path))
  if (statSync(path, { throwIfNoEntry: false })) return realpathSync(path)
  const folder = realpathSync(dirname(path))
  const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return isLink ? resolveLinks(resolve(folder, readlinkSync(path))) : join(folder, basename(path))
}

/**
 * Replaces a file as a whole, or leaves it unchanged if that fails, for example on a full disk. Its permissions are kept.
 * A draft beside it is renamed. A device, a pipe, or a file that can't be renamed over is written directly.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const path = resolveLinks(file)
  const earlier = statSync(path, { throwIfNoEntry: false })
  if (earlier) await access(path, constants.W_OK) // a rename would replace a read-only file, too
  // A rename would detach a file that a process has open as /dev/stdout.
  const isRenamable = earlier?.isFile() !== false && !/^\/(?:dev|proc)\//.test(resolve(file))
  const draft = join(dirname(path), `.proxysim-${randomBytes(6).toString('hex')}.tmp`)
  const handle = isRenamable ? await open(draft, 'wx').catch(ignoreForbidden) : undefined
  if (!handle) return writeFile(path, text)
  try {
    try {
      await handle.writeFile(text)
      if (earlier) await handle.chmod(earlier.mode & 0o777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const isReplaced = await rename(draft, path).then(() => true, ignoreForbidden)
    if (!isReplaced) await writeFile(path, text)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Ignores that a folder allows no new files, or that another file system is mounted on the file, as in containers. */
function ignoreForbidden(error: NodeJS.ErrnoException): undefined {
  if (!['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(error.code ?? '')) throw error
}

/** A text without the byte order mark that some editors put in front of it. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

/** Reads a text file, without a byte order mark. @throws UserError that names the file */
export function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').then(withoutMark, (error: NodeJS.ErrnoException) => {
    throw new UserError(`The file ${file} can't be read (${error.code}).`, {
      advice: 'Check its path and permissions.',
      cause: error,
    })
  })
}

/** The package's folder, wherever the build places this module. Bundlers for browsers rewrite `new URL(…, import.meta.url)`. */
const root = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
})()

/** The path of a file or folder in the package: `scenarios`, `dist/ui`. */
export function packagePath(path: string): string {
  return join(root, path)
}

export const version = readVersion()

/** @throws UserError if a bundler has copied the code out of the package, whose files it needs */
function readVersion(): string {
  if (!existsSync(packagePath('openapi.yaml')))
    throw new UserError("proxysim can't be bundled, because it reads files of its package.", {
      advice: 'Mark it as external, such as with --external:proxysim of esbuild.',
    })
  return (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version
}
