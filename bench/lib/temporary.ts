import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder for results that are expensive to create, such as the build and the peers. It is reused between runs, and outside the product. */
export const cache = join(tmpdir(), 'proxysim-bench')

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Creates a folder that is removed when the process exits. */
export function temporaryFolder(): string {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'run-'))
  folders.push(folder)
  return folder
}
