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

type Row = [what: string, text: string, ...messages: string[]]

const form: Row[] = [
  [
    'a typo in a key at the top',
    account().replace('accounts', `${mark}acounts`),
    'acounts: Unknown field "acounts". Did you mean "accounts"? Allowed: description, seed, clock, accounts, extends, fixtures',
  ],
  [
    'a field of an account at the top',
    `${account()}\n${mark}assumptions: { productSort: desc }`,
    'assumptions: Unknown field "assumptions". It belongs to an account: accounts.LOGIN.assumptions. Allowed: ',
  ],
  [
    'a typo in a field of a record',
    account(`services: { 5001: { client: 1, product: 101, ${mark}bindedIp: 192.0.2.1 } }`, products),
    'accounts.ana.services.5001.bindedIp: Unknown field "bindedIp". Did you mean "bindedip"? Allowed: client, product,',
  ],
  [
    'two unknown keys in one map',
    account(`${mark}crdit: 5`, `${mark}xyzzy: 5`),
    'accounts.ana.crdit: Unknown field "crdit". Did you mean "credit"?',
    'accounts.ana.xyzzy: Unknown field "xyzzy". Allowed: password, tokens, credit,',
  ],
  [
    'a text for a number',
    account(`credit: ${mark}"100"`),
    'accounts.ana.credit: "100" is not an amount in USD (a number, 0 or more, with at most two decimals)',
  ],
  [
    'a fraction of a cent',
    account(`credit: ${mark}0.005`),
    'accounts.ana.credit: 0.005 is not an amount in USD',
  ],
  ['less than nothing', account(`credit: ${mark}-1`), 'accounts.ana.credit: -1 is not an amount in USD'],
  ['infinity', account(`credit: ${mark}.inf`), 'accounts.ana.credit: Infinity is not an amount in USD'],
  [
    'a map for a number',
    account(`${mark}credit: { usd: 5 }`),
    'accounts.ana.credit: A map is not an amount in USD',
  ],
  ['a list for a map', account(`${mark}clients: []`), 'accounts.ana.clients: A list is not a map by id'],
  ['a map for a list', account(`${mark}tokens: {}`), 'accounts.ana.tokens: An empty map is not a list'],
  [
    'a text for a record',
    account(`clients: { 11: ${mark}ana }`),
    'accounts.ana.clients.11: "ana" is not a map of fields',
  ],
  [
    'yes for true',
    account(`products: { 101: { productName: A, price: 5, product_type: fpr, product_hidden: ${mark}yes } }`),
    'accounts.ana.products.101.product_hidden: "yes" is not true or false',
  ],
  [
    'a typo in a choice',
    account(`services: { 5001: { client: 1, product: 101, status: ${mark}Actve } }`, products),
    'accounts.ana.services.5001.status: "Actve" is not one of: Active, Pending, Suspended, Terminated, Cancelled, Fraud. Did you mean "Active"?',
  ],
  [
    'a billing cycle that there is not',
    account(`services: { 5001: { client: 1, product: 101, billingcycle: ${mark}Weekly } }`, products),
    'accounts.ana.services.5001.billingcycle: "Weekly" is not one of: Free, Monthly, Quarterly, Semi-Annually, Annually, Biennially, Triennially',
  ],
  [
    'an invoice status that there is not',
    account(`invoices: { 9001: { serviceid: 1, status: ${mark}paid } }`),
    'accounts.ana.invoices.9001.status: "paid" is not one of: Unpaid, Paid, Cancelled, Refunded, Collections, Payment Pending, Pending. Did you mean "Paid"?',
  ],
  [
    'a name for an id',
    account(`clients: { ${mark}ana: { email: ana@example.com } }`),
    'accounts.ana.clients.ana: "ana" is not an id (a positive integer of at most ten digits)',
  ],
  [
    'an id with a leading zero',
    account(`clients: { ${mark}011: {} }`),
    'accounts.ana.clients.011: "011" is not an id',
  ],
  ['an id of nothing', account(`clients: { ${mark}0: {} }`), 'accounts.ana.clients.0: "0" is not an id'],
  [
    'an id too long',
    account(`clients: { ${mark}12345678901: {} }`),
    'accounts.ana.clients.12345678901: "12345678901" is not an id',
  ],
  [
    'a mail address that is a number',
    account(`clients: { 11: { email: ${mark}11 } }`),
    'accounts.ana.clients.11.email: 11 is not a text',
  ],
  [
    'a service whose id is not its key',
    account(`services: { 5001: { service_id: ${mark}5002, client: 1, product: 101 } }`, products),
    'accounts.ana.services.5001.service_id: Must be 5001, as the key of the service',
  ],
  [
    'a date that there is not',
    account(`invoices: { 9001: { serviceid: 1, status: Paid, date_paid: ${mark}2026-02-30 } }`),
    'accounts.ana.invoices.9001.date_paid: "2026-02-30" is not a date (YYYY-MM-DD)',
  ],
  [
    'an address with a leading zero',
    account(`services: { 5001: { client: 1, product: 101, bindedip: ${mark}192.0.02.1 } }`, products),
    'accounts.ana.services.5001.bindedip: "192.0.02.1" is not an IPv4 address (dotted decimal, four parts, no leading zeros)',
  ],
  [
    'a wrong address in a list',
    account(
      'services:',
      '  5001:',
      '    client: 1',
      '    product: 101',
      '    ips:',
      '      - 192.0.2.1',
      `      - ${mark}192.0.2`,
      products,
    ),
    'accounts.ana.services.5001.ips.1: "192.0.2" is not an IPv4 address',
  ],
  [
    'a clock without a zone',
    `${account()}\nclock: ${mark}2026-01-15 12:00`,
    'clock: "2026-01-15 12:00" is not an instant (ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z)',
  ],
  [
    'a clock that shows no such day',
    account(`clock: ${mark}2026-13-01T00:00:00Z`),
    'accounts.ana.clock: "2026-13-01T00:00:00Z" is not an instant',
  ],
  [
    'a clock with a typo',
    account(`clock: { now: 2026-01-15T12:00:00Z, ${mark}frozn: true }`),
    'accounts.ana.clock.frozn: Unknown field "frozn". Did you mean "frozen"? Allowed: now, frozen',
  ],
  [
    'a clock that shows a wrong time',
    account(`clock: { now: ${mark}noon, frozen: true }`),
    'accounts.ana.clock.now: "noon" is not an instant (ISO 8601 with a time zone, such as 2026-01-15T12:00:00Z)',
  ],
  [
    'an interval in words',
    account(`limits: { updateListInterval: ${mark}PT1H }`),
    'accounts.ana.limits.updateListInterval: "PT1H" is not a number of seconds, 0 to 1000000000',
  ],
  [
    'an assumption that there is not',
    account(`assumptions: { ${mark}productsort: desc }`),
    'accounts.ana.assumptions.productsort: Unknown field "productsort". Did you mean "productSort"?',
  ],
  [
    'a reading that there is not',
    account(`assumptions: { productSort: ${mark}down }`),
    'accounts.ana.assumptions.productSort: "down" is not one of: asc, desc',
  ],
  [
    'a TTL that there is not',
    account(`services: { 5001: { client: 1, product: 201, sticky: { ttl: ${mark}7 } } }`, products),
    'accounts.ana.services.5001.sticky.ttl: 7 is not a TTL in minutes (1, 2, 3, 5, 10 or 15)',
  ],
  [
    'more than can be made up',
    account(`generate: { services: ${mark}1000000 }`),
    'accounts.ana.generate.services: 1000000 services. A scenario may have at most 20000',
  ],
  ['a seed in words', `${account()}\nseed: ${mark}lucky`, 'seed: "lucky" is not a whole number'],
  [
    'a comment as in JavaScript before all',
    `${mark}// mine\n{"description":"x","accounts":{}}`,
    'Comments begin with # in YAML. JSON has none',
  ],
  [
    'a comment as in JavaScript before YAML',
    `${mark}// mine\n${account()}`,
    'Comments begin with # in YAML. JSON has none',
  ],
  [
    'a comment as in JavaScript between fields',
    `{"description":"x",\n  ${mark}// mine\n  "accounts":{}}`,
    'Comments begin with # in YAML. JSON has none',
  ],
  [
    'a seed beyond the exact numbers',
    `${account()}\nseed: ${mark}9007199254740992`,
    'seed: 9007199254740992 is not a whole number, at most 9007199254740991 and at least the negative of it',
  ],
  [
    'an interval of 30,000 years',
    account(`limits: { updateListInterval: ${mark}1000000000000 }`),
    'accounts.ana.limits.updateListInterval: 1000000000000 is not a number of seconds, 0 to 1000000000',
  ],
  [
    'a login with a colon',
    account().replace('ana:', `${mark}"a:b":`),
    'accounts.a:b: "a:b" is not a login (1 to 100 characters, no colon, no control characters; not __proto__, and not . or .., which a URL can\'t hold)',
  ],
  [
    'a login that is too long, which is quoted in part',
    account().replace('ana:', `${mark}${'a'.repeat(101)}:`),
    `accounts.${'a'.repeat(101)}: "${'a'.repeat(57)}…" is not a login (1 to 100 characters, no colon, no control characters; not __proto__, and not . or .., which a URL can't hold)`,
  ],
  [
    'a login that a URL drops',
    account().replace('ana:', `${mark}".":`),
    'accounts..: "." is not a login (1 to 100 characters, no colon, no control characters; not __proto__, and not . or .., which a URL can\'t hold)',
  ],
  ['no accounts at all', `${mark}description: Of a test.`, 'accounts: Required'],
  [
    'no password',
    `description: Of a test.\naccounts:\n  ${mark}ana: { credit: 5 }`,
    'accounts.ana.password: Required',
  ],
  [
    'no description',
    `${mark}extends: default`,
    'description: Required: one line on what this scenario shows',
  ],
  [
    'a description that is none',
    `description: ${mark}5\nextends: default`,
    'description: 5 is not a text (1 to 10000 characters)',
  ],
  [
    'a password that is no text, which is not repeated',
    account().replace('secret', `${mark}12345`),
    'accounts.ana.password: This value is not a text without control characters',
  ],
  [
    'a password with a control character beyond ASCII',
    account().replace('secret', String.raw`${mark}"a\u0085b"`),
    'accounts.ana.password: This value is not a text without control characters',
  ],
]

const sense: Row[] = [
  [
    'an address bound twice',
    account(
      'services:',
      '  5001: { client: 1, product: 101, bindedip: 192.0.2.1 }',
      `  5002: { client: 1, product: 101, bindedip: ${mark}192.0.2.1 }`,
      products,
    ),
    'accounts.ana.services.5002.bindedip: 192.0.2.1 is bound to service 5001 already',
  ],
  [
    'a product that there is not',
    account(`services: { 5001: { client: 1, product: ${mark}999 } }`, products),
    'accounts.ana.services.5001.product: No product 999. Available: 101, 201',
  ],
  [
    'a field of the other type in a service',
    account(`services: { 5001: { client: 1, product: 201, ${mark}bindedip: 192.0.2.1 } }`, products),
    'accounts.ana.services.5001.bindedip: bindedip is for fpr only, and this is ppr',
  ],
  [
    'sessions of a static service',
    account(`services: { 5001: { client: 1, product: 101, ${mark}sticky: { ttl: 5 } } }`, products),
    'accounts.ana.services.5001.sticky: sticky is for ppr only, and this is fpr',
  ],
  [
    'a field of the other type in a product',
    account(`products: { 201: { productName: B, price: 5, product_type: ppr, ${mark}geo: [US] } }`),
    'accounts.ana.products.201.geo: geo is for fpr only, and this is ppr',
  ],
  [
    'a session twice',
    account(
      `services: { 5001: { client: 1, product: 201, sticky: { sessions: [{ server: a, session: b }, ${mark}{ server: a, session: b }] } } }`,
      products,
    ),
    'accounts.ana.services.5001.sticky.sessions.1: session b on server a appears twice',
  ],
  [
    'a fault on no operation',
    account(`faults: [{ operation: ${mark}orderServce, drop: reset }]`),
    'accounts.ana.faults.0.operation: Unknown operation "orderServce". Did you mean "orderService"? Allowed: *, listClients,',
  ],
  [
    'a fault with a case of another operation',
    account(`faults: [{ operation: getCredit, respond: ${mark}insufficient-funds }]`),
    'accounts.ana.faults.0.respond: getCredit has no case "insufficient-funds". Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated',
  ],
  [
    'a fault on a path parameter that its operation has not',
    account('faults: [{ operation: getService, drop: reset, match: { path: { serviceid: 1 } } }]').replace(
      'serviceid',
      `${mark}serviceid`,
    ),
    'accounts.ana.faults.0.match.path.serviceid: getService has no path parameter "serviceid". Allowed: id',
  ],
  [
    'two faults of one id',
    account(`faults: [{ operation: "*", delay: 1, id: 1 }, { operation: "*", delay: 2, id: ${mark}1 }]`),
    'accounts.ana.faults.1.id: fault 1 appears twice',
  ],
  [
    'a fault on all with a case of some',
    account(`faults: [{ operation: "*", respond: ${mark}unprocessable }]`),
    'accounts.ana.faults.0.respond: Not every operation has a case "unprocessable". Allowed: ',
  ],
  [
    'a fault that does nothing',
    account(`faults: [${mark}{ operation: getCredit }]`),
    'accounts.ana.faults.0: A fault needs an effect: respond, delay or drop',
  ],
  [
    'a delay too long',
    account(`faults: [{ operation: getCredit, delay: ${mark}1e9 }]`),
    'accounts.ana.faults.0.delay: 1000000000 is not a delay in milliseconds (0 to 600000)',
  ],
  [
    'a delay as a duration',
    account(`faults: [{ operation: getCredit, delay: ${mark}PT1S }]`),
    'accounts.ana.faults.0.delay: "PT1S" is not a delay in milliseconds',
  ],
  [
    'a status that is none',
    account(`faults: [{ operation: getCredit, respond: { status: ${mark}99 } }]`),
    'accounts.ana.faults.0.respond.status: 99 is not a status that can be sent (200 to 599)',
  ],
]

const syntax: Row[] = [
  ['a key twice', account('credit: 5', `${mark}credit: 6`), 'The key "credit" appears twice'],
  [
    'an id twice, once as a text',
    account(`clients: { 11: {}, ${mark}"11": {} }`),
    'The key "11" appears twice',
  ],
  [
    'an alias',
    account('credit: &five 5', `seed: ${mark}*five`),
    'Aliases (*name) are not supported. Write the value out',
  ],
  ['a merge key', account(`${mark}<<: { credit: 5 }`), 'accounts.ana.<<: Unknown field "<<". Allowed: '],
  ['a tag', account(`credit: !!int ${mark}5`), 'Tags are not supported (!!int)'],
  ['a tag of somebody’s', account(`credit: !money ${mark}5`), 'Tags are not supported (!money)'],
  [
    'the directive of YAML 1.1',
    `${mark}%YAML 1.1\n---\n${account()}`,
    'The directive %YAML 1.1 is not supported. Files are read as YAML 1.2',
  ],
  ['__proto__', account(`${mark}__proto__: { credit: 5 }`), 'The key "__proto__" is not allowed'],
  ['a list as a key', account(`clients: { ? ${mark}[11] : {} }`), 'A key is a text, not a list or a map'],
  [
    'a second document',
    `${account()}\n${mark}---\n${account()}`,
    'A second document begins here. A file has one',
  ],
  ['a tab', account(`clients:\n${mark}\t11: {}`), 'Not valid YAML: Tabs are not allowed as indentation'],
  ['nothing', mark, 'Empty. A scenario is a map of fields: description, and accounts or extends'],
  ['comments only', `${mark}# to be written\n`, 'Empty. '],
  ['a list at the top', `${mark}- description: Of a test.`, 'A scenario is a map of fields'],
  ['a text at the top', `${mark}default`, 'A scenario is a map of fields'],
  ['a picture', `${mark}\u0000\u0001PNG`, 'A control character: this is not a text file'],
  [
    'ten thousand lists in each other',
    `a: ${'['.repeat(99)}${mark}${'['.repeat(9901)}`,
    'Nested more than 100 levels deep',
  ],
  [
    'ten thousand keys in each other',
    `${'? '.repeat(99)}?${mark}${' ?'.repeat(9900)}`,
    'Nested more than 100 levels deep',
  ],
]

describe.each([
  ['form', form],
  ['sense', sense],
  ['syntax', syntax],
])('mistakes of %s', (_kind, rows) => {
  test.each(rows)('%s', async (_what, text, ...messages) => {
    const { main, places } = write({ 'main.yaml': text })
    const told = await schemaIssues(main)
    expect(told).toHaveLength(messages.length)
    for (const [i, message] of messages.entries()) {
      expect(told[i]).toContain(`${places[i]}: ${message}`)
    }
  })
})

describe('mistakes in extended and included files', () => {
  const rows: [what: string, files: Record<string, string>, ...messages: string[]][] = [
    [
      'a parent that there is not',
      { 'main.yaml': `description: x\nextends: ${mark}defualt` },
      'extends: There is no scenario "defualt", did you mean "default"? There are: ',
    ],
    [
      'a path for a parent',
      { 'main.yaml': `description: x\nextends: ${mark}../main` },
      'extends: There is no scenario "../main"',
    ],
    [
      'a number for a parent',
      { 'main.yaml': `description: x\nextends: ${mark}5` },
      'extends: 5 is not the name of a scenario',
    ],
    [
      'a fixture that there is not',
      { 'main.yaml': `description: x\nextends: default\nfixtures: [catalog, ${mark}catalogue]` },
      'fixtures.1: There is no fixture "catalogue", did you mean "catalog"? There are: catalog',
    ],
    [
      'a text for a list of fixtures',
      { 'main.yaml': `description: x\nfixtures: ${mark}catalog` },
      'fixtures: "catalog" is not a list of names of fixtures',
    ],
    [
      'scenarios that extend each other',
      {
        'main.yaml': 'description: x\nextends: one',
        'one.yaml': 'description: x\nextends: two',
        'two.yaml': `description: x\nextends: ${mark}one`,
      },
      'extends: Scenarios extend each other in a circle: ',
    ],
    [
      'a null that removes nothing',
      {
        'main.yaml': `description: x\nextends: default\naccounts: { reseller: { products: { ${mark}999: null } } }`,
      },
      'accounts.reseller.products.999: null removes, but there is nothing to remove here',
    ],
    [
      'a null in a field with a typo',
      { 'main.yaml': `description: x\nextends: default\naccounts: { reseller: { ${mark}servces: null } }` },
      'accounts.reseller.servces: null removes, but there is nothing to remove here',
    ],
    [
      'a null that takes away what is needed',
      { 'main.yaml': `description: x\nextends: default\naccounts: { reseller: { ${mark}password: null } }` },
      'accounts.reseller.password: Required',
    ],
    [
      'a wrong value in the parent',
      {
        'main.yaml': 'description: x\nextends: one\naccounts: { ana: { credit: 5 } }',
        'one.yaml': account(`seed: ${mark}lucky`),
      },
      'accounts.ana.seed: "lucky" is not a whole number',
    ],
    [
      'a wrong value in the parent, and one laid over it',
      {
        'main.yaml': `description: x\nextends: one\naccounts: { ana: { seed: ${mark}luckier } }`,
        'one.yaml': account(`seed: lucky`),
      },
      'accounts.ana.seed: "luckier" is not a whole number',
    ],
    [
      'a wrong value in the parent, and records before and after those of the parent',
      {
        'main.yaml':
          'description: x\nextends: one\naccounts: { ana: { products: { 100: { productName: A, price: 5, product_type: fpr } }, clients: { 11: {}, 12: {}, 61: {} } } }',
        'one.yaml': account(
          `products: { 200: { productName: B, price: 5, product_type: fpr }, 300: { productName: C, price: ${mark}wrong, product_type: fpr } }`,
          'clients: { 50: {}, 60: {} }',
        ),
      },
      'accounts.ana.products.300.price: "wrong" is not an amount in USD',
    ],
    [
      'a wrong value in a parent that only lists accounts, and a fixture that adds to them',
      {
        'main.yaml': 'description: x\nextends: one\nfixtures: [goods]',
        'fixtures/goods.yaml': 'products: { 100: { productName: A, price: 5, product_type: fpr } }',
        'one.yaml': account(
          `products: { 200: { productName: B, price: ${mark}wrong, product_type: fpr } }`,
          'clients: { 50: {}, 60: {} }',
        ),
      },
      'accounts.ana.products.200.price: "wrong" is not an amount in USD',
    ],
    [
      'a wrong value in a fixture',
      {
        'main.yaml': `${account()}\nfixtures: [goods]`,
        'fixtures/goods.yaml': `products:\n  101: { productName: A, price: ${mark}dear, product_type: fpr }`,
      },
      'products.101.price: "dear" is not an amount in USD',
    ],
    [
      'a field that a fixture lacks',
      {
        'main.yaml': `${account()}\nfixtures: [goods]`,
        'fixtures/goods.yaml': `products:\n  ${mark}101: { productName: A, product_type: fpr }`,
      },
      'products.101.price: Required',
    ],
    [
      'an unknown field in a fixture',
      { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': `${mark}product: {}` },
      'product: Unknown field "product". Did you mean "products"?',
    ],
    [
      'a fixture that is no YAML',
      { 'main.yaml': `${account()}\nfixtures: [goods]`, 'fixtures/goods.yaml': `products: {\n  101${mark}` },
      'Not valid YAML: Flow map',
    ],
    [
      'a parent’s service on a product that is taken away',
      {
        'main.yaml': `description: x\nextends: one\naccounts: { ana: { products: { ${mark}101: null } } }`,
        'one.yaml': account(products, 'services: { 5001: { client: 1, product: 101 } }'),
      },
      'accounts.ana.products.101: Removed here, but accounts.ana.services.5001.product needs it',
    ],
    [
      'a service of its own on a product that the parent has taken away',
      {
        'main.yaml': `description: x\nextends: two\naccounts: { ana: { services: { 5001: { client: 1, product: ${mark}101 } } } }`,
        'two.yaml': 'description: x\nextends: one\naccounts: { ana: { products: { 101: null } } }',
        'one.yaml': account(products),
      },
      'accounts.ana.services.5001.product: No product 101. Available: 201',
    ],
  ]
  test.each(rows)('%s', async (_what, files, ...messages) => {
    const { main, places } = write(files)
    const told = await schemaIssues(main)
    expect(told).toHaveLength(messages.length)
    for (const [i, message] of messages.entries()) expect(told[i]).toContain(`${places[i]}: ${message}`)
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
  expect(json.details).toMatchObject([{ line: 6, column: 5, path: 'accounts.ana.crdit' }])
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

test('all issues of a fault are reported at once', async () => {
  const sim = await start()
  const { status, json } = await sim.call<{ details: { path: string }[] }>('POST', '/__admin/faults', {
    body: { operation: 'getCredit', respond: 'insufficient-funds', delay: 'soon', tmes: 1 },
  })
  expect(status).toBe(400)
  expect(json.details.map(({ path }) => path).toSorted()).toEqual(['delay', 'respond', 'tmes'])
})
