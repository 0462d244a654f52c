import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cache } from './temporary.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the product as it is published, beside copies of what it reads, so that a build that goes on elsewhere
 * does not change what is measured.
 * @returns the folder that stands for the package
 */
export function build(): string {
  const folder = join(cache, 'product')
  mkdirSync(folder, { recursive: true })
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--project',
      join(root, 'tsconfig.build.json'),
      '--outDir',
      join(folder, 'dist'),
      '--tsBuildInfoFile',
      join(folder, 'dist/.tsbuildinfo'),
    ],
    { stdio: ['ignore', 2, 2] }, // standard output is for the tables
  )
  if (status !== 0)
    process.stderr.write('The compiler found errors; what it made all the same is measured.\n')
  for (const name of ['openapi.yaml', 'admin.openapi.yaml', 'package.json', 'scenarios', 'fixtures'])
    copy(join(root, name), join(folder, name))
  rmSync(join(folder, 'node_modules'), { force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function copy(from: string, to: string): void {
  try {
    cpSync(from, to, { recursive: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
