import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cli } from '../cli/proxysim.ts'
import { createFolder } from '../support/start.ts'

/** The shell that runners of GitHub and GitLab use */
export const runner = ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail'] as const

/**
 * A user's project with proxysim as a devDependency, and tests that make two requests. `npm ci` installs it from a
 * folder in it, without a network.
 */
export function projectWithTests(): string {
  const made = createFolder()
  mkdirSync(join(made, 'proxysim'))
  const program = `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`
  const files = {
    'proxysim/package.json': JSON.stringify({ name: 'proxysim', version: '1.0.0', bin: 'proxysim' }),
    'proxysim/proxysim': program,
    'package.json': JSON.stringify({
      name: 'user',
      private: true,
      scripts: { test: 'node test.js' },
      devDependencies: { proxysim: 'file:proxysim' },
    }),
    'test.js': tests,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text, { mode: 0o755 })
  const flags = ['--offline', '--package-lock-only', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...flags], { cwd: made, stdio: 'ignore' })
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
