import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './temporary.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The inputs of a build, and the files that the built product reads */
const copiedPaths = [
  'bin',
  'src',
  'ui',
  'scripts',
  'scenarios',
  'fixtures',
  'openapi.yaml',
  'admin.openapi.yaml',
  'scenario.schema.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'docs',
  'llms.txt',
  'examples',
  'CHANGELOG.md',
]

let builtFolder: string | undefined

/**
 * Builds the published product from a copy, so that edits during a run don't affect the results. Later calls in the same
 * process return the same build.
 * @returns the package's folder
 */
export function buildProduct(): string {
  if (builtFolder !== undefined) return builtFolder
  // Each clone has its own folder, so two clones can be measured at the same time.
  const folder = join(cacheFolder, `product-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`)
  mkdirSync(folder, { recursive: true })
  for (const part of copiedPaths) {
    rmSync(join(folder, part), { recursive: true, force: true })
    if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  rmSync(join(folder, 'node_modules'), { force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  // Standard output is reserved for the tables.
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error('The build failed.')
  builtFolder = folder
  return folder
}
