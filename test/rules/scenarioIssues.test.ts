import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ScenarioError } from '../../src/scenario/ScenarioError.ts'
import { folder, start, startForAll, stateOf, worldOf } from '../support/start.ts'

/** Marks the place, in a scenario or in a file that it uses, where a mistake is told. */
const mark = '▶'
const shared = startForAll()

/** A small scenario that is right, with some lines of its account put in. */
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

/** Writes files with marks in them, and tells where the marks were. */
function write(files: Readonly<Record<string, string>>): { main: string; places: string[] } {
  const at = folder()
  mkdirSync(join(at, 'fixtures'))
  const places: string[] = []
  for (const [name, marked] of Object.entries(files)) {
    const file = join(at, name)
    const lines = marked.split('\n')
    for (const [line, text] of lines.entries())
      for (let column = text.indexOf(mark), before = 0; column >= 0; column = text.indexOf(mark, column + 1))
        places.push(`${file}:${line + 1}:${column + 1 - before++}`)
    writeFileSync(file, marked.replaceAll(mark, ''))
  }
  return { main: join(at, 'main.yaml'), places }
}

async function schemaIssues(file: string): Promise<string[]> {
  const failure: unknown = await shared()
    .simulation.library.loadFile(file)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (!(failure instanceof ScenarioError)) throw new Error(`expected a ScenarioError, not ${String(failure)}`)
  return failure.message.split('\n')
}

/** Lines of an account, marked, and below them the issues, in the order of the marks */
const inAccount = `
services: { 5001: { client: 1, product: 101, ▶bindedIp: 192.0.2.1 } }
  → accounts.ana.services.5001.bindedIp: Unknown field "bindedIp". Did you mean "bindedip"? Allowed: client, product,
▶crdit: 5
▶xyzzy: 5
  → accounts.ana.crdit: Unknown field "crdit". Did you mean "credit"?
  → accounts.ana.xyzzy: Unknown field "xyzzy". Allowed: password, tokens, credit,
credit: ▶"100"
  → accounts.ana.credit: "100" is not an amount in USD (a number, 0 or more, with at most two decimals)
credit: ▶0.005
  → accounts.ana.credit: 0.005 is not an amount in USD
▶clients: []
  → accounts.ana.clients: A list is not a map by id
services: { 5001: { client: 1, product: 101, status: ▶Actve } }
  → accounts.ana.services.5001.status: "Actve" is not one of: Active, Pending, Suspended, Terminated, Cancelled, Fraud. Did you mean "Active"?
clients: { ▶ana: { email: ana@example.com } }
  → accounts.ana.clients.ana: "ana" is not an id (a positive integer of at most ten digits)
clients: { ▶011: {} }
  → accounts.ana.clients.011: "011" is not an id
services: { 5001: { service_id: ▶5002, client: 1, product: 101 } }
  → accounts.ana.services.5001.service_id: Must be 5001, as the key of the service
invoices: { 9001: { serviceid: 1, status: Paid, date_paid: ▶2026-02-30 } }
  → accounts.ana.invoices.9001.date_paid: "2026-02-30" is not a date (YYYY-MM-DD)
timeline: [{ after: PT1H, ▶patch: { services: { 5999: { status: Suspended } } } }]
  → accounts.ana.timeline.0.patch: there is no service 5999
services: { 5001: { client: 1, product: 101, bindedip: ▶192.0.02.1 } }
  → accounts.ana.services.5001.bindedip: "192.0.02.1" is not an IPv4 address (dotted decimal, four parts, no leading zeros)
services:
  5001:
    client: 1
    product: 101
    ips:
      - 192.0.2.1
      - ▶192.0.2
  → accounts.ana.services.5001.ips.1: "192.0.2" is not an IPv4 address
clock: ▶2026-13-01T00:00:00Z
  → accounts.ana.clock: "2026-13-01T00:00:00Z" is not an instant
clock: { now: 2026-01-15T12:00:00Z, ▶frozn: true }
  → accounts.ana.clock.frozn: Unknown field "frozn". Did you mean "frozen"? Allowed: now, frozen
assumptions: { ▶productsort: desc }
  → accounts.ana.assumptions.productsort: Unknown field "productsort". Did you mean "productSort"?
services: { 5001: { client: 1, product: 201, sticky: { ttl: ▶7 } } }
  → accounts.ana.services.5001.sticky.ttl: 7 is not a TTL in minutes (1, 2, 3, 5, 10 or 15)
generate: { services: ▶1000000 }
  → accounts.ana.generate.services: 1000000 services. A scenario may have at most 20000
services:
  5001: { client: 1, product: 101, bindedip: 192.0.2.1 }
  5002: { client: 1, product: 101, bindedip: ▶192.0.2.1 }
  → accounts.ana.services.5002.bindedip: 192.0.2.1 is bound to service 5001 already
services: { 5001: { client: 1, product: ▶999 } }
  → accounts.ana.services.5001.product: No product 999. Available: 101, 201
services: { 5001: { client: 1, product: 201, ▶bindedip: 192.0.2.1 } }
  → accounts.ana.services.5001.bindedip: bindedip is for fpr only, and this is ppr
faults: [{ operation: ▶orderServce, drop: reset }]
  → accounts.ana.faults.0.operation: Unknown operation "orderServce". Did you mean "orderService"? Allowed: *, listClients,
faults: [{ operation: getCredit, respond: ▶insufficient-funds }]
  → accounts.ana.faults.0.respond: getCredit has no case "insufficient-funds". Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated
faults: [{ operation: getService, drop: reset, match: { path: { ▶serviceid: 1 } } }]
  → accounts.ana.faults.0.match.path.serviceid: getService has no path parameter "serviceid". Allowed: id
faults: [{ operation: "*", delay: 1, id: 1 }, { operation: "*", delay: 2, id: ▶1 }]
  → accounts.ana.faults.1.id: fault 1 appears twice
faults: [▶{ operation: getCredit }]
  → accounts.ana.faults.0: A fault needs an effect: respond, delay or drop
faults: [{ operation: getCredit, respond: { status: ▶99 } }]
  → accounts.ana.faults.0.respond.status: 99 is not a status that can be sent (200 to 599)
credit: 5
▶credit: 6
  → This key appears twice
clients: { 11: {}, ▶"11": {} }
  → This key appears twice
credit: ▶&five 5
seed: *five
  → Anchors and aliases are not supported. Write the value out
▶<<: { credit: 5 }
  → accounts.ana.<<: Unknown field "<<". Allowed: 
credit: !money 5▶
  → Not valid YAML: unknown tag !<!money>
▶__proto__: { credit: 5 }
  → The key "__proto__" is not allowed
`

/** The same for whole files, by what is wrong with them */
const atTop: Record<string, [text: string, message: string]> = {
  'a typo': [
    account().replace('accounts', '▶acounts'),
    'acounts: Unknown field "acounts". Did you mean "accounts"?',
  ],
  'a field of an account': [
    `${account()}\n▶assumptions: { productSort: desc }`,
    'assumptions: Unknown field "assumptions". It belongs to an account: accounts.LOGIN.assumptions. Allowed: ',
  ],
  'a clock without a zone': [
    `${account()}\nclock: ▶2026-01-15 12:00`,
    'clock: "2026-01-15 12:00" is not an instant',
  ],
  'an inexact seed': [`${account()}\nseed: ▶9007199254740992`, 'is not a whole number, at most'],
  'a login with a colon': [account().replace('ana:', '▶"a:b":'), 'accounts.a:b: "a:b" is not a login (1 to'],
  'a long login': [account().replace('ana', `▶${'a'.repeat(101)}`), `: "${'a'.repeat(57)}…" is not a login`],
  'a login that a URL drops': [account().replace('ana', '▶"."'), 'accounts..: "." is not a login'],
  'no accounts': ['▶description: x', 'accounts: Required'],
  'no password': ['description: x\naccounts:\n  ▶ana: { credit: 5 }', 'accounts.ana.password: Required'],
  'no description': ['▶extends: default', 'description: Required: one line on what this scenario shows'],
  'a wrong secret, which is not repeated': [
    account().replace('secret', '▶12345'),
    'This value is not a text',
  ],
  'a second document': [`${account()}\n▶---\n${account()}`, 'A second document begins here. A file has one'],
  'a tab': [account('clients:\n▶\t11: {}'), 'Not valid YAML: tab characters must not be used in indentation'],
  nothing: ['▶', 'Empty. A scenario is a map of fields: description, and accounts or extends'],
  'comments only': ['▶# to be written\n', 'Empty. '],
  'a list': ['▶- description: x', 'A scenario is a map of fields'],
  'a picture': ['▶\u0000\u0001PNG', 'Not valid YAML: null byte is not allowed'],
}

/** What is told about files, and what should be: at each mark, its message. */
async function issuesOf(files: Readonly<Record<string, string>>, messages: readonly string[]) {
  const { main, places } = write(files)
  const expected = messages.map((message, i) => ({
    place: places[i],
    message: expect.stringContaining(message) as string,
  }))
  const told = (await schemaIssues(main)).map((message, i) => ({
    place: message.startsWith(`${places[i]}: `) ? places[i] : message,
    message,
  }))
  return { told, expected }
}

describe('a mistake in an account', () => {
  const blocks = [...inAccount.trim().matchAll(/((?:(?!  →).*\n)+)((?:  →.*(?:\n|$))+)/g)]
  test.each(blocks.map(([, lines = '', told = '']) => [lines.trim(), told.trim()]))(
    '%s',
    async (lines, told) => {
      const own = /^▶?products:/.test(lines) ? [] : [products]
      const messages = told.split('\n').map((line) => line.replace(/^ *→ /, ''))
      const { told: found, expected } = await issuesOf(
        { 'main.yaml': account(...lines.split('\n'), ...own) },
        messages,
      )
      expect(found).toEqual(expected)
    },
  )
})

describe('a mistake at the top or in the syntax', () => {
  test.each(Object.entries(atTop))('%s', async (_what, [text, message]) => {
    const { told, expected } = await issuesOf({ 'main.yaml': text }, [message])
    expect(told).toEqual(expected)
  })
})

describe('mistakes in extended and included files', () => {
  const rows: [what: string, files: Record<string, string>, ...messages: string[]][] = [
    [
      'a parent that there is not',
      { 'main.yaml': `description: x\nextends: ▶defualt` },
      'extends: Unknown scenario "defualt". Did you mean "default"?',
    ],
    [
      'a fixture that there is not',
      { 'main.yaml': `description: x\nextends: default\nfixtures: [catalog, ▶catalogue]` },
      'fixtures.1: Unknown fixture "catalogue". Did you mean "catalog"?',
    ],
    [
      'a text for a list of fixtures',
      { 'main.yaml': `description: x\nfixtures: ▶catalog` },
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
      'a null that removes nothing',
      {
        'main.yaml': `description: x\nextends: default\naccounts: { reseller: { products: { ▶999: null } } }`,
      },
      'accounts.reseller.products.999: null removes, but there is nothing to remove here',
    ],
    [
      'a null that takes away what is needed',
      { 'main.yaml': `description: x\nextends: default\naccounts: { reseller: { ▶password: null } }` },
      'accounts.reseller.password: Required',
    ],
    [
      'a wrong value in the parent, and records before and after those of the parent',
      {
        'main.yaml':
          'description: x\nextends: one\naccounts: { ana: { products: { 100: { productName: A, price: 5, product_type: fpr } }, clients: { 11: {}, 12: {}, 61: {} } } }',
        'one.yaml': account(
          `products: { 200: { productName: B, price: 5, product_type: fpr }, 300: { productName: C, price: ▶wrong, product_type: fpr } }`,
          'clients: { 50: {}, 60: {} }',
        ),
      },
      'accounts.ana.products.300.price: "wrong" is not an amount in USD',
    ],
    [
      'a wrong value in a fixture',
      {
        'main.yaml': `${account()}\nfixtures: [goods]`,
        'fixtures/goods.yaml': `products:\n  101: { productName: A, price: ▶dear, product_type: fpr }`,
      },
      'products.101.price: "dear" is not an amount in USD',
    ],
    [
      'an unknown field in a fixture',
      { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': `▶product: {}` },
      'product: Unknown field "product". Did you mean "products"?',
    ],
    [
      'a fixture that is no YAML',
      { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': `products: {\n  101▶` },
      'Not valid YAML: unexpected end of the stream within a flow collection',
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
  ]
  test.each(rows)('%s', async (_what, files, ...messages) => {
    const { told, expected } = await issuesOf(files, messages)
    expect(told).toEqual(expected)
  })
})

test('an invalid scenario is refused entirely, and the running one is kept', async () => {
  const sim = await start()
  const before = JSON.stringify(stateOf(sim))
  const raw = `${account('credit: 5', `crdit: 6`)}\n`
  const { status, json } = await sim.call<{ details: unknown[] }>('PUT', '/__admin/scenario', {
    raw,
    headers: { 'content-type': 'application/yaml' },
  })
  expect(status).toBe(400)
  expect(json.details).toMatchObject([{ file: '(posted)', line: 6, column: 5, path: 'accounts.ana.crdit' }])
  expect(JSON.stringify(stateOf(sim))).toBe(before)
})

test('an inline scenario needs no description, a file does', async () => {
  const sim = await start()
  const put = (body: object) => sim.call('PUT', '/__admin/scenario', { body })
  expect((await put({ extends: 'default', accounts: { reseller: { credit: 7 } } })).status).toBe(200)
  expect(worldOf(sim).credit).toBe(7)
  const exported = await sim.call<object>('GET', '/__admin/scenario')
  expect(exported.json).toMatchObject({ description: '(no description)' })
  expect((await put(exported.json)).status).toBe(200)
  const { main } = write({ 'main.yaml': 'extends: default' })
  expect(await schemaIssues(main)).toEqual([expect.stringContaining('description: Required')])
})
