import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createFolder } from './start.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Packages whose commands users run. */
const programs = ['vitest', 'tsx', 'openapi-typescript']

/**
 * Creates a user's project with proxysim and some packages installed.
 * @param project its folder. By default, a new one that is removed at the end of the test
 */
export function createProject(packages: readonly string[] = [], project = createFolder()): string {
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const name of packages) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
    if (programs.includes(name))
      symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name))
  }
  symlinkSync(root, join(modules, 'proxysim'))
  symlinkSync(join(root, 'bin/proxysim.mjs'), join(modules, '.bin/proxysim'))
  // As created by `npm init`, so modules need the extension `.mjs`.
  const manifest = { name: 'user', private: true, type: 'commonjs', scripts: { test: 'vitest run' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  // Busy machines need longer timeouts. The `vitest.config` of an example takes precedence over this file.
  const config = 'export default { test: { testTimeout: 60_000, hookTimeout: 60_000 } }\n'
  writeFileSync(join(project, 'vite.config.mjs'), config)
  return project
}

interface ScriptResult {
  code: number | null
  stdout: string
  stderr: string
  /** Both, interleaved */
  output: string
}

/**
 * Runs a script with a shell that stops at the first failure, without vitest's and npm's environment variables and with
 * the project's programs on the PATH. Processes that it leaves running are killed at the end of the test.
 */
export function runScript(
  script: string,
  cwd: string,
  env: Record<string, string> = {},
  shell: readonly [string, ...string[]] = ['sh', '-e'],
): Promise<ScriptResult> {
  const [program, ...flags] = shell
  const defaultEnv = { NO_COLOR: '1', NO_PROXY: '*', npm_config_offline: 'true', npm_config_yes: 'false' }
  const path = [join(cwd, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const child = spawn(program, [...flags, '-c', script], {
    cwd,
    env: { PATH: path, HOME: process.env['HOME'], ...defaultEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // no process was left running
    }
  })
  const printed = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
      printed.output += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...printed }))
  })
}
