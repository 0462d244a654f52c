import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ScenarioError } from '../../src/scenario/ScenarioError.ts'
import { createFolder, start, startForAll } from '../support/start.ts'

const sim = startForAll()
const read = (text: string, name = 'test') => sim().simulation.library.read(text, name)
const account = 'description: Of a test.\naccounts: { ana: { password: secret } }\n'

async function failure(text: string, name = 'test'): Promise<string> {
  const error: unknown = await read(text, name).catch((problem: unknown) => problem)
  if (!(error instanceof ScenarioError)) throw new Error(`expected a ScenarioError, not ${String(error)}`)
  return error.message
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('')
const yaml = (kind: string, count: number, record: string) =>
  `description: x\naccounts:\n  ana:\n    password: secret\n    ${kind}:\n${lines(count, (i) => `      ${i + 1}: ${record}\n`)}`
const json = (part: object) =>
  JSON.stringify({ description: 'x', accounts: { ana: { password: 'secret', ...part } } })
const records = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 1, {}]))

const small = json({})
const spaced = (space: string | number) => JSON.stringify(JSON.parse(small), null, space)
test.each(
  Object.entries({
    'with a byte order mark': `\uFEFF${account}`,
    'with CRLF': account.replaceAll('\n', '\r\n'),
    'with the directive of YAML 1.2': `%YAML 1.2\n---\n${account}`,
    'with a schema for editors': `$schema: ../scenario.schema.json\n${account}`,
    'as JSON': small,
    'as JSON with tabs': spaced('\t'),
    'as JSON with CR at the end of lines': spaced(1).replaceAll('\n', '\r'),
    'as JSON with comments and without quotes, which is YAML':
      `{ # mine\n${small.replaceAll('"', '').slice(1)}`.replaceAll(':', ': '),
  }),
)('a text is read %s', async (_how, text) => {
  const { document } = await read(text)
  expect(document.accounts).toEqual({ ana: { password: 'secret' } })
  expect(Object.keys(document)).toEqual(['description', 'accounts'])
})

test.each([
  ['in JSON', json({ clients: records(20_000) })],
  ['generated', json({ generate: { clients: 20_000 } })],
])('twenty thousand records of a kind are read: %s', async (_how, text) => {
  expect((await read(text)).document.accounts).toHaveProperty('ana')
})

const many = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`a${i}`, { password: 'x' }]))
test.each([
  ['JSON', json({ clients: records(20_001) }), 'accounts.ana.clients: 20001 clients.'],
  [
    'generated',
    json({ clients: records(1), generate: { clients: 20_000 } }),
    '.generate.clients: 20001 clients.',
  ],
  ['accounts', JSON.stringify({ accounts: records(20_001) }), 'accounts: 20001 accounts.'],
  [
    'timeline entries',
    json({ timeline: Array.from({ length: 20_001 }, () => ({ after: 'PT1H', patch: { credit: 1 } })) }),
    ': accounts.ana.timeline: 20001 timeline.',
  ],
  ['events of the history', json({ history: records(20_001) }), ': accounts.ana.history: 20001 history.'],
  [
    'of a fixture for many accounts',
    JSON.stringify({ fixtures: ['catalog'], accounts: many }),
    'fixtures.0: ',
  ],
])('one more is refused: %s', async (_what, text, message) => {
  const told = await failure(text)
  expect(told).toContain(message)
  expect(told).toContain('A scenario may have at most 20000')
})

test.each([
  ['unknown keys', `${account}${lines(19_000, (i) => `key${i}: 1\n`)}`, 'Unknown field "key0"'],
  ['services of no product', yaml('services', 6000, '{ client: 1, product: 9 }'), 'No product 9'],
])('very many mistakes are reported briefly: %s', async (_what, text, message) => {
  const told = (await failure(text)).split('\n')
  expect(told[0]).toContain(message)
  expect(told.length).toBeLessThan(60)
  expect(told.at(-1)).toMatch(/and at least \d+ more$|Unknown field/)
})

test('more than 8 MB are refused, by size alone', async () => {
  const long = account + lines(9, () => `# ${'x'.repeat(1e6)}\n`)
  expect(await failure(long)).toBe(`test: ${Buffer.byteLength(long)} bytes. At most 8 MB are allowed`)
  const file = join(createFolder(), 'long.yaml')
  writeFileSync(file, long)
  await expect(sim().simulation.library.loadFile(file)).rejects.toThrow('bytes. At most 8 MB are allowed')
})

test.each(['\n', '\r\n', '\r'])(
  'mistakes in JSON have line and column, with lines that end in %j',
  async (end) => {
    const ana = {
      password: 'a "quoted\\" one: {',
      credit: -1,
      clients: { 11: {} },
      tokens: ['a', 5],
      faults: [{ operation: 'getCredit', drop: 'rest' }],
      'a\u00e4"': 1,
    }
    const text = JSON.stringify({ description: 'x', accounts: { ana } }, null, 2)
    const told = (await failure(text.replaceAll('\n', end))).split('\n')
    expect(told.map((line) => line.split(': ', 2).join(': '))).toEqual([
      'test:6:17: accounts.ana.credit',
      'test:12:9: accounts.ana.tokens.1',
      'test:17:19: accounts.ana.faults.0.drop',
      'test:20:7: accounts.ana.aä"',
    ])
  },
)

const bomb = lines(30, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)
const deep = 'Nested too deeply. At most 100 levels are allowed'
test.each([
  ['lists in lists', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, deep],
  ['maps in maps', `a: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`, deep],
  ['brackets that are never closed', '[{'.repeat(100_000), deep],
  ['keys of keys', `${'? '.repeat(10_000)}x`, deep],
  ['indented maps', lines(500, (i) => `${' '.repeat(i)}a:\n`), deep],
  ['JSON in JSON', `{"a":${'['.repeat(10_000)}1${']'.repeat(10_000)}}`, deep],
  ['an alias bomb', `a0: &a0 x\n${bomb}`, 'Anchors and aliases are not supported'],
  ['an alias of itself', 'description: x\naccounts: &a [*a]\n', 'Anchors and aliases'],
  ['colons', ': '.repeat(100_000), deep],
  ['closing brackets', ']'.repeat(250_000), 'test:1:1: Not valid YAML'],
  ['opening braces', '{'.repeat(250_000), deep],
  ['commas', `[${','.repeat(250_000)}`, 'test:1:3: Not valid YAML: Unexpected ,'],
  [
    'a long tag',
    `a: !${'x'.repeat(250_000)} 1`,
    `test:1:4: Not valid YAML: Unresolved tag: !${'x'.repeat(83)}…`,
  ],
  [
    'a long name',
    `${account}${'x'.repeat(1000)}: 1\n`,
    `: ${'x'.repeat(100)}…: Unknown field "${'x'.repeat(100)}…". `,
  ],
  [
    '400,000 keys',
    json(
      Object.fromEntries(
        lines(400_000, (i) => `k${i} `)
          .split(' ')
          .entries(),
      ),
    ),
    'test: accounts.ana: More than 20000 fields',
  ],
  [
    'deep JSON',
    '['.repeat(300_000),
    'x.json:1:101: Nested too deeply. At most 100 levels are allowed',
    'x.json',
  ],
  [
    'long broken JSON',
    `{"a": 1, ${'"b": 2, '.repeat(100_000)}}`,
    'x.json:1:800010: Not valid JSON: unexpected "}"',
    'x.json',
  ],
  ['spaces', `a:${' '.repeat(200_000)}`, 'accounts: Missing field'],
  ['null bytes', 'description: "\u0000"\naccounts:\u0000 {}\n', 'Not valid YAML'],
  ['a quote that is missing', '{"a": 1,\n "b: 2}', 'test:2:8: Not valid YAML'],
  ['a comma that is missing', '{"a": 1,\n "b": 1 "c": 2}', 'test:2:7: Not valid YAML'],
  ['a path as fixture', 'fixtures: [/etc/passwd]\naccounts: {}\n', 'Unknown fixture "/etc/passwd"'],
  [
    'a fixture 5000 times',
    JSON.stringify({ fixtures: Array(5000).fill('catalog') }),
    'expected array to have <=100 items',
  ],
])('a hostile or broken text is refused: %s', async (_what, text, message, name = 'test') => {
  expect(await failure(text, name)).toContain(message)
})

test('a patch touches at most 1,000 records', async () => {
  const patch = (body: object) =>
    sim().call<{ error: string }>('PATCH', '/__admin/accounts/reseller', { body })
  expect((await patch({ clients: records(999), invoices: { 1: null } })).status).toBe(200)
  const { status, json: told } = await patch({ clients: { 1: null }, invoices: records(1000) })
  expect(`${status} ${told.error}`).toContain(
    '400 The patch is invalid. invoices: 1001 records. A patch may have at most 1000',
  )
})

test('accounts that are too many, or whose text is too long, are not exported', async () => {
  const crowded = await start()
  const accounts = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a${i}`, { password: 'x' }]))
  expect(await crowded.admin('PUT', '/scenario', { description: 'x', accounts })).toMatchObject({
    status: 200,
  })
  const exported = async () => {
    const { status, text } = await crowded.admin('GET', '/scenario')
    return `${status} ${text}`
  }
  expect(await exported()).toMatch(/^413 .*too large to load again. \d{8} bytes\. At most 8 MB are allowed/)
  expect(await crowded.admin('POST', '/accounts', {})).toMatchObject({ status: 201 })
  expect(await exported()).toMatch(/^413 .*20001 accounts\. A scenario may have at most 20000/)
})
