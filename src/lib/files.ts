import { statSync, existsSync, readFileSync } from 'node:fs'
import { resolve, dirname } from 'node:path'
import { mkdir, stat, readFile } from 'node:fs/promises'
import { UserError } from './UserError.ts'
import { fileURLToPath } from 'node:url'

/** Whether two paths are those of the same file, however they are written, and through links too. */
export function isSameFile(one: string, other: string): boolean {
  return identityOf(one) === identityOf(other)
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    if (ino !== 0n) return `${dev}:${ino}` // some network drives of Windows number none
  } catch {
    // It may not exist.
  }
  return resolve(path)
}

/**
 * Creates a folder and its parents. Node's `recursive` never returns under `/proc`, where mkdir fails with ENOENT even
 * if the parent exists.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const above = dirname(folder)
  if (above !== folder) await makeFolder(above)
  try {
    await mkdir(folder)
  } catch (error) {
    if (!(await isFolder(folder))) throw error // another process may have created it
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** @throws UserError that names the file */
export function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`The file ${file} can't be read (${error.code}).`, { cause: error })
  })
}

/** The package's folder, wherever the build puts this module. */
const root = ((): URL => {
  let folder = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/')
    folder = new URL('..', folder)
  return folder
})()

/** The path of a file or folder in the package: `scenarios`, `dist/ui`. */
export function shipped(path: string): string {
  return fileURLToPath(new URL(path, root))
}

export const version = (JSON.parse(readFileSync(shipped('package.json'), 'utf8')) as { version: string })
  .version
