import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cache } from './temporary.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The inputs of a build, and the files that the built product reads */
const parts = [
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

let built: string | undefined

/**
 * Builds the product as it is published, from a copy, so that work that goes on in the sources does not change what
 * is measured. Once a process.
 * @returns the folder that stands for the package
 */
export function build(): string {
  if (built !== undefined) return built
  // each clone has its own: two may be measured at once
  const folder = join(cache, `product-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`)
  mkdirSync(folder, { recursive: true })
  for (const part of parts) {
    rmSync(join(folder, part), { recursive: true, force: true })
    if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  rmSync(join(folder, 'node_modules'), { force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  // standard output is for the tables
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error('The build failed.')
  built = folder
  return folder
}
