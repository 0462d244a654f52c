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
  → accounts.ana.credit: Invalid input: expected number, received string$
▶credti:
  → accounts.ana.credti: Unknown field "credti". Did you mean "credit"?
services: { ▶50o1: null }
  → accounts.ana.services.50o1: Invalid id: expected a positive integer of at most ten digits$
clients: { ▶0011: { email: ana@example.com } }
  → accounts.ana.clients.0011: Invalid id
clients: { 11: {}, ▶: {} }
  → accounts.ana.clients.: Invalid id
{▶{ login }}: 5
  → Not valid YAML: With stringKeys, all keys must be strings$
services: { 5001: { client: 1, product: 101, ▶__proto__: 5 } }
  → Unknown field "__proto__"$
limits: { "renewal": true, ▶"renewal": false }
  → This key appears twice$
credit: ▶0.005
  → accounts.ana.credit: Invalid amount in USD: expected at most two decimals$
▶clients: []
  → accounts.ana.clients: Invalid input: expected record, received array$
services: { 5001: { client: 1, product: 101, status: ▶Actve } }
  → accounts.ana.services.5001.status: Invalid option: expected one of "Active"|"Pending"|"Suspended"|"Terminated"|"Cancelled"|"Fraud". Did you mean "Active"?$
services: { 5001: { service_id: ▶5002, client: 1, product: 101 } }
  → accounts.ana.services.5001.service_id: Must be 5001, the key of the service
invoices: { 9001: { serviceid: 1, status: Paid, date_paid: ▶2026-02-30 } }
  → accounts.ana.invoices.9001.date_paid: Invalid ISO date$
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
  → accounts.ana.services.5001.ips.1: Invalid IPv4 address$
clock: ▶2026-01-15
  → accounts.ana.clock: Invalid instant: expected ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z, from 1970
assumptions: { ▶unsetDates: null }
  → accounts.ana.assumptions.unsetDates: null removes the assumption. Put quotes around "null"
faults: [▶lst]
  → accounts.ana.faults.0.name: Invalid option: expected one of "503"|
clock: { frozen: ▶5, ▶frozn: true }
  → accounts.ana.clock.frozen: Invalid input: expected boolean, received number
  → accounts.ana.clock.frozn: Unknown field "frozn". Did you mean "frozen"?$
services: { 5001: { client: 1, product: 201, sticky: { ttl: ▶7 } } }
  → accounts.ana.services.5001.sticky.ttl: Invalid option: expected one of 1|2|3|5|10|15$
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
faults: [{ operation: "*", delay: 1 }, { operation: "*", respond: ▶unprocessable }]
  → accounts.ana.faults.1.respond: Not every operation has a case "unprocessable". Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated$
timeline: [{ id: 3, after: PT1H, patch: { credit: 1 } }, { id: ▶3, after: PT2H, patch: { credit: 2 } }]
  → accounts.ana.timeline.1.id: timeline 3 appears twice
faults: [{ operation: "*", delay: 1, id: 1 }, { operation: "*", delay: 2, id: ▶1 }]
  → accounts.ana.faults.1.id: fault 1 appears twice
faults: [▶{ operation: getCredit }]
  → accounts.ana.faults.0: A fault needs an effect: respond, stale, delay or drop
faults: [{ operation: getCredit, respond: { status: ▶99 } }]
  → accounts.ana.faults.0.respond.status: Too small: expected number to be >=200$
faults: ▶5
  → accounts.ana.faults: Invalid input: expected a list, or a map by id
credit: ▶&five 5
seed: *five
  → Anchors and aliases are not supported. Repeat the value
▶<<: { credit: 5 }
  → accounts.ana.<<: Unknown field "<<". Allowed: 
credit: ▶!money 5
  → Not valid YAML: Unresolved tag: !money$
credit: ▶.inf
  → accounts.ana.credit: Invalid input: expected number, received Infinity$
tokens: [good, ▶5]
  → accounts.ana.tokens.1: Invalid input: expected string, received number$
timeline: [{ after: ▶P9999Y, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.after: Invalid duration: expected ISO 8601, such as PT10S, PT1H, P1D or P1M, that ends by 9899-12-31
services: { 5001: { client: 1, product: 201 } }
timeline: [{ after: PT1H, patch: { services: { 5001: { ▶bindedip: 192.0.2.1 } } } }]
  → accounts.ana.timeline.0.patch.services.5001.bindedip: bindedip is for fpr only, but this service is ppr
clock: { now: 2026-01-15T12:00:00Z, rate: 2 }
timeline: [{ at: ▶2026-01-14T12:00:00Z, patch: { credit: 1 } }]
  → accounts.ana.timeline.0.at: 2026-01-14T12:00:00Z is before the clock
`

/** Whole files with marks by their mistakes: `main.yaml` and the files that it uses */
const inFiles: [what: string, files: string | Files, ...messages: string[]][] = [
  [
    'a field of an account',
    `${account()}\n▶assumptions: { productSort: desc }`,
    'assumptions: Unknown field "assumptions". Allowed: description, seed, clock, accounts, extends, fixtures$',
  ],
  [
    'wrong indentation',
    'description: x\nextends: default\n▶accounts:\n▶reseller:\n  credit: 5',
    'accounts: Missing field',
    'reseller: Unknown field "reseller". Allowed: ',
  ],
  [
    'a trailing comma in a JSON fixture',
    { 'main.yaml': `${account()}\nfixtures: [more]`, 'fixtures/more.json': '{ "clients": { "11": {} },\n▶}' },
    'Not valid JSON: unexpected "}"$',
  ],
  [
    'a colon',
    account().replace('ana:', '▶"a:b":'),
    'accounts.a:b: Invalid login: expected 1 to 100 characters',
  ],
  ['a login that a URL drops', account().replace('ana', '▶"."'), 'accounts..: Invalid login'],
  ['no password', 'description: x\naccounts:\n  ▶ana: { credit: 5 }', 'accounts.ana.password: Missing field'],
  ['no description', '▶extends: default', 'description: Missing field'],
  [
    'a secret, which is not repeated',
    account().replace('secret', String.raw`▶"12345\ud800"`),
    'accounts.ana.password: Invalid string: a lone surrogate cannot be sent$',
  ],
  ['a second document', `${account()}\n▶---\n${account()}`, 'A file may contain only one document'],
  ['a tab', account('clients:\n▶\t11: {}'), 'Not valid YAML: Tabs are not allowed as indentation$'],
  ['nothing', '▶', 'A scenario is a map of fields: description, and accounts or extends'],
  ['a list', '▶- description: x', 'A scenario is a map of fields'],
  [
    'a parent that there is not',
    'description: x\nextends: ▶defualt',
    'extends: Unknown scenario "defualt". Did you mean "default"?',
  ],
  [
    'a fixture that there is not',
    'description: x\nextends: default\nfixtures: [catalog, ▶catalogue]',
    'fixtures.1: Unknown fixture "catalogue". Did you mean "catalog"?',
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
    'accounts.reseller.password: Missing field',
  ],
  ...(
    [
      [
        'a wrong value',
        'products:\n  101: { productName: A, price: ▶dear, product_type: fpr }',
        'products.101.price: Invalid input',
      ],
      ['an unknown field', '▶product: {}', 'product: Unknown field "product". Did you mean "products"?'],
      ['no YAML', 'products: {\n  101▶', 'Not valid YAML: Flow map in block collection must be'],
    ] as const
  ).map(([what, fixture, message]): [string, Files, string] => [
    `${what} in a fixture`,
    { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': fixture },
    message,
  ]),
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

test.each(inFiles)('a mistake in files: %s', async (_what, files, ...messages) =>
  expectIssues(files, messages),
)

test('a key is text as it is written', async () => {
  const { main } = write({
    'main.yaml':
      'description: x\naccounts: { 007: { password: x }, True: { password: x }, 1e3: { password: x } }',
  })
  const { document } = await shared().simulation.library.loadFile(main)
  expect(Object.keys(document.accounts)).toEqual(['007', 'True', '1e3'])
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
