import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder outside the product for expensive results, such as the build and the peers. Later runs reuse them. */
export const cacheFolder = join(tmpdir(), 'proxysim-bench')

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Creates a folder that is removed when the process exits. */
export function createTemporaryFolder(): string {
  mkdirSync(cacheFolder, { recursive: true })
  const folder = mkdtempSync(join(cacheFolder, 'run-'))
  folders.push(folder)
  return folder
}
