// Runs before each command in a clone, and before tests of the build. To start fast, it loads only node:fs until a
// build is needed.
import { existsSync, readdirSync, statSync } from 'node:fs'
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
 * Builds the program, and starts a build of everything (dashboard, guide and types, too) in the background.
 * @param {string[]} args
 */
export async function buildToStart(args) {
  const built = getTime('.built')
  if (!isStale(built)) return
  const started = getTime('.started')
  if (isStale(started)) {
    await checkPort(args)
    await build(
      built === 0
        ? 'Building the program, once: 5 to 15 seconds. The dashboard and the guide follow while it runs.'
        : 'The sources have changed. Building.',
      'build:quick',
    )
  }
  // Another start may already be building everything.
  else if (Date.now() - started < 60_000) return
  if (process.env['CI']) return // CI doesn't need the dashboard
  const { spawn } = await import('node:child_process')
  spawn('npm run --silent build', { cwd: root, stdio: 'ignore', shell: true, detached: true }).unref()
}

/** Exits before the build if the server's port is taken. @param {string[]} args */
async function checkPort(args) {
  const isServe = args[0] === undefined || args[0] === 'serve' || args[0].startsWith('-')
  if (!isServe || args.some((arg) => ['-h', '--help', '-V', '--version'].includes(arg))) return
  const { parseArgs } = await import('node:util')
  const { createServer } = await import('node:net')
  const options = /** @type {const} */ ({ port: { type: 'string', short: 'p' }, host: { type: 'string' } })
  const { values } = parseArgs({ args, options, strict: false })
  const port = Number(values.port ?? (process.env['PORT'] || 4010))
  const host = String(values.host ?? (process.env['HOST'] || '127.0.0.1'))
  if (!(port > 0 && port < 65_536)) return
  const isTaken = await new Promise((resolve) => {
    const server = createServer().listen(port, host, () => server.close(() => resolve(false)))
    server.once('error', (/** @type {NodeJS.ErrnoException} */ { code }) => resolve(code === 'EADDRINUSE'))
  })
  if (!isTaken) return
  process.stderr.write(`proxysim: Port ${port} of ${host} is taken. Choose another one with --port.\n`)
  process.exit(2)
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
