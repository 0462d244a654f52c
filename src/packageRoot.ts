import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

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
