import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Runs what is copied in a language. @returns its standard output */
async function execute(language: Language, request: ApiRequest): Promise<string> {
  const { command, file } = programs[language]
  const cwd = folder()
  writeFileSync(join(cwd, file), snippet(language, request))
  const [program = '', ...args] = command
  const env = { ...process.env, NO_PROXY: '*' }
  return (await run(program, [...args, file], { cwd, env, timeout: 60_000 })).stdout
}

/** What a text must survive in every language. */
const odd = `it's "$HOME" \`id\` \\ %s ü €`

test.each(preferences.language)(
  '%s: what is copied sends the request as it was',
  { timeout: 120_000 },
  async (language) => {
    if (lacking.includes(language)) return
    const password = `o'dd: $x "\\`
    const sim = await start({
      scenario: { extends: 'default', accounts: { reseller: { password } } },
    })
    const request: ApiRequest = {
      method: 'POST',
      url: `${sim.url}/api/product/101`,
      user: `reseller:${password}`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-odd': odd.replace(/ [ü€]/g, ''),
      },
      body: JSON.stringify({ clientid: 11, note: odd }),
    }
    expect(await execute(language, request)).toContain('200')
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
  },
)

test.each(preferences.language)(
  '%s: a request without a body and without credentials',
  { timeout: 120_000 },
  async (language) => {
    if (lacking.includes(language)) return
    const sim = await start()
    const stdout = await execute(language, {
      method: 'GET',
      url: `${sim.url}/api/clients`,
      headers: { accept: 'application/json' },
    })
    expect(stdout).toContain('401')
  },
)

test.each(preferences.language)(
  '%s: a GET with a body, to a path like a pattern, stays a GET to that path',
  { timeout: 120_000 },
  async (language) => {
    if (lacking.includes(language)) return
    const sim = await start()
    await execute(language, {
      method: 'GET',
      url: `${sim.url}/api/service/[1-2]`,
      user: 'reseller:secret',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '@{"clientid"',
    })
    const { requests } = (
      await sim.call<{ requests: { request: { body: unknown } }[] }>('GET', '/__admin/requests')
    ).json
    expect(requests).toMatchObject([
      {
        method: 'GET',
        path: expect.stringMatching(/^\/api\/service\/(?:\[1-2\]|%5B1-2%5D)$/),
        request: { body: language === 'Node' ? null : '@{"clientid"' },
      },
    ])
  },
)

test.each(preferences.language)('%s: a HEAD ends', { timeout: 120_000 }, async (language) => {
  if (lacking.includes(language)) return
  const sim = await start()
  const stdout = await execute(language, { method: 'HEAD', url: `${sim.url}/api/clients`, headers: {} })
  expect(stdout).toContain('401')
  const { requests } = (await sim.call<{ requests: object[] }>('GET', '/__admin/requests')).json
  expect(requests).toMatchObject([{ method: 'HEAD', path: '/api/clients' }])
})

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a project has, beside the test that is shown. */
function project(language: Language): string {
  const cwd = folder()
  if (language === 'Go') writeFileSync(join(cwd, 'go.mod'), 'module orders\n\ngo 1.19\n')
  if (language === 'Node') {
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    symlinkSync(join(root, 'node_modules/vitest'), join(cwd, 'node_modules/vitest'))
    symlinkSync('../vitest/vitest.mjs', join(cwd, 'node_modules/.bin/vitest'))
    symlinkSync(root, join(cwd, 'node_modules/proxysim'))
  }
  return cwd
}

if (!(await has('phpunit', '--version'))) lacking.push('PHP')

test.each(preferences.language)(
  '%s: the first test passes under exec with the command that is shown, and fails if the answer is another',
  { timeout: 120_000 },
  async (language) => {
    if (lacking.includes(language)) return
    const { file, run: command, code: text } = firstTests[language]
    const [, , ...args] = command.split(' ')
    for (const [written, passes] of [
      [text, true],
      [text.replaceAll('422', '200'), false],
    ] as const) {
      const cwd = project(language)
      writeFileSync(join(cwd, file), written)
      const { code, stdout, stderr } = await proxysim(args, { cwd })
      expect(code === 0, stdout + stderr).toBe(passes)
      expect(stdout + stderr).toMatch(/1 request, [^]*findings: none/)
    }
  },
)
