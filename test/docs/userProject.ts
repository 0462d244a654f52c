import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Of these packages users run the command. */
const programs = ['vitest', 'tsx']

/** A user's project, with proxysim and some packages installed; who makes it removes it. */
export function userProject(packages: readonly string[]): string {
  const made = mkdtempSync(join(tmpdir(), 'proxysim-user-'))
  const modules = join(made, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const name of packages) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const name of programs) symlinkSync(join(root, 'node_modules/.bin', name), join(modules, '.bin', name))
  symlinkSync(root, join(modules, 'proxysim'))
  symlinkSync(join(root, 'bin/proxysim.mjs'), join(modules, '.bin/proxysim'))
  // As `npm init` makes it: what a page calls a module must say so by its name.
  const manifest = { name: 'user', private: true, type: 'commonjs', scripts: { test: 'vitest run' } }
  writeFileSync(join(made, 'package.json'), JSON.stringify(manifest))
  // Machines that run tests are busy. A `vitest.config` of an example stands before this.
  const patience = 'export default { test: { testTimeout: 60_000, hookTimeout: 60_000 } }\n'
  writeFileSync(join(made, 'vite.config.mjs'), patience)
  return made
}

export interface Ran {
  code: number
  output: string
  errors: string
}

/** Runs a script as a shell does that stops at the first failure, with `proxysim` on the PATH as after a global install. */
export function runCommands(script: string, cwd: string, env: Record<string, string> = {}): Promise<Ran> {
  const path = [join(cwd, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const quiet = { npm_config_yes: 'false', NO_COLOR: '1', NO_PROXY: '*', PATH: path }
  // What runs in vitest or in node:test is told so, and one that it starts would believe it.
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_TEST_CONTEXT)/.test(name)),
  )
  return new Promise((resolve) => {
    const quietly = script.replaceAll('curl ', 'curl -sS ')
    execFile('sh', ['-ec', quietly], { cwd, env: { ...own, ...quiet, ...env } }, (error, output, errors) => {
      resolve({ code: Number(error?.code ?? 0), output, errors })
    })
  })
}
