import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folder } from '../support/start.ts'

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** The command line, run from its sources. */
export const proxysimProgram = `#!/bin/sh\nexec "${process.execPath}" --import "${import.meta.resolve('tsx')}" "${cli}" "$@"\n`

/**
 * A user's project with proxysim as a devDependency, and tests that make two requests. `npm ci` installs it from a
 * folder next to it, without a network.
 */
export function projectWithTests(): string {
  const made = folder()
  write(made, 'proxysim/package.json', { name: 'proxysim', version: '1.0.0', bin: { proxysim: 'proxysim' } })
  writeFileSync(join(made, 'proxysim/proxysim'), proxysimProgram)
  chmodSync(join(made, 'proxysim/proxysim'), 0o755)
  write(made, 'package.json', {
    name: 'user',
    private: true,
    scripts: { test: 'node test.js' },
    devDependencies: { proxysim: 'file:proxysim' },
  })
  writeFileSync(join(made, 'test.js'), tests)
  execFileSync('npm', ['install', '--offline', '--package-lock-only', '--no-audit', '--no-fund'], {
    cwd: made,
    stdio: 'ignore',
  })
  return made
}

const tests = `
const { PROXYSIM_URL, PROXYSIM_LOGIN, PROXYSIM_PASSWORD } = process.env
const headers = {
  authorization: 'Basic ' + btoa(PROXYSIM_LOGIN + ':' + PROXYSIM_PASSWORD),
  accept: 'application/json',
  'content-type': 'application/json',
}
async function main() {
  const { credit } = await (await fetch(PROXYSIM_URL + '/api/billing/credit', { headers })).json()
  const { geo } = await (await fetch(PROXYSIM_URL + '/api/product/101', { headers })).json()
  console.log('credit', credit, 'geo', JSON.stringify(geo))
  if (process.env.FAIL) process.exitCode = 7
}
main()
`

function write(root: string, file: string, content: object): void {
  const path = join(root, file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(content))
}
