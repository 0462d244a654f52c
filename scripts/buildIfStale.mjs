// Runs before each command in a clone, and before tests of the build. To start fast, it loads only node:fs until a
// build is needed.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = [
  'src',
  'ui',
  'scripts',
  'docs',
  'README.md',
  'SECURITY.md',
  'llms.txt',
  'openapi.yaml',
  'admin.openapi.yaml',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

/** Builds everything if a source of dist/ is newer than dist/.built. Tests of the build call it. */
export default async function buildIfStale() {
  if (isStale(getTime('.built'))) await build('Building everything.', 'build')
}

/**
 * Builds the program. For `serve`, also starts a build of everything (dashboard, guide and types, too) in the background, which
 * ends with this process.
 * @param {string[]} args
 */
export async function buildToStart(args) {
  const built = getTime('.built')
  if (!isStale(built)) return
  const started = getTime('.started')
  if (isStale(started)) {
    await build(
      built === 0
        ? 'Building the program, once: 5 to 15 seconds. The dashboard and the guide follow while it runs.'
        : 'The sources have changed. Building.',
      'build:quick',
    )
  }
  const isServe = args[0] === undefined || args[0] === 'serve' || args[0].startsWith('-')
  if (!isServe || process.env['CI'] || isBuilding()) return // CI doesn't need the dashboard
  const { spawn } = await import('node:child_process')
  const child = spawn('npm run --silent build', { cwd: root, stdio: 'ignore', shell: true, detached: true })
  const { pid } = child
  if (pid === undefined) return
  child.unref()
  writeFileSync(buildingMark, String(pid))
  process.once('exit', () => {
    try {
      process.kill(-pid) // npm and all that it has started
      rmSync(buildingMark, { force: true }) // the process may stay as a zombie, which looks alive
    } catch {
      // The build has ended.
    }
  })
}

const buildingMark = `${root}dist/.building`

/** Whether another start is building everything. */
function isBuilding() {
  try {
    return process.kill(Number(readFileSync(buildingMark, 'utf8')), 0)
  } catch {
    return false
  }
}

/** Runs a build, and exits if it fails. @param {string} message @param {string} script */
async function build(message, script) {
  if (!existsSync(`${root}node_modules`)) {
    process.stderr.write(`proxysim: The dependencies are not installed. Run \`npm ci\` in ${root} first.\n`)
    process.exit(1)
  }
  const { spawnSync } = await import('node:child_process')
  process.stderr.write(`${message}\n`)
  const began = Date.now()
  // Standard output is reserved for the command.
  const { status } = spawnSync(`npm run --silent ${script}`, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: true,
  })
  if (status !== 0) {
    process.stderr.write('The build failed. If a package was not found, run `npm ci`.\n')
    process.exit(status ?? 1)
  }
  process.stderr.write(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.\n`)
}

/** @param {string} mark */
function getTime(mark) {
  return statSync(`${root}dist/${mark}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** @param {number} time */
function isStale(time) {
  return time === 0 || sources.some((path) => isNewer(`${root}${path}`, time))
}

/** @param {string} path @param {number} time @returns {boolean} */
function isNewer(path, time) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return false
  // A folder's modification time changes when files in it are deleted.
  if (stat.mtimeMs > time) return true
  return (
    stat.isDirectory() &&
    readdirSync(path).some((name) => name !== 'node_modules' && isNewer(`${path}/${name}`, time))
  )
}
