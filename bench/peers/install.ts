import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../lib/temporary.ts'

export interface Installation {
  folder: string
  packages: number
  bytes: number
}

/** Installs packages into the cache, once per version. @throws if the registry doesn't have them */
export function install(name: string, packages: readonly string[]): Installation {
  const folder = join(cacheFolder, 'peers', name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
  const mark = join(folder, 'installed')
  const specifiers = packages.join(' ')
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== specifiers) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    // `npm run` passes on the settings of this project, which refuse packages for another version of Node.
    const options = [
      '--engine-strict=false',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel',
      'error',
    ]
    execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: ['ignore', 2, 2] })
    writeFileSync(mark, specifiers)
  }
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object
  }
  return {
    folder,
    packages: Object.keys(lock.packages).length,
    bytes: Number(
      execFileSync('du', ['-sb', join(folder, 'node_modules')], { encoding: 'utf8' }).split('\t')[0],
    ),
  }
}

/** Installs proxysim as a user would, from the published package. */
export function installProduct(product: string): Installation {
  const folder = join(cacheFolder, 'pack')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: product,
    stdio: ['ignore', 2, 2],
  })
  const [file] = readdirSync(folder)
  rmSync(join(cacheFolder, 'peers/ours'), { recursive: true, force: true })
  return install('ours', [join(folder, file as string)])
}
