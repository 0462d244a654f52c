// Before `npm start`: builds only when something that goes into dist/ is newer than dist/.built.
// It runs at every start, so it loads nothing but node:fs until it has work to do.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const sources = [
  'src',
  'ui',
  'openapi.yaml',
  'admin.openapi.yaml',
  'scripts/build.ts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
]

/** @param {string} path @param {number} time */
function newer(path, time) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return false
  // A folder's own time tells of files that were deleted from it.
  if (stat.mtimeMs > time) return true
  return (
    stat.isDirectory() &&
    readdirSync(path).some((name) => name !== 'node_modules' && newer(`${path}/${name}`, time))
  )
}

function isStale() {
  // An installed package has no sources, and nothing to build from.
  if (!existsSync('src')) return false
  const built = statSync('dist/.built', { throwIfNoEntry: false })
  return !built || sources.some((path) => newer(path, built.mtimeMs))
}

if (isStale()) {
  const { spawnSync } = await import('node:child_process')
  process.stderr.write('The build is older than its sources: building.\n')
  const { status } = spawnSync('npm run --silent build', { stdio: 'inherit', shell: true })
  if (status !== 0) process.stderr.write('The build failed. If tsc was not found, run `npm ci` first.\n')
  process.exitCode = status ?? 1
}
