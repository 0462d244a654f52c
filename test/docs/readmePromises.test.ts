import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { adminOf } from '../support/admin.ts'
import { start } from '../support/start.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ')

/** What README.md says of the program, and the test that holds it to that: its file, and words of its title. */
const promises: [words: string, file: string, title: string][] = [
  ['It answers all 20 operations', 'test/contract/openapi.test.ts', 'openapi.yaml'],
  ['keeps real state between requests', 'test/hardening/model.test.ts', ''],
  ['an order takes credit, binds an address and writes an invoice', 'test/hardening/model/Rules.ts', ''],
  [
    'ordering the same address again is refused',
    'test/http/refusals.test.ts',
    'is bound to service 5001 already',
  ],
  [
    'Every documented error, on request',
    'test/scenarios/shipped.test.ts',
    'every case of the contract is shown by a scenario',
  ],
  ['with the reason in a header', 'test/http/refusals.test.ts', 'every row of the error tables'],
  [
    'drop a response after the order was paid',
    'test/faults/faults.test.ts',
    'the order is paid for, but the client never gets the response',
  ],
  ['slow down', 'test/faults/faults.test.ts', 'delay: in real time'],
  ['move the clock', 'test/admin/clock.test.ts', 'can be set, frozen and resumed'],
  [
    'which responses it has never met',
    'test/wire/coverage.test.ts',
    'counts every response of the contract',
  ],
  ['what it does that will hurt in production', 'test/wire/findings.test.ts', 'duplicate-order'],
  ['one package with no dependencies', 'test/package/built.test.ts', 'has no dependencies to install'],
  ['fully offline', 'test/architecture/capabilities.test.ts', 'only these files connect to anything'],
  ['Open <http://127.0.0.1:4010> for the dashboard', 'test/browser/dashboard.test.ts', ''],
  [
    '`openSimulator()` starts a simulator in memory, on a free port',
    'test/library/handle.test.ts',
    'starts one if PROXYSIM_URL is',
  ],
  ['so tests run in parallel', 'test/library/handle.test.ts', 'creates isolated accounts for tests'],
  ['The suite above needs no change', 'test/docs/pages.test.ts', 'the commands of a page run'],
  ['Add `--min-coverage 80` to fail below 80 %', 'test/cli/exec.test.ts', 'exits 3 if coverage is too low'],
  [
    "runs them once for each way to read the API's documentation",
    'test/cli/matrix.test.ts',
    'finds the readings that a client does not survive',
  ],
  ['once for each failure that each call can meet', 'test/cli/sweep.test.ts', ''],
  [
    'Templates for GitHub and GitLab',
    'test/examples/examples.test.ts',
    'the workflow passes on the examples',
  ],
  ['No address leads anywhere', 'test/scenarios/shipped.test.ts', 'no IP or e-mail address'],
  [
    'all are from ranges reserved',
    'test/world/values.test.ts',
    'is generated from the ranges reserved for benchmarks',
  ],
  [
    'Nothing happens by itself',
    'test/docs/readmePromises.test.ts',
    'a year changes nothing but what falls due',
  ],
  ['makes [assumptions](docs/assumptions.md) that you can switch', 'test/operations/assumptions.test.ts', ''],
  ['recordings of the real service', 'test/calibration/calibrate.test.ts', 'proxysim calibrate'],
  ['It listens on 127.0.0.1 unless told otherwise', 'test/hardening/guards.test.ts', 'refuses to start on'],
  [
    'a start takes a quarter of a second',
    'test/docs/readmePromises.test.ts',
    'the figures are those that were measured',
  ],
]

test.each(promises)('%s', (words, file, title) => {
  expect(read('README.md')).toContain(words)
  expect(existsSync(join(root, file)), file).toBe(true)
  expect(read(file)).toContain(title)
})

test('a year changes nothing but what falls due', async () => {
  const sim = await start()
  const admin = adminOf(() => sim)
  const paths = [
    'billing/credit',
    'billing/invoices',
    'services',
    'service/5001',
    'stats/5101',
    'rate/5101',
    'clients',
    'products',
  ]
  const look = () => Promise.all(paths.map(async (path) => (await sim.call('GET', `/api/${path}`)).text))
  const before = await look()
  await admin('POST', '/clock/advance', { by: 'P1Y' })
  expect(await look()).toEqual(before)
})

test('the figures are those that were measured', () => {
  const results = readFileSync(join(root, 'bench/RESULTS.md'), 'utf8')
  const [table = ''] = results.slice(results.indexOf('**32 connections: requests per second')).split('\n\n**')
  const shares = table
    .split('\n')
    .filter((line) => line.includes(' = '))
    .map((line) =>
      line
        .split('|')
        .slice(2, 6)
        .map((cell) => Number.parseFloat(cell)),
    )
  expect(shares).toHaveLength(5)
  const times = shares.map(([, , usual = 0, ours = 0]) => ours / usual)
  expect([Math.round(Math.min(...times)), Math.round(Math.max(...times))]).toEqual([4, 11])
  const started = Number(/first 200 of `\/api\/clients` +\| +(?<ms>\d+) ms/.exec(results)?.groups?.['ms'])
  expect(Math.abs(started - 250)).toBeLessThan(50)
})

test('the version of Node is that of the package', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  expect(read('README.md')).toContain(`Node ${engines.node.slice(2)} or later`)
})
