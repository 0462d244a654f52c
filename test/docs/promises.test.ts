import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from '../support/project.ts'

const readWords = (file: string): string => read(file).replaceAll(/\s+/g, ' ')

/** Statements of pages about the program, with parts of the titles of the tests that verify them */
const promises: Record<string, [promise: string, ...tests: string[]][]> = {
  'README.md': [
    ['ordering the same address again is refused', 'is already bound to service 5001'],
    ['Every documented error, on request', 'every case of the contract is shown by a scenario'],
    [
      'drop a response after the order was paid',
      'the order is paid for, but the client never gets the response',
    ],
    ['which responses your client was never tested against', 'counts every response of the contract'],
    ['the package needs nothing but Node', 'has no dependencies to install'],
    ['fully offline', 'only these files open connections'],
    ['so tests run in parallel', 'creates isolated accounts for tests'],
    ['No address leads anywhere', 'no IP or e-mail address'],
  ],
  'SECURITY.md': [
    [
      'connections from other machines only if you set both `--host` and `--admin-token`',
      'requires a token',
      'does not',
    ],
    [
      'accept only requests whose `Host` is an IP address',
      'open any | Host: evil.example; AUTH | 421',
      'it answers to',
    ],
    [
      'only if the page has the same origin',
      'Sec-Fetch-Site: cross-site | 403 forbidden',
      'Origin: https://two.example | 200 access-control-allow-origin',
    ],
    [
      'everything under `/__admin` requires it',
      'closed secret | Host: localhost | 401',
      'closed health | Host: localhost | 200',
    ],
    [
      'Request contents are never executed',
      'only these files run programs',
      '/docs/%2e%2e/%2e%2e/package.json',
    ],
    ['rendered as markup', 'and headers, never as a page'],
    ['Requests have fixed limits', 'a chunk extension of 20 KB'],
    ['survives a crash of the process', 'kills at random moments'],
    [
      'A damaged state file is rejected',
      'a byte that changed is found wherever it is, and nothing is overwritten',
    ],
    ['`record` stores no credentials', 'contains no secrets, and equal values stay equal'],
  ],
  'docs/operate.md': [
    ['the disk is full', 'a full disk refuses changes'],
    ['a second process opens the file', 'a second process is refused, with the id of the first'],
    ['act as one simulator', 'give one history to an account that all change and read concurrently'],
    ['every later one joins the existing state', 'joins the existing state, and prints that'],
    ['A request is never executed twice', 'no confirmed change is lost or duplicated'],
    ['a replica | none whose response was sent', 'no confirmed change is lost or duplicated'],
    ['within two seconds', 'is reported within 2 s'],
    ['loses no request in a rolling restart', 'a rolling restart under load'],
  ],
}

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('promises.test.ts'))
  .map((file) => readWords(join('test', file)))
  .join('\n')

test.each(
  Object.entries(promises).flatMap(([page, all]) =>
    all.map(([promise, ...titles]) => ({ page, promise, titles })),
  ),
)('$page: $promise', ({ page, promise, titles }) => {
  expect(readWords(page)).toContain(promise)
  expect(titles.filter((title) => !tests.includes(title))).toEqual([])
})

test('the README names the Node version that the package requires', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  expect(readWords('README.md')).toContain(`Node ${engines.node.slice(2)} or later`)
})
