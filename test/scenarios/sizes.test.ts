import { describe, expect, test } from 'vitest'
import { ScenarioError } from '../../src/scenario/ScenarioError.ts'
import { startForAll } from '../support/start.ts'

const sim = startForAll()
const read = (text: string) => sim().simulation.library.read(text, 'test')
const account = 'description: Of a test.\naccounts: { ana: { password: secret } }\n'

async function failure(text: string): Promise<string> {
  const error: unknown = await read(text).catch((problem: unknown) => problem)
  if (!(error instanceof ScenarioError)) throw new Error(`expected a ScenarioError, not ${String(error)}`)
  return error.message
}

/** What grows with the square of its size takes minutes here; the limit is far above what a loaded machine needs. */
async function quickly<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  expect(performance.now() - began).toBeLessThan(10_000)
  return result
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('')

describe('accepted texts', () => {
  const accepted = {
    'with a byte order mark': `\uFEFF${account}`,
    'with CRLF': account.replaceAll('\n', '\r\n'),
    'with document markers': `---\n${account}...\n`,
    'with the directive of YAML 1.2': `%YAML 1.2\n---\n${account}`,
    'with an anchor that nobody uses': account.replace('secret', '&a secret'),
    'as JSON': JSON.stringify({ description: 'x', accounts: { ana: { password: 'secret' } } }),
    'as JSON with tabs': JSON.stringify(
      { description: 'x', accounts: { ana: { password: 'secret' } } },
      null,
      '\t',
    ),
    'as JSON with a byte order mark': `\uFEFF{"description":"x","accounts":{"ana":{"password":"secret"}}}`,
    'with a schema for editors': `$schema: ../scenario.schema.json\n${account}`,
  }
  test.each(Object.entries(accepted))('%s', async (_how, text) => {
    const { document } = await read(text)
    expect(document.accounts).toEqual({ ana: { password: 'secret' } })
    expect(Object.keys(document)).toEqual(['description', 'accounts'])
  })

  test('yes, no, on and off are strings', async () => {
    const { document } = await read(account.replace('secret', 'yes'))
    expect(document.accounts['ana']?.password).toBe('yes')
  })
})

describe('large texts', () => {
  test('twenty thousand records', async () => {
    const clients = lines(20_000, (i) => `      ${i + 1}: { email: c${i}@example.com }\n`)
    const { document } = await quickly(() =>
      read(`description: x\naccounts:\n  ana:\n    password: secret\n    clients:\n${clients}`),
    )
    expect(Object.keys(document.accounts['ana']?.clients ?? {})).toHaveLength(20_000)
  })

  test('twenty thousand unknown keys: the first are listed, the others counted', async () => {
    const told = await quickly(() => failure(account + lines(20_000, (i) => `key${i}: 1\n`)))
    expect(told.split('\n').length).toBeLessThan(60)
    expect(told).toContain('unknown field "key0"')
  })

  test('twenty thousand invalid ids: fifty are listed, the others counted', async () => {
    const clients = lines(20_000, (i) => `      c${i}: {}\n`)
    const told = await quickly(() =>
      failure(`description: x\naccounts:\n  ana:\n    password: secret\n    clients:\n${clients}`),
    )
    expect(told.split('\n')).toHaveLength(51)
    expect(told).toMatch(/and at least \d+ more$/)
  })

  test('twenty thousand services of a missing product', async () => {
    const services = lines(20_000, (i) => `      ${i + 1}: { client: 1, product: 9 }\n`)
    const told = await quickly(() =>
      failure(`description: x\naccounts:\n  ana:\n    password: secret\n    services:\n${services}`),
    )
    expect(told.split('\n')).toHaveLength(51)
  })

  test('ten megabytes of YAML are refused at once', async () => {
    expect(await quickly(() => failure(account + lines(10, () => `# ${'x'.repeat(1e6)}\n`)))).toMatch(
      /it has 10000\d+ bytes; YAML may have 1048576/,
    )
  })

  test('ten megabytes of JSON are read', async () => {
    const description = 'x'.repeat(9000)
    const invoices = Object.fromEntries(
      Array.from({ length: 1200 }, (_, i) => [i + 1, { serviceid: 1, status: 'Paid', description }]),
    )
    const text = JSON.stringify({ description: 'x', accounts: { ana: { password: 'secret', invoices } } })
    expect(text.length).toBeGreaterThan(10e6)
    const { document } = await quickly(() => read(text))
    expect(Object.keys(document.accounts['ana']?.invoices ?? {})).toHaveLength(1200)
  })

  test.each([0, 300_000])(
    'a key that appears twice in JSON is refused, with %d spaces too',
    async (spaces) => {
      const text = '{"description":"x","accounts":{"ana":{"password":"secret","credit":1,"credit":2}}}'
      expect(await failure(text + ' '.repeat(spaces))).toContain('the key "credit" appears twice')
    },
  )
})

describe('hostile texts', () => {
  const nested = (open: string, close: string) => `{"a":${open.repeat(10_000)}1${close.repeat(10_000)}}`
  const hostile = {
    'lists in lists': `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'maps in maps': `a: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'items of items': `${'- '.repeat(10_000)}x`,
    'keys of keys': `${'? '.repeat(10_000)}x`,
    'indented maps': lines(1400, (i) => `${' '.repeat(i)}a:\n`),
    'JSON in JSON': nested('[', ']'),
    'large JSON in JSON': nested('[', ']') + ' '.repeat(300_000),
  }
  test.each(Object.entries(hostile))('%s, over a thousand deep', async (_what, text) => {
    expect(await quickly(() => failure(text))).toMatch(/nested more than 100 deep/)
  })

  test('an alias bomb', async () => {
    const bomb = lines(30, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)
    expect(await quickly(() => failure(`a0: &a0 x\n${bomb}`))).toMatch(/aliases \(\*name\) are not supported/)
  })
})
