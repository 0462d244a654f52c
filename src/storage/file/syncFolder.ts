import { open } from 'node:fs/promises'

/** Waits until the names in a folder are on disk: a file may be there, and have no name after a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // there is no such call, and names are kept by the file system itself
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
