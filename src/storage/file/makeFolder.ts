import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './syncFolder.ts'

/**
 * Makes a folder, and those that it lies in. Node's own `recursive` never returns under `/proc`, where a folder can't be
 * made for ENOENT although the one above is there.
 */
export async function makeFolder(folder: string, { fsync }: { fsync: boolean }): Promise<void> {
  if (await isFolder(folder)) return
  const above = dirname(folder)
  if (above !== folder) await makeFolder(above, { fsync })
  try {
    await mkdir(folder)
  } catch (error) {
    if (!(await isFolder(folder))) throw error // another process may have been faster
  }
  if (fsync) await syncFolder(above)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
