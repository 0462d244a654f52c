import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ScenarioError } from '../../src/scenario/ScenarioError.ts'
import { createFolderWith, start, startForAll, getState, getWorld } from '../support/start.ts'

/** Marks the place in a file at which an issue is reported. */
const mark = '▶'
const shared = startForAll()

type Files = Readonly<Record<string, string>>

/** A small valid scenario with additional lines of its account. */
const account = (...lines: string[]) =>
  [
    'description: Of a test.',
    'accounts:',
    '  ana:',
    '    password: secret',
    ...lines.map((line) => `    ${line}`),
  ].join('\n')
const products =
  'products: { 101: { productName: A, price: 5, product_type: fpr }, 201: { productName: B, price: 5, product_type: ppr } }'

/** Marked lines of an account, and the start of each issue in the order of the marks; $ is the end of one */
const inAccount = `
services: { 5001: { client: 1, product: 101, ▶bindedIp: 192.0.2.1 } }
  → accounts.ana.services.5001.bindedIp: Unknown field "bindedIp". Did you mean "bindedip"?$
▶crdit: 5
▶xyzzy: 5
  → accounts.ana.crdit: Unknown field "crdit". Did you mean "credit"?
  → accounts.ana.xyzzy: Unknown field "xyzzy". Allowed: password, tokens, credit,
credit: ▶"100"
  → accounts.ana.credit: "100" is not an amount in USD (a number, 0 or more, with at most two decimals)
▶credti:
  → accounts.ana.credti: Unknown field "credti". Did you mean "credit"?
limits: { updateListInterval: 1,▶50 }
  → accounts.ana.limits.50: Unknown field "50"
services: { ▶50o1: null }
  → accounts.ana.services.50o1: "50o1" is not an id
clients: { ▶0011: { email: ana@example.com } }
  → accounts.ana.clients.0011: "0011" is not an id (a positive integer of at most ten digits); write 11$
clients: { ▶~: { email: ana@example.com } }
  → accounts.ana.clients.~: "~" is not an id (a positive integer of at most ten digits)$
clients: { 11: {}, ▶: {} }
  → accounts.ana.clients.: "" is not an id (a positive integer of at most ten digits)$
faults: [{ operation: rotateStickySession, match: { path: { session: ▶007 } }, respond: { status: 503 } }]
  → Write 7 if 007 is a number, or put quotes around it if it is text$
services: {5101: {client: 1, product: 201, usage: {stats: {▶0x1F : 5}}}}
  → accounts.ana.services.5101.usage.stats.0x1F: "0x1F" is not a date (YYYY-MM-DD)$
{▶{ login }}: 5
  → A key must be text. Put quotes around it$
clients: { ▶[11]: { email: ana@example.com } }
  → A key must be text. Put quotes around it$
? a▶: 1
  → A key must be text. Put quotes around it$
services: { 5001: { client: 1, product: 101, ▶__proto__: 5 } }
  → Unknown field "__proto__"$
limits: { "renewal": true, ▶"renewal": false }
  → This key appears twice$
credit: ▶0.005
  → accounts.ana.credit: 0.005 is not an amount in USD
▶clients: []
  → accounts.ana.clients: A list is not a map by id
services: { 5001: { client: 1, product: 101, status: ▶Actve } }
  → accounts.ana.services.5001.status: "Actve" is not one of: Active, Pending, Suspended, Terminated, Cancelled, Fraud. Did you mean "Active"?
clients: { ▶ana: { email: ana@example.com } }
  → accounts.ana.clients.ana: "ana" is not an id (a positive integer of at most ten digits)
services: { 5001: { service_id: ▶5002, client: 1, product: 101 } }
  → accounts.ana.services.5001.service_id: Must be 5001, the key of the service
invoices: { 9001: { serviceid: 1, status: Paid, date_paid: ▶2026-02-30 } }
  → accounts.ana.invoices.9001.date_paid: "2026-02-30" is not a date (YYYY-MM-DD)
faults: [{ operation: getCredit, ▶fault: lost }]
  → accounts.ana.faults.0.fault: Unknown field "fault". Did you mean "name"?
timeline: [{ after: PT1H, ▶patch: { services: { 5999: { status: Suspended } } } }]
  → accounts.ana.timeline.0.patch: there is no service 5999
services:
  5001:
    client: 1
    product: 101
    ips:
      - 192.0.2.1
      - ▶192.0.02.1
  → accounts.ana.services.5001.ips.1: "192.0.02.1" is not an IPv4 address (dotted decimal, four parts, no leading zeros)
clock: ▶2026-13-01T00:00:00Z
  → accounts.ana.clock: "2026-13-01T00:00:00Z" is not an instant
clock: ▶2026-01-15
  → accounts.ana.clock: "2026-01-15" has no time and zone; write 2026-01-15T00:00:00Z$
assumptions: { ▶unsetDates: null }
  → accounts.ana.assumptions.unsetDates: null removes the assumption. Put quotes around "null"
faults: [▶lst]
  → accounts.ana.faults.0.name: "lst" is not one of: 503,
clock: { frozen: ▶5 }
  → accounts.ana.clock.frozen: 5 is not true or false
clock: { now: 2026-01-15T12:00:00Z, ▶frozn: true }
  → accounts.ana.clock.frozn: Unknown field "frozn". Did you mean "frozen"?$
assumptions: { ▶productsort: desc }
  → accounts.ana.assumptions.productsort: Unknown field "productsort". Did you mean "productSort"?
services: { 5001: { client: 1, product: 201, sticky: { ttl: ▶7 } } }
  → accounts.ana.services.5001.sticky.ttl: 7 is not a TTL in minutes (1, 2, 3, 5, 10 or 15)
services:
  5001: { client: 1, product: 101, bindedip: 192.0.2.1 }
  5002: { client: 1, product: 101, bindedip: ▶192.0.2.1 }
  → accounts.ana.services.5002.bindedip: 192.0.2.1 is already bound to service 5001
services: { 5001: { client: 1, product: ▶999 } }
  → accounts.ana.services.5001.product: No product 999. Available: 101, 201
services: { 5001: { client: 1, product: 201, ▶bindedip: 192.0.2.1 } }
  → accounts.ana.services.5001.bindedip: bindedip is for fpr only, but this service is ppr
faults: [{ operation: ▶orderServce, drop: reset }]
  → accounts.ana.faults.0.operation: Unknown operation "orderServce". Did you mean "orderService"?$
faults: [{ operation: getCredit, respond: ▶insufficient-funds }]
  → accounts.ana.faults.0.respond: getCredit has no case "insufficient-funds". Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated
faults: [{ operation: getService, drop: reset, match: { path: { ▶serviceid: 1 } } }]
  → accounts.ana.faults.0.match.path.serviceid: getService has no path parameter "serviceid". Allowed: id
faults: [{ operation: getService, drop: reset, match: { ▶body: { id: 1 } } }]
  → accounts.ana.faults.0.match.body: getService takes no body. Leave it out
faults: [{ operation: "*", delay: 1, match: { body: { id: 1 } } }, { operation: "*", respond: ▶unprocessable }]
  → accounts.ana.faults.1.respond: Not every operation has a case "unprocessable". Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated$
faults: [{ operation: listClients, delay: 1, match: { path: { ▶id: 1 } } }]
  → accounts.ana.faults.0.match.path.id: listClients has no path parameter "id".$
timeline: [{ id: 3, after: PT1H, patch: { credit: 1 } }, { id: ▶3, after: PT2H, patch: { credit: 2 } }]
  → accounts.ana.timeline.1.id: timeline 3 appears twice
faults: [{ operation: "*", delay: 1, id: 1 }, { operation: "*", delay: 2, id: ▶1 }]
  → accounts.ana.faults.1.id: fault 1 appears twice
faults: [▶{ operation: getCredit }]
  → accounts.ana.faults.0: A fault needs an effect: respond, stale, delay or drop
faults: [{ operation: getCredit, respond: { status: ▶99 } }]
  → accounts.ana.faults.0.respond.status: 99 is not a status that can be sent (200 to 599)
clients: { 11: {}, ▶"11": {} }
  → This key appears twice
credit: &five ▶5
seed: *five
  → Anchors and aliases are not supported. Repeat the value
▶<<: { credit: 5 }
  → accounts.ana.<<: Unknown field "<<". Allowed: 
credit: ▶!money 5
  → Not valid YAML: Unresolved tag: !money$
clock: { ▶frozn: true, frozen: ▶5 }
  → accounts.ana.clock.frozn: Unknown field "frozn". Did you mean "frozen"?
  → accounts.ana.clock.frozen: 5 is not true or false
limits: { ▶activaton: 5, payment: ▶soon }
  → accounts.ana.limits.activaton: Unknown field "activaton". Did you mean "activation"?
  → accounts.ana.limits.payment: "soon" is not a number of seconds
services: { 5001: { client: 1, product: 101, ▶credit: 5 } }
  → accounts.ana.services.5001.credit: Unknown field "credit". Allowed: client,
services: { 5001: { client: 1, product: 201, usage: { stats: { ▶yesterday: 5 } } } }
  → accounts.ana.services.5001.usage.stats.yesterday: "yesterday" is not a date (YYYY-MM-DD)
clients: # of ours
  # and of others
  ▶ana: {}
  → accounts.ana.clients.ana: "ana" is not an id
▶credit: {}
  → accounts.ana.credit: An empty map is not an amount
▶credit: { usd: 5 }
  → accounts.ana.credit: A map is not an amount
credit: ▶.inf
  → accounts.ana.credit: Infinity is not an amount
tokens: [good, ▶5]
  → accounts.ana.tokens.1: A number is not a string without control characters (1 to 1000000 characters). Put quotes around it$
timeline: [{ after: ▶PT, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.after: "PT" is not an ISO 8601 duration
timeline: [{ after: ▶P9999Y, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.after: "P9999Y" is not a duration that ends by 9899-12-31
services: { 5001: { client: 1, product: 201 } }
timeline: [{ after: PT1H, patch: { services: { 5001: { ▶bindedip: 192.0.2.1 } } } }]
  → accounts.ana.timeline.0.patch.services.5001.bindedip: bindedip is for fpr only, but this service is ppr
clock: 2026-01-15T12:00:00Z
timeline: [{ at: ▶2026-01-14T12:00:00Z, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.at: 2026-01-14T12:00:00Z is before the clock, which shows 2026-01-15T12:00:00.000Z
clock: { now: 2026-01-15T12:00:00Z, rate: 2 }
timeline: [{ at: ▶2026-01-14T12:00:00Z, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.at: 2026-01-14T12:00:00Z is before the clock
`

/** Whole files with marks by their mistake: `main.yaml` and the files that it uses */
const inFiles: [what: string, files: string | Files, message: string][] = [
  [
    'a typo',
    account().replace('accounts', '▶acounts'),
    'acounts: Unknown field "acounts". Did you mean "accounts"?',
  ],
  [
    'a field of an account',
    `${account()}\n▶assumptions: { productSort: desc }`,
    'assumptions: Unknown field "assumptions". It belongs to an account: accounts.LOGIN.assumptions.$',
  ],
  [
    'a misspelt extends',
    'description: x\n▶extend: default',
    'extend: Unknown field "extend". Did you mean "extends"?$',
  ],
  [
    'a trailing comma in a JSON fixture',
    { 'main.yaml': `${account()}\nfixtures: [more]`, 'fixtures/more.json': '{ "clients": { "11": {} },\n▶}' },
    'Not valid JSON: unexpected "}"$',
  ],
  ['no zone', `${account()}\nclock: ▶2026-01-15 12:00`, 'clock: "2026-01-15 12:00" is not an instant'],
  [
    'an inexact seed',
    `${account()}\nseed: ▶9007199254740992`,
    'seed: 9007199254740992 is not a whole number, -9',
  ],
  ['a colon', account().replace('ana:', '▶"a:b":'), 'accounts.a:b: "a:b" is not a login (1 to'],
  [
    'a long login',
    account().replace('ana', `▶${'a'.repeat(101)}`),
    `accounts.${'a'.repeat(101)}: "${'a'.repeat(57)}…" is not a login`,
  ],
  ['a login that a URL drops', account().replace('ana', '▶"."'), 'accounts..: "." is not a login'],
  ['no accounts', '▶description: x', 'Missing field "accounts"'],
  [
    'no password',
    'description: x\naccounts:\n  ▶ana: { credit: 5 }',
    'accounts.ana: Missing field "password"',
  ],
  ['no description', '▶extends: default', 'Missing field "description"'],
  [
    'a secret, which is not repeated',
    account().replace('secret', String.raw`▶"12345\ud800"`),
    'accounts.ana.password: This value is not a string',
  ],
  [
    'a second document',
    `${account()}\n▶---\n${account()}`,
    'A second document begins here. A file may contain only one',
  ],
  ['a tab', account('clients:\n▶\t11: {}'), 'Not valid YAML: Tabs are not allowed as indentation$'],
  ['nothing', '▶', 'Empty. A scenario is a map of fields: description, and accounts or extends'],
  ['comments only', '▶# to be written\n', 'Empty. '],
  ['a list', '▶- description: x', 'A scenario is a map of fields'],
  ['a picture', '▶\u0000\u0001PNG', 'A scenario is a map of fields'],
  [
    'a parent that there is not',
    'description: x\nextends: ▶defualt',
    'extends: Unknown scenario "defualt". Did you mean "default"?',
  ],
  [
    'a path to a parent',
    'description: x\nextends: ▶./default.yaml',
    'extends: Unknown scenario "./default.yaml". Use its name: default',
  ],
  [
    'a fixture that there is not',
    'description: x\nextends: default\nfixtures: [catalog, ▶catalogue]',
    'fixtures.1: Unknown fixture "catalogue". Did you mean "catalog"?',
  ],
  [
    'a text for a list of fixtures',
    'description: x\nfixtures: ▶catalog',
    'fixtures: "catalog" is not a list of names of fixtures',
  ],
  [
    'scenarios that extend each other',
    {
      'main.yaml': 'description: x\nextends: one',
      'one.yaml': 'description: x\nextends: two',
      'two.yaml': `description: x\nextends: ▶one`,
    },
    'extends: Scenarios extend each other in a circle: ',
  ],
  [
    'a null that takes away what is needed',
    'description: x\nextends: default\naccounts: { reseller: { ▶password: null } }',
    'accounts.reseller: Missing field "password"',
  ],
  [
    'a map where the parent has nothing',
    {
      'main.yaml': 'description: x\nextends: one\naccounts: { ana: { clients: { ▶x: {} } } }',
      'one.yaml': account('clients: null'),
    },
    'accounts.ana.clients.x: "x" is not an id',
  ],
  [
    'a wrong value in the parent, and records before and after those of the parent',
    {
      'main.yaml':
        'description: x\nextends: one\naccounts: { ana: { products: { 100: { productName: A, price: 5, product_type: fpr } }, clients: { 11: {}, 12: {}, 61: {} } } }',
      'one.yaml': account(
        'products: { 200: { productName: B, price: 5, product_type: fpr }, 300: { productName: C, price: ▶wrong, product_type: fpr } }',
        'clients: { 50: {}, 60: {} }',
      ),
    },
    'accounts.ana.products.300.price: "wrong" is not an amount in USD',
  ],
  ...(
    [
      [
        'a wrong value',
        'products:\n  101: { productName: A, price: ▶dear, product_type: fpr }',
        'products.101.price: "dear" is not an amount',
      ],
      ['an unknown field', '▶product: {}', 'product: Unknown field "product". Did you mean "products"?'],
      ['no YAML', 'products: {\n  101▶', 'Not valid YAML: Flow map in block collection must be'],
    ] as const
  ).map(([what, fixture, message]): [string, Files, string] => [
    `${what} in a fixture`,
    { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': fixture },
    message,
  ]),
  [
    'a password that the parent lacks, below a fixture',
    {
      'main.yaml': 'description: x\nextends: one\nfixtures: [catalog]',
      'one.yaml': 'description: x\naccounts:\n  ▶ana: { credit: 5 }',
    },
    'accounts.ana: Missing field "password"',
  ],
  [
    'a service of its own on a product that the parent has taken away',
    {
      'main.yaml': `description: x\nextends: two\naccounts: { ana: { services: { 5001: { client: 1, product: ▶101 } } } }`,
      'two.yaml': 'description: x\nextends: one\naccounts: { ana: { products: { 101: null } } }',
      'one.yaml': account(products),
    },
    'accounts.ana.services.5001.product: No product 101. Available: 201',
  ],
  [
    'a product that is none of many',
    {
      'main.yaml': account(
        `products: { ${Array.from('abcdefghijk', (name, i) => `${i + 1}: { productName: ${name}, price: 5, product_type: fpr }`).join()} }`,
        'services: { 5001: { client: 1, product: ▶99 } }',
      ),
    },
    'accounts.ana.services.5001.product: No product 99. Available: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …$',
  ],
]

/** Writes files without their marks. @returns the positions of the marks */
function write(files: Files): { main: string; places: string[] } {
  const unmarked = Object.entries(files).map(([name, text]) => [name, text.replaceAll(mark, '')])
  const at = createFolderWith(Object.fromEntries(unmarked) as Files)
  const places: string[] = []
  for (const [name, marked] of Object.entries(files))
    for (const [line, text] of marked.split('\n').entries())
      for (let column = text.indexOf(mark), before = 0; column >= 0; column = text.indexOf(mark, column + 1))
        places.push(`${join(at, name)}:${line + 1}:${column + 1 - before++}`)
  return { main: join(at, 'main.yaml'), places }
}

/** Expects an issue with this message at each mark. */
async function expectIssues(files: string | Files, messages: readonly string[]): Promise<void> {
  const { main, places } = write(typeof files === 'string' ? { 'main.yaml': files } : files)
  const loaded = shared().simulation.library.loadFile(main)
  const failure: unknown = await loaded.catch((error: unknown) => error)
  if (!(failure instanceof ScenarioError)) throw new Error(`expected a ScenarioError, not ${String(failure)}`)
  const told = failure.message.split('\n')
  const expected = messages.map((message, i) => `${places[i]}: ${message}`)
  expect(told.map((one, i) => `${one}$`.slice(0, expected[i]?.length))).toEqual(expected)
}

const blocks = [...inAccount.trim().matchAll(/((?:(?!  →).*\n)+)((?:  →.*(?:\n|$))+)/g)]
test.each(blocks.map(([, lines = '', told = '']) => [lines.trim(), told.trim()]))(
  'a mistake in an account: %s',
  async (lines, told) => {
    const messages = told.split('\n').map((line) => line.replace(/^ *→ /, ''))
    await expectIssues(account(...lines.split('\n'), products), messages)
  },
)

test.each(inFiles)('a mistake in files: %s', async (_what, files, message) => expectIssues(files, [message]))

test('a field in the wrong place is reported before what is missing because of it', async () => {
  const { main } = write({
    'main.yaml': 'description: x\nextends: default\naccounts:\nreseller:\n  credit: 5',
  })
  const issues = await shared().simulation.library.check(main)
  expect(issues.map(({ line, message }) => `${line} ${message}`)).toEqual([
    expect.stringMatching(/^4 Unknown field "reseller"/),
    '3 Missing field "accounts"',
  ])
})

test('a key is text as it is written', async () => {
  const { main } = write({
    'main.yaml':
      'description: x\naccounts: { 007: { password: x }, True: { password: x }, 1e3: { password: x } }',
  })
  const { document } = await shared().simulation.library.loadFile(main)
  expect(Object.keys(document.accounts)).toEqual(['007', 'True', '1e3'])
})

/** Lines whose mistake the message says how to correct: a mark, the value, and a mark */
const advised = `
services: { ▶05001▶: { client: 1, product: 101 } }
services: { ▶"05001"▶: { client: 1, product: 101 } }
services: { ▶5001.0▶: { client: 1, product: 101 } }
services: { ▶0x1389▶: { client: 1, product: 101 } }
services: { ▶+5001▶: { client: 1, product: 101 } }
services: { 5001: { client: ▶011▶, product: 101 } }
services: { 5001: { client: 1, product: ▶"101"▶ } }
services: { 5001: { client: 1, product: ▶"0101"▶ } }
services: { 5001: { client: 1, product: 101, username: ▶777▶ } }
services: { 5001: { client: 1, product: 101, username: ▶true▶ } }
services: { 5001: { client: 1, product: 101, password: ▶0o17▶ } }
clients: { 11: { email: ▶20260115▶ } }
clients: { 11: { email: ▶1e3▶ } }
tokens: [▶1234▶]
tokens: [▶false▶]
credit: ▶010▶
limits: { updateListInterval: ▶0600▶ }
clock: ▶2026-01-15▶`
  .trim()
  .split('\n')

test.each(advised)('the advice leads to a scenario that loads: %s', async (line) => {
  const check = async (text: string) =>
    (await shared().simulation.library.check(write({ 'main.yaml': account(text, products) }).main)).map(
      ({ message }) => message,
    )
  const [before = '', value = '', after = ''] = line.split(mark)
  const [message = 'is accepted', ...more] = await check(`${before}${value}${after}`)
  expect(more).toEqual([])
  const [, written] = /write (\S+)(?: if .*)?$/i.exec(message) ?? []
  const advice = message.endsWith('Put quotes around it') ? `"${value}"` : written
  expect(advice, message).toBeDefined()
  expect(await check(`${before}${advice}${after}`)).toEqual([])
})

test.each(['1234', 'true', '0x1F'])('a password may be %s in quotes', async (value) => {
  const text = account().replace('secret', `${mark}${value}`)
  const kind = value === 'true' ? 'boolean' : 'number'
  await expectIssues(text, [
    `accounts.ana.password: A ${kind} is not a string without control characters (1 to 1000000 characters). Put quotes around it$`,
  ])
  const { main } = write({ 'main.yaml': account().replace('secret', `"${value}"`) })
  expect(await shared().simulation.library.check(main)).toEqual([])
})

test('an invalid scenario is refused entirely, and the running one stays', async () => {
  const sim = await start()
  const before = JSON.stringify(getState(sim))
  const { status, json } = await sim.call<{ details: unknown[] }>('PUT', '/__admin/scenario', {
    raw: account('credit: 5', 'crdit: 6'),
    headers: { 'content-type': 'application/yaml' },
  })
  expect(status).toBe(400)
  expect(json.details).toMatchObject([{ file: '(posted)', line: 6, column: 5, path: 'accounts.ana.crdit' }])
  expect(JSON.stringify(getState(sim))).toBe(before)
})

test('an inline scenario needs no description', async () => {
  const sim = await start()
  const put = (body: object) => sim.call('PUT', '/__admin/scenario', { body })
  expect((await put({ extends: 'default', accounts: { reseller: { credit: 7 } } })).status).toBe(200)
  expect(getWorld(sim).credit).toBe(7)
  const exported = await sim.call<object>('GET', '/__admin/scenario')
  expect(exported.json).toMatchObject({ description: '(no description)' })
  expect((await put(exported.json)).status).toBe(200)
})

test('the seed of the scenario decides which generated addresses may be in error', async () => {
  const scenario = (errors: string[]) => ({
    seed: 7,
    accounts: {
      ana: {
        password: 'p',
        products: { 1: { productName: 'A', price: 1, product_type: 'fpr' } },
        services: { 5: { client: 1, product: 1, errors } },
      },
    },
  })
  const sim = await start({ scenario: scenario([]) })
  const { text } = await sim.call('GET', '/api/iplist/http-ip/txt/5', { login: 'ana' })
  const [ip = ''] = /[\d.]+/.exec(text) ?? []
  expect((await sim.call('PUT', '/__admin/scenario', { body: scenario([ip]) })).status, ip).toBe(200)
})
