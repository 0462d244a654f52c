import * as fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { effort } from '../support/effort.ts'
import { folder, start, startForAll, type Started, stateOf } from '../support/start.ts'

/** Generated scenarios; PROXYSIM_INPUTS=20000 for the long trial. */
const inputs = Number(process.env['PROXYSIM_INPUTS'] ?? 200)
/** Milliseconds of work after which others must have had a turn */
const hang = 1000

const scenario = {
  description: 'One of everything.',
  seed: 7,
  clock: '2026-01-15T12:00:00Z',
  accounts: {
    reseller: {
      password: 'secret',
      tokens: ['tok_abc'],
      credit: 0.5,
      clients: { 11: { email: 'ana@example.com' } },
      products: {
        101: {
          productName: 'Static',
          price: 20,
          groupId: 1,
          groupName: 'Static',
          created_at: '2025-01-02',
          product_type: 'fpr',
          ip_count: 10,
          geo: ['US'],
        },
        102: { productName: 'Rotating', price: 5, product_type: 'ppr' },
      },
      services: {
        5001: { client: 11, product: 101, status: 'Active', bindedip: '192.0.2.10', errors: ['192.0.2.1'] },
        5002: {
          client: 11,
          product: 102,
          usage: { limit: 10, stats: { '2026-01-14': 120 } },
          sticky: { ttl: 10, sessions: [{ server: 'us1', session: 'abc' }] },
        },
      },
      invoices: { 9001: { serviceid: 5001, status: 'Unpaid', amount: 20 } },
      limits: { updateListInterval: 600 },
      assumptions: { productSort: 'desc' },
      faults: [{ operation: 'orderService', respond: 'insufficient-funds', times: 1 }],
      generate: { clients: 2, services: 3, invoices: 2 },
    },
  },
}

const put = (sim: Started, text: string | Buffer, type = 'application/yaml') =>
  sim.call<{ error: string; details?: string[] }>('PUT', '/__admin/scenario', {
    raw: text,
    headers: { 'content-type': type },
  })

/** Everything that the state shows of itself */
const stateOf = async (sim: Started) => (await sim.call('GET', '/__admin/scenario')).text

async function refusedInTime(sim: Started, text: string | Buffer, type?: string) {
  const before = await stateOf(sim)
  const [answer, longest] = await longestTurn(() => put(sim, text, type))
  expect(longest).toBeLessThan(hang)
  expect(answer.status, answer.text.slice(0, 300)).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(answer.json.error).not.toMatch(/node_modules|\.ts:\d/)
  expect(answer.text.length, 'the complaint is short').toBeLessThan(50_000)
  expect((await stateOf(sim)) === before, 'the state is as it was').toBe(true)
  return answer
}

/** Milliseconds of work in the longest turn of the event loop meanwhile: nobody else is served in it. */
async function longestTurn<T>(work: () => Promise<T>): Promise<[T, number]> {
  let longest = 0
  let before = effort()
  let isOver = false
  const look = (): void => {
    const now = effort()
    longest = Math.max(longest, now - before)
    before = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    const result = await work()
    await new Promise(setImmediate)
    return [result, longest]
  } finally {
    isOver = true
  }
}

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}\ndescription: boom\n`
const nested = (depth: number) => `description: deep\naccounts: ${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`

const sim = startForAll({ scenario })

test.each<[string, string | Buffer]>([
  ['an alias bomb', bomb],
  ['an alias', 'description: &d x\naccounts: *d\n'],
  ['a merge key', 'description: x\nbase: &b {a: 1}\naccounts: {<<: *b}\n'],
  ['an alias of itself', 'description: x\naccounts: &a [*a]\n'],
  ['maps a thousand deep', nested(1000)],
  ['maps twenty thousand deep', nested(20_000)],
  ['lists fifty thousand deep', `description: x\naccounts: ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  [
    'blocks five hundred deep',
    `description: x\naccounts:\n${Array.from({ length: 500 }, (_, i) => `${' '.repeat(i + 1)}a:`).join('\n')}\n`,
  ],
  ['sequences in one line', `description: x\naccounts:\n  ${'- '.repeat(20_000)}x\n`],
  [
    'twenty thousand keys',
    `description: x\naccounts:\n${Array.from({ length: 20_000 }, (_, i) => `  a${i}: 1`).join('\n')}\n`,
  ],
  ['a key twice', 'description: x\ndescription: y\naccounts: {}\n'],
  ['__proto__', 'description: x\naccounts: {__proto__: {password: x}}\n'],
  ['constructor', 'description: x\naccounts: {a: {password: x, constructor: {prototype: {y: 1}}}}\n'],
  ['a tag', 'description: !!js/function "() => 1"\naccounts: {}\n'],
  ['a custom tag', 'description: x\naccounts: !foo {}\n'],
  ['a directive', '%YAML 1.1\n---\ndescription: yes\naccounts: {a: {password: yes}}\n'],
  ['two documents', 'description: x\naccounts: {}\n---\ndescription: y\n'],
  ['a list', '- description: x\n'],
  ['nothing', ''],
  ['not a number', 'description: x\naccounts: {a: {password: x, credit: .nan}}\n'],
  ['infinity', 'description: x\naccounts: {a: {password: x, credit: .inf}}\n'],
  ['credit that is too large', 'description: x\naccounts: {a: {password: x, credit: 1e300}}\n'],
  ['a million services', 'description: x\naccounts: {a: {password: x, generate: {services: 1000000000}}}\n'],
  ['invalid UTF-8', Buffer.from([0x64, 0xff, 0xfe, 0x3a, 0x20, 0xc3, 0x28])],
  ['null bytes', 'description: "\u0000"\naccounts:\u0000 {}\n'],
  ['a path as name', 'description: x\nextends: ../../../etc/passwd\naccounts: {}\n'],
  ['a path as fixture', 'description: x\nfixtures: [/etc/passwd]\naccounts: {}\n'],
  ['quotes that never end', `description: "${'x'.repeat(100_000)}`],
  ['200 KB of brackets', '[{'.repeat(100_000)],
  ['200 KB of stars', '*a '.repeat(65_000)],
  ['200 KB of colons', ': '.repeat(100_000)],
  ['200 KB of spaces', `a:${' '.repeat(200_000)}`],
  ['200 KB of question marks', '? '.repeat(100_000)],
])('%s is refused promptly', async (_what, text) => {
  const { json } = await refusedInTime(sim(), text)
  expect(json.error).not.toBe('')
})

/** JSON is the form of a kept state, and may be long: then what is wrong with it must be found early. */
const longJson = (of: (i: number) => string, many: number, around: (inside: string) => string) =>
  around(Array.from({ length: many }, (_, i) => of(i)).join(',\n'))

test.each<[string, string, string]>([
  [
    'YAML',
    'application/yaml',
    longJson(
      (i) => `"k${i}": "${i}0000000000"`,
      400_000,
      (inside) => `{"description": "x", "accounts": {${inside}}}`,
    ),
  ],
  [
    'JSON with wrong accounts',
    'application/json',
    longJson(
      (i) => `"k${i}": "${String(i).padEnd(20)}"`,
      400_000,
      (inside) => `{"description": "x", "accounts": {${inside}}}`,
    ),
  ],
  [
    'JSON with wrong services',
    'application/json',
    longJson(
      (i) => `"${i + 1}": {"client": "${i}", "price": -1}`,
      250_000,
      (inside) => `{"description": "x", "accounts": {"a": {"password": "x", "services": {${inside}}}}}`,
    ),
  ],
  [
    'truncated JSON',
    'application/json',
    longJson(
      (i) => `"k${i}": {}`,
      700_000,
      (inside) => `{"description": "x", "accounts": {${inside}`,
    ),
  ],
  [
    'JSON with empty accounts',
    'application/json',
    longJson(
      (i) => `"k${i}": {}`,
      700_000,
      (inside) => `{"description": "x", "accounts": {${inside}}}`,
    ),
  ],
  [
    'JSON with objects that have nothing in common',
    'application/json',
    longJson(
      (i) => `{${Array.from({ length: 100 }, (_, k) => `"k${i}x${k}": {}`).join(', ')}}`,
      6000,
      (inside) => `{"description": "x", "accounts": {"a": {"password": "x", "faults": [${inside}]}}}`,
    ),
  ],
  [
    'JSON with a million empty lists',
    'application/json',
    longJson(
      () => '[]',
      2_600_000,
      (inside) => `{"description": "x", "accounts": {"a": {"password": "x", "tokens": [${inside}]}}}`,
    ),
  ],
])('10 MB of %s are refused promptly', async (_what, type, text) => {
  expect(text.length).toBeGreaterThan(9e6)
  const { json } = await refusedInTime(sim(), text, type)
  expect(json.error).not.toBe('')
})

describe('a hundred thousand services do not block other requests', () => {
  const large = (more: object): string =>
    JSON.stringify({
      description: 'Large.',
      accounts: { reseller: { ...scenario.accounts.reseller, generate: {}, ...more } },
    })
  const rotating = { client: 11, product: 102 }
  const services = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i + 1, rotating]))

  test.each([
    ['named', large({ services, invoices: {} })],
    ['generated', large({ generate: { services: 100_000 } })],
  ])('%s: loaded, reset, and too large for YAML', { timeout: 120_000 }, async (_how, text) => {
    const running = await start()
    await put(running, large({})) // what is loaded late is loaded
    for (const load of [
      () => put(running, text, 'application/json'),
      () => running.call('POST', '/__admin/reset'),
    ]) {
      const [{ status, text: said }, longest] = await longestTurn<{ status: number; text: string }>(load)
      expect(status, said).toBe(200)
      expect(longest).toBeLessThan(250) // some 30 ms, and what collecting garbage takes
    }
    const [yaml, longest] = await longestTurn(() =>
      running.call('GET', '/__admin/scenario', { headers: { accept: 'application/yaml' } }),
    )
    expect(yaml).toMatchObject({ status: 400, text: expect.stringContaining('1048576 bytes') })
    expect(longest).toBeLessThan(250)
  })
})

let started = 0
const alive = new Set<Worker>()
const note = (thread: Worker): void => {
  started++
  alive.add(thread)
  thread.once('exit', () => alive.delete(thread))
}
process.on('worker', note)
afterAll(() => void process.off('worker', note))

describe('what is long is read in a thread of its own', () => {
  // Tests above may have left a thread.
  beforeAll(async () => void (await vi.waitUntil(() => alive.size === 0, { timeout: 10_000 })), 15_000)
  beforeEach(() => {
    started = 0
  })
  const running = startForAll({ scenario: { extends: 'large', clock: scenario.clock } })
  const exported = async () =>
    (await running().call('GET', '/__admin/scenario', { headers: { accept: 'application/yaml' } })).text
  /** A text of which the last part of that kind is another, and where it stands */
  const withLast = (text: string, part: string, other: string) => {
    const at = text.lastIndexOf(part)
    const before = text.slice(0, at).split('\n')
    return {
      altered: text.slice(0, at) + other + text.slice(at + part.length),
      place: `(posted):${before.length}:${(before.at(-1)?.length ?? 0) + 1}`,
    }
  }

  test('a megabyte blocks nobody, and is what it was', async () => {
    const yaml = await exported()
    expect(yaml.length).toBeGreaterThan(900_000)
    for (let i = 0; i < 2; i++) {
      const [{ status, text: said }, longest] = await longestTurn(() => put(running(), yaml))
      expect(status, said).toBe(200)
      expect(longest).toBeLessThan(250) // some 15 ms, and what collecting garbage takes
      expect((await exported()) === yaml).toBe(true)
    }
    expect(started, 'it is kept for the next').toBe(1)
  })

  test('mistakes in it have line and column', async () => {
    const yaml = await exported()
    const { altered, place } = withLast(yaml, 'Active', 'Odd')
    const wrong = await refusedInTime(running(), altered)
    expect(wrong.json.error).toMatch(/^The scenario is invalid\. \(posted\):\d+:\d+: accounts\.reseller\./)
    expect(wrong.json.error).toContain(`${place}: `)
    const twice = withLast(yaml, 'status:', 'amount:')
    const refused = await refusedInTime(running(), twice.altered)
    expect(refused.json.error).toContain(`${twice.place}: the key "amount" appears twice`)
  })

  test('which ends when it has no work; and if it ends before it answers, there is an answer', async () => {
    const yaml = await exported()
    await expect.poll(() => alive.size).toBe(0)
    process.once('worker', (thread) => void thread.terminate())
    expect((await put(running(), yaml)).status).toBe(200)
    expect(started).toBe(1)
  })

  test('a short one needs no thread', async () => {
    const text = stringify(scenario)
    expect((await put(running(), text)).status).toBe(200)
    expect(started).toBe(0)
  })

  test('what extends a long file is long, and so is what copies fixtures into many accounts', async () => {
    await expect.poll(() => alive.size).toBe(0)
    const scenarios = folder()
    const clients = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [i + 1, { email: `c${i}@example.com` }]),
    )
    const long = { description: 'Long.', accounts: { reseller: { password: 'secret', clients } } }
    writeFileSync(join(scenarios, 'long.json'), JSON.stringify(long))
    const own = await start({ scenarios })
    expect(started).toBe(0)
    expect((await put(own, 'extends: long\naccounts: {reseller: {credit: 5}}')).status).toBe(200)
    expect(own.simulation.store.state.accounts['reseller']).toMatchObject({ credit: 5, clients })
    expect(started).toBe(1)
    const wrong = await put(
      own,
      'extends: long\naccounts: {reseller: {clients: {5000: {email: x}}, credit: -1}}',
    )
    expect(wrong.json.error).toContain('(posted):2:60: accounts.reseller.credit: -1 is not')
    const { json } = await own.call<{ scenarios: unknown }>('GET', '/__admin/scenarios')
    expect(json.scenarios ?? json).toContainEqual({ name: 'long', description: 'Long.' })
    await expect.poll(() => alive.size, { timeout: 10_000 }).toBe(0)
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, { password: 'x' }]))
    const text = JSON.stringify({ fixtures: Array(20).fill('catalog'), accounts: many })
    expect(text.length).toBeLessThan(32_000)
    const [{ status }, longest] = await longestTurn(() =>
      own.call('PUT', '/__admin/scenario?check=true', {
        raw: text,
        headers: { 'content-type': 'application/json' },
      }),
    )
    expect(status).toBe(200)
    expect(longest).toBeLessThan(250)
    expect(started).toBe(2)
  })

  test('two at the same time are both read, and mistakes of long JSON are told, too', async () => {
    const clients = (email: string) =>
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, i) => [i + 1, { email: `${email}${i}@example.com` }]),
      )
    const text = (email: string, more: object) =>
      JSON.stringify({ accounts: { a: { password: 'x', clients: clients(email), ...more } } })
    const { library } = running().simulation
    const [one, other] = await Promise.all([
      library.read(text('c', {}), 'one'),
      library.read(text('d', {}), 'other'),
    ])
    expect(one.document.accounts['a']?.clients).toEqual(clients('c'))
    expect(other.document.accounts['a']?.clients).toEqual(clients('d'))
    await expect(
      library.read(text('c', { credit: -1, faults: [{ operation: 'x' }] }), 'wrong'),
    ).rejects.toThrow(/^wrong: accounts\.a\.credit: -1 is not an amount.*\nwrong: accounts\.a\.faults/)
    await expect(library.read(text('c', {}).slice(0, -1), 'broken')).rejects.toThrow(
      'broken: it is not valid JSON: ',
    )
  })

  test('what takes more memory than it may have is refused', async () => {
    const yaml = `${await exported()}# ${'x'.repeat(40_000)}\n`
    await expect.poll(() => alive.size, { timeout: 10_000 }).toBe(0)
    process.once('worker', (thread) => {
      thread.emit('error', Object.assign(new Error('Out of memory.'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }))
      void thread.terminate()
    })
    const { status, json } = await put(running(), yaml)
    expect(status).toBe(400)
    expect(json.error).toContain('(posted): it is too large to be read')
    expect((await put(running(), yaml)).status, 'the next has a new thread').toBe(200)
  })

  test.each([
    ['that removes what is not there', (i: number) => `  k${i}:`],
    ['of accounts that are none', (i: number) => `  k${i}: 1`],
  ])('a megabyte %s is refused promptly', async (_what, line) => {
    const lines = Array.from({ length: 75_000 }, (_, i) => line(i))
    const { json } = await refusedInTime(running(), `description: x\naccounts:\n${lines.join('\n')}\n`)
    expect(json.error).toContain('(posted):3:')
  })
})

test('a fixture that is listed five thousand times is refused promptly', async () => {
  const { text } = await refusedInTime(
    sim(),
    JSON.stringify({ description: 'x', fixtures: Array(5000).fill('catalog'), accounts: {} }),
  )
  expect(text).toContain('at most 100')
})

test('a file with 10 MB of YAML is refused promptly', async () => {
  const file = join(folder(), 'large.yaml')
  writeFileSync(
    file,
    `description: x\naccounts:\n${Array.from({ length: 500_000 }, (_, i) => `  account${i}: {}`).join('\n')}\n`,
  )
  const [, longest] = await longestTurn(() =>
    expect(start({ scenario: file })).rejects.toThrow(/large\.yaml: it has \d+ bytes; YAML may have/),
  )
  expect(longest).toBeLessThan(hang)
})

test(`${inputs} odd scenarios are accepted or refused, and the accepted ones work`, {
  timeout: 60_000 + inputs * 100,
}, async () => {
  const running = sim()
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      null,
      '',
      0,
      -1,
      0.001,
      1e15,
      'x'.repeat(3000),
      [],
      {},
      '2026-02-30',
      '__proto__',
      { from: 1 },
      '01.2.3.4',
      'Active',
      'orderService',
      true,
    ),
  )
  const places = pathsOf(scenario)
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom(...places), odd), { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    async (changes, asJson) => {
      const text = changed(changes, asJson)
      const before = await stateOf(running)
      const answer = await put(running, text, asJson ? 'application/json' : 'application/yaml')
      expect([200, 400, 413], answer.text).toContain(answer.status)
      expect(
        answer.status === 200 || (await stateOf(running)) === before,
        'what is refused changes nothing',
      ).toBe(true)
      const logins = Object.keys(running.simulation.store.state.accounts)
      for (const login of logins)
        for (const path of [
          '/api/clients',
          '/api/services',
          '/api/billing/invoices',
          '/api/products',
          '/api/product/101',
          '/api/service/5001',
          '/api/service/5002',
          '/api/iplist/http-ip/csv/5001',
          '/api/stats/5002',
          '/api/rate/5002',
          '/api/sticky/list/5002',
          '/api/networkstatus/errors/5001',
        ]) {
          const { status, text: shown } = await running.call('GET', path, { login })
          expect(status, `${path}: ${shown} after ${text}`).toBeLessThan(500)
        }
      const exported = await stateOf(running)
      const again = await put(running, exported, 'application/json')
      expect(again.status, `its own export is taken: ${again.text}`).toBe(200)
    },
  )
  await fc.assert(property, { numRuns: inputs })
})

type Path = readonly (string | number)[]

/** Every place in a value: to each of its leaves and inner parts. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    ...(at.length ? [at] : []),
    ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key])),
  ]
}

function changed(changes: readonly (readonly [Path, unknown])[], asJson: boolean): string {
  const copy = structuredClone(scenario) as unknown
  for (const [path, value] of changes) {
    let target = copy as Record<string, unknown>
    for (const key of path.slice(0, -1)) {
      const next = target[key]
      if (typeof next !== 'object' || next === null) break
      target = next as Record<string, unknown>
    }
    target[path.at(-1) as string] = value
  }
  return asJson ? JSON.stringify(copy) : stringify(copy)
}
