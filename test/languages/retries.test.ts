/**
 * Runs HTTP libraries against failures, and compares how many requests arrive with the tables of docs/retries.md. Each
 * program in `retries/` reads one request per line: whether its connection is `new` or was `reused` after a GET,
 * credentials, method, path and library. Programs of languages that aren't installed are skipped with a message.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root, runScript } from '../support/project.ts'
import { createFolder, start } from '../support/start.ts'

const folder = join(root, 'test/languages/retries')
// Another Python (pyenv, a container's) may lack the distribution's packages.
const usesOfPython = '-c "import httpx, requests, urllib3"'
const python = ['python3', '/usr/bin/python3'].find((name) => works(`${name} ${usesOfPython}`)) ?? 'python3'

const programs = [
  { command: 'node retries.mjs', needs: 'true', libraries: ['fetch', 'axios', 'got', 'axios-retry'] },
  {
    command: `${python} retries.py`,
    needs: `${python} ${usesOfPython}`,
    libraries: ['requests', 'urllib3', 'httpx', 'max_retries=3'],
  },
  {
    command: 'php retries.php',
    needs: `php -r 'require "GuzzleHttp/autoload.php"; require "Illuminate/Http/autoload.php"; curl_init();'`,
    libraries: ['Guzzle', 'Laravel', 'Http::retry(3)'],
  },
  { command: 'go run retries.go', needs: 'go version', libraries: ['net/http', 'Idempotency-Key'] },
  { command: 'java Retries.java', needs: 'javac -version', libraries: ['HttpClient'] },
  { command: 'sh retries.sh', needs: 'curl --version', libraries: ['curl', 'curl --retry 2'] },
]

/** The columns of the tables */
const columns = [
  { method: 'POST', path: '/api/product/101', operation: 'orderService', fault: 'lost' },
  { method: 'POST', path: '/api/product/101', operation: 'orderService', fault: '503' },
  { method: 'GET', path: '/api/sticky/rotate/5101/us1/abc', operation: 'rotateStickySession', fault: 'lost' },
  { method: 'GET', path: '/api/sticky/rotate/5101/us1/abc', operation: 'rotateStickySession', fault: '503' },
]

/** The last cells of each row that begins with a linked name */
const shown = new Map(
  [...read('docs/retries.md').matchAll(/^\| \[`?(?<name>[^`\]]+)`?\].* \| (?<cells>(?:[^|]+ \|){4})$/gm)].map(
    ({ groups: { name = '', cells = '' } = {} }) => [name, cells.replaceAll('*', '').replace(/ \|$/, '')],
  ),
)

function works(command: string): boolean {
  return spawnSync('sh', ['-c', command]).status === 0
}

test('a program runs each row of docs/retries.md but the one of .NET', () => {
  const tested = programs.flatMap(({ libraries }) => libraries)
  expect([...shown.keys()].toSorted()).toEqual([...tested, 'AddStandardResilienceHandler'].toSorted())
})

test('as many requests arrive as docs/retries.md says', { timeout: 240_000 }, async () => {
  const { url, admin } = await start()

  /** Creates an account in which an operation fails. @returns its login and credentials */
  async function createAccount(operation: string, fault: string) {
    const { json } = await admin<{ login: string; authorization: string }>('POST', '/accounts', {})
    const effect = fault === 'lost' ? { phase: 'after', drop: 'reset' } : { respond: { status: 503 } }
    await admin('POST', `/faults?account=${json.login}`, { operation, ...effect })
    return { login: json.login, credentials: json.authorization.split(' ')[1] }
  }

  async function count(login: string, operation: string): Promise<number> {
    const { json } = await admin<{ total: number }>(
      'GET',
      `/requests?account=${login}&operation=${operation}`,
    )
    return json.total
  }

  async function measure({ command, libraries }: (typeof programs)[number]) {
    const cases = libraries.flatMap((library) =>
      columns.flatMap((column) =>
        ['new', 'reused'].map((connection) => ({ library, connection, ...column })),
      ),
    )
    const planned = await Promise.all(
      cases.map(async (one) => ({ ...one, ...(await createAccount(one.operation, one.fault)) })),
    )
    const plan = join(createFolder(), 'plan')
    const lines = planned.map(({ connection, credentials, method, path, library }) =>
      [connection, credentials, method, path, library].join(' '),
    )
    writeFileSync(plan, `${lines.join('\n')}\n`)
    const { code, output } = await runScript(`${command} ${url} < ${plan}`, folder)
    expect(code, output).toBe(0)
    const counts = await Promise.all(planned.map(({ login, operation }) => count(login, operation)))
    return libraries.map((library) => {
      const own = counts.filter((_count, index) => planned[index]?.library === library)
      const cells = columns.map((_column, index) => {
        const [fresh, reused] = own.slice(2 * index)
        return fresh === reused ? fresh : `${fresh} or ${reused}`
      })
      return [library, cells.join(' | ')] as const
    })
  }

  const runnable = programs.filter(({ command, needs }) => {
    if (works(needs)) return true
    process.stderr.write(`\`${command}\` is not run: \`${needs}\` fails.\n`)
    return false
  })
  const measured = Object.fromEntries((await Promise.all(runnable.map(measure))).flat())
  const expected = Object.keys(measured).map((library) => [library, shown.get(library)])
  expect(measured).toEqual(Object.fromEntries(expected))
})
