import { open } from 'node:fs/promises'

/** Syncs a folder's directory entries: without them, a synced file may have no name after a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // no such call, and the file system persists names itself
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
