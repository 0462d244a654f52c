import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../ui/src/lib/snippets/ApiRequest.ts'
import { snippet } from '../../ui/src/lib/snippets/snippet.ts'
import { firstTests } from '../../ui/src/start/firstTest.ts'
import { preferences, type Language } from '../../ui/src/state/preference.ts'
import { proxysim } from '../cli/proxysim.ts'
import { folder, start } from '../support/start.ts'

const run = promisify(execFile)

const programs: Record<Language, { command: string[]; file: string }> = {
  Node: { command: ['node'], file: 'main.mjs' },
  Python: { command: ['python3'], file: 'main.py' },
  PHP: { command: ['php'], file: 'main.php' },
  Go: { command: ['go', 'run'], file: 'main.go' },
  curl: { command: ['sh'], file: 'main.sh' },
}

/** Whether a program runs here; where it does not, its test is skipped. */
async function has(command: string, ...args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  )
}

const lacking: Language[] = []
if (!(await has('python3', '-c', 'import requests, pytest'))) lacking.push('Python')
if (!(await has('php', '-r', 'curl_init();'))) lacking.push('PHP')
if (!(await has('go', 'version'))) lacking.push('Go')
if (!(await has('curl', '--version'))) lacking.push('curl')

/** What a text must survive in every language. */
const odd = `it's "$HOME" \`id\` \\ %s ü €`

test.each(preferences.language)('%s: what is copied sends the request as it was', { timeout: 120_000 }, async (language) => {
  if (lacking.includes(language)) return
  const password = `o'dd: $x "\\`
  const sim = await start({
    scenario: { extends: 'default', accounts: { reseller: { password } } },
  })
  const request: ApiRequest = {
    method: 'POST',
    url: `${sim.url}/api/product/101`,
    user: `reseller:${password}`,
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-odd': odd.replace(/[ü€]/g, '') },
    body: JSON.stringify({ clientid: 11, note: odd }),
  }
  const { command, file } = programs[language]
  const cwd = folder()
  writeFileSync(join(cwd, file), snippet(language, request))
  const [program = '', ...args] = command
  const { stdout } = await run(program, [...args, file], { cwd, env: { ...process.env, NO_PROXY: '*' } })
  expect(stdout).toContain('200')
  const { requests } = (
    await sim.call<{ requests: { request: { body: unknown; headers: Record<string, string> } }[] }>(
      'GET',
      '/__admin/requests',
    )
  ).json
  expect(requests).toMatchObject([
    {
      method: 'POST',
      path: '/api/product/101',
      status: 200,
      account: 'reseller',
      request: { body: { clientid: 11, note: odd }, headers: { 'x-odd': request.headers['x-odd'] } },
    },
  ])
})

test.each(preferences.language)('%s: a request without a body and without credentials', { timeout: 120_000 }, async (language) => {
  if (lacking.includes(language)) return
  const sim = await start()
  const { command, file } = programs[language]
  const cwd = folder()
  writeFileSync(
    join(cwd, file),
    snippet(language, { method: 'GET', url: `${sim.url}/api/clients`, headers: { accept: 'application/json' } }),
  )
  const [program = '', ...args] = command
  const { stdout } = await run(program, [...args, file], { cwd, env: { ...process.env, NO_PROXY: '*' } })
  expect(stdout).toContain('401')
})

test('Python and curl: the first test passes under exec, with the command that is shown', { timeout: 120_000 }, async () => {
  for (const language of ['Python', 'curl'] as const) {
    if (lacking.includes(language)) continue
    const { file, run: command, code } = firstTests[language]
    const cwd = folder()
    writeFileSync(join(cwd, file), code)
    const [, , ...args] = command.split(' ')
    const { code: exit, stdout, stderr } = await proxysim(args, { cwd })
    expect(exit, stdout + stderr).toBe(0)
    expect(stdout + stderr).toContain('insufficient-funds')
  }
})
