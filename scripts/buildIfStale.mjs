// Runs before the command in a clone, and before tests of the build. As it runs on every start, it loads nothing but
// node:fs until it has to build.
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = [
  'src',
  'ui',
  'scripts',
  'docs',
  'README.md',
  'SECURITY.md',
  'openapi.yaml',
  'admin.openapi.yaml',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

/** Builds if something that goes into dist/ is newer than dist/.built. Ends the process if the build fails. */
export default async function buildIfStale() {
  const built = statSync(`${root}dist/.built`, { throwIfNoEntry: false })
  if (built && !sources.some((path) => isNewer(`${root}${path}`, built.mtimeMs))) return
  const { spawnSync } = await import('node:child_process')
  process.stderr.write(
    built ? 'The sources have changed: building.\n' : 'Building: the first start takes a moment.\n',
  )
  // Standard output belongs to the command.
  const { status } = spawnSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2], shell: true })
  if (status === 0) return
  process.stderr.write('The build failed. If a package was not found, run `npm ci` first.\n')
  process.exit(status ?? 1)
}

/** @param {string} path @param {number} time */
function isNewer(path, time) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return false
  // A folder's own time shows that files were deleted.
  if (stat.mtimeMs > time) return true
  return (
    stat.isDirectory() &&
    readdirSync(path).some((name) => name !== 'node_modules' && isNewer(`${path}/${name}`, time))
  )
}
