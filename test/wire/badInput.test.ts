import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import type { ContractOperation } from '../../src/contract/Contract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { adminOf, small } from '../support/admin.ts'
import { rawRequest, readReply, replyTo, sendRaw } from '../support/raw.ts'
import { reseller, scenarioWith } from '../support/scenario.ts'
import { start, startForAll, stateOf, type Answered, type CallOptions } from '../support/start.ts'

/*
 * Input that the API or the control plane refuses: what is said, in whose words, and that nothing has changed.
 */

const { operations } = await loadContract()
const { operations: adminOperations } = await adminContract()
const { services } = reseller
const scenario = scenarioWith({
  credit: 12.4,
  services: { ...services, 5006: { ...services[5006], list_updated_at: '2026-01-15T11:30:00Z' } },
})

const texts: Record<string, string> = {
  unprocessable: 'Unprocessable Entity ',
  'product-not-found': 'Unprocessable Entity or product ID not found',
  'insufficient-funds': 'Unprocessed entity or not enough funds to order',
  'incorrect-posted-data': 'Unprocessable Entity. Incorrect posted data',
  'client-not-found': 'Unprocessable Entity. ClientID not found',
  'invalid-ipv4': 'Unprocessable Entity. Invalid IPv4 format',
  'ip-already-bound': 'Unprocessable Entity. IP already binded',
  'update-list-throttled': 'Too Many Attempts (updateList). Next update possible: 2026-01-15 12:30:00',
  'upstream-error': 'Service not found',
}

/** Request → status and case: a part of the reason */
const refusals = `
GET /api/stats/9999 → 422 unprocessable: there is no service 9999
GET /api/stats/5001 → 422 unprocessable: service 5001 is fpr
GET /api/rate/9999 → 422 unprocessable: there is no service 9999
GET /api/rate/5001 → 422 unprocessable: service 5001 is fpr
GET /api/product/999 → 422 product-not-found: there is no product 999
POST /api/product/999 {"clientid":11} → 422 product-not-found: there is no product 999
POST /api/product/102 {"clientid":11} → 422 insufficient-funds: credit 12.40 is less than price 12.50
POST /api/product/101 {} → 422 incorrect-posted-data: clientid is required
POST /api/product/101 {"clientid":"11"} → 422 incorrect-posted-data: clientid must be integer
POST /api/product/101 {"clientid":0} → 422 incorrect-posted-data: clientid must be >= 1
POST /api/product/101 {"clientid": → 422 incorrect-posted-data: the body is not valid JSON
POST /api/product/101 {"clientid":11,"setip":""} → 422 incorrect-posted-data: setip is not an IPv4
POST /api/product/101 {"clientid":11,"setip":"192.0.2.10"} → 422 incorrect-posted-data: setip 192.0.2.10 is bound to service 5001 already
POST /api/product/201 {"clientid":11,"setip":"192.0.2.77"} → 422 incorrect-posted-data: setip is for fpr products only
POST /api/product/101 {"clientid":99} → 422 client-not-found: there is no client 99
GET /api/products/orderby/size → 422 unprocessable: field must be equal to one of the allowed values
GET /api/service/9999 → 422 unprocessable: there is no service 9999
GET /api/service/007 → 422 unprocessable: id must be a positive integer of at most ten digits, without leading zeros
GET /api/networkstatus/errors/5005 → 400 client-not-found: client 99
GET /api/networkstatus/errors/9999 → 422 unprocessable: no service 9999
GET /api/networkstatus/inactive/5005 → 400 client-not-found: client 99
GET /api/networkstatus/inactive/9999 → 422 unprocessable: no service 9999
PUT /api/service/5005 {} → 400 client-not-found: client 99
PUT /api/service/9999 {} → 422 unprocessable: no service 9999
PUT /api/service/5003 {} → 422 unprocessable: service 5003 is Suspended
PUT /api/service/5003 {broken → 422 unprocessable: service 5003 is Suspended
PUT /api/service/5001 {"password":"not base64"} → 422 incorrect-posted-data: password is not base64
PUT /api/service/5001 {"password":""} → 422 incorrect-posted-data: password is empty
PUT /api/service/5001 {"password":"AA==","setip":"x"} → 422 incorrect-posted-data: password decodes to control characters
PUT /api/service/5002 {"setip":"192.0.2.77"} → 422 incorrect-posted-data: setip is for fpr services only
PUT /api/service/5001 {"setip":"192.0.2.256"} → 422 invalid-ipv4: setip is not an IPv4 address
PUT /api/service/5001 {"setip":""} → 422 invalid-ipv4: setip is not an IPv4 address
PUT /api/service/5001 {"setip":"192.0.2.16"} → 422 ip-already-bound: 192.0.2.16 is bound to service 5006 already
PUT /api/service/5006 {"update_list":"true"} → 429 update-list-throttled: the interval is 3600 s, 1800 s are left
GET /api/iplist/http-ip/txt/9999 → 422 unprocessable: no service 9999
GET /api/iplist/http-ip/txt/5003 → 422 unprocessable: Suspended
GET /api/iplist/ppr-http/txt/5001 → 422 unprocessable: for ppr services
GET /api/iplist/http-ip/xml/5001 → 422 unprocessable: formatl
GET /api/sticky/list/9999 → 422 upstream-error: no service 9999
GET /api/sticky/rotate/9999/us1/abc → 422 unprocessable: no service 9999
GET /api/sticky/rotate/5002/us1/xyz → 422 unprocessable: no live session xyz
GET /api/sticky/rotate/5001/us1/abc → 422 unprocessable: service 5001 is fpr
GET /api/sticky/rotate/5004/us1/abc → 422 unprocessable: Suspended
GET /api/sticky/changettl/5002/4 → 422 unprocessable: ttl
GET /api/sticky/changettl/5001/4 → 422 unprocessable: ttl
GET /api/sticky/changettl/9999/5 → 422 unprocessable: no service 9999
GET /api/sticky/resetall/9999 → 422 unprocessable: no service 9999
GET /api/nowhere → 404 not-found: there is no path /api/nowhere
DELETE /api/services → 405 method-not-allowed: DELETE is not one of the methods of this path (GET, HEAD)
HEAD /api/sticky/resetall/5002 → 405 method-not-allowed: HEAD is not one of the methods of this path (GET)
`
  .trim()
  .split('\n')
  .map(
    (line) =>
      /^(\S+) (\S+)(?: (.*))? → (\d+ [a-z\d-]+): (.*)$/.exec(line)?.slice(1) as [
        string,
        string,
        string?,
        ...string[],
      ],
  )

describe('a refusal', () => {
  const simulator = startForAll({ scenario })
  const silent = startForAll({ scenario, explain: false })

  test.each(refusals)('%s %s %s: %s, because %s', async (method, path, raw, refusal = '', reason = '') => {
    const options: CallOptions = raw === undefined ? {} : { raw }
    const before = JSON.stringify(stateOf(simulator()))
    const { status, headers, text } = await simulator().call(method, path, options)
    expect(`${status} ${String(headers['sim-case'])}`).toBe(refusal)
    expect(headers['sim-reason']).toContain(reason)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    const said = texts[refusal.slice(4)] // of what the document has
    expect(text).toBe(said === undefined ? text : JSON.stringify({ error: said }))
    expect(JSON.stringify(stateOf(simulator()))).toBe(before)
    const unexplained = await silent().call(method, path, options)
    expect(unexplained).toMatchObject({ status, text })
    expect(Object.keys(unexplained.headers).filter((name) => name.startsWith('sim-'))).toEqual([])
  })

  test('there is one for every case of the contract', () => {
    const met = new Set(refusals.map(([method, , , refusal]) => `${method} ${refusal}`))
    const missing = operations.flatMap(({ operationId, method, cases }) =>
      cases
        .filter(
          ({ name, status, isAuthentication }) =>
            !isAuthentication && !met.has(`${method} ${status} ${name}`),
        )
        .map(({ name }) => `${operationId} ${name}`),
    )
    expect(missing).toEqual([])
  })

  test.each(['GET /api/service/abc', 'GET /api/nothing', 'DELETE /api/services', 'POST /api/product/101'])(
    'for missing credentials comes before all others: %s',
    async (request) => {
      const [method = '', path = ''] = request.split(' ')
      const { status, text } = await simulator().call(method, path, { login: null, raw: '{broken' })
      expect({ status, text }).toEqual({ status: 401, text: 'Unauthenticated' })
    },
  )

  test.each([{ raw: '{broken' }, { raw: 'x', headers: { 'content-type': 'text/plain' } }, {}])(
    'for the path comes before one for the body: %j',
    async (options) => {
      for (const id of ['abc', '999', '__proto__', '1e3']) {
        const ordered = await simulator().call('POST', `/api/product/${id}`, options)
        expect(ordered.headers['sim-case']).toBe('product-not-found')
      }
    },
  )
})

/** Good values for every path parameter; the product costs nothing. */
const good: Record<string, string> = {
  id: '5002',
  pid: '202',
  field: 'price',
  typel: 'ppr-http',
  formatl: 'txt',
  server: 'us1',
  session: 'abc',
  ttl: '5',
}

function pathOf({ path }: ContractOperation, values: Record<string, string> = {}): string {
  return path.replaceAll(/\{(.+?)\}/g, (_all, name: string) => values[name] ?? good[name] ?? '1')
}

describe('odd input', () => {
  const simulator = startForAll({ scenario: scenarioWith() })
  const orders = operations.find(({ operationId }) => operationId === 'orderService') as ContractOperation
  const updates = operations.find(({ operationId }) => operationId === 'updateService') as ContractOperation

  /** An answer is a success, or a refusal of the operation's own to the letter, which leaves no trace. */
  async function ask(operation: ContractOperation, path: string, options: CallOptions = {}) {
    const before = JSON.stringify(stateOf(simulator()))
    const answered = await simulator().call(operation.method, path, options)
    const { status, headers, text } = answered
    const isOwn = operation.cases.some(
      (one) =>
        one.status === status &&
        one.name === headers['sim-case'] &&
        headers['content-type'] === `${one.type}; charset=utf-8` &&
        (Object.keys(one.fill).length > 0 ||
          text === (typeof one.value === 'string' ? one.value : JSON.stringify(one.value))),
    )
    const about = `${operation.method} ${path.slice(0, 100)} → ${status} ${text.slice(0, 100)}`
    expect(isOwn || status === 200, about).toBe(true)
    const after = JSON.stringify(stateOf(simulator()))
    expect(status === 200 || after === before, `${about} changed the world`).toBe(true)
    return answered
  }

  const oddIds = (
    '0 -1 +1 01 1e3 0x10 1.0 1,000 %201 1%20 NaN Infinity -0 99999999999 %00 5002%00 %0d%0aSet-Cookie:x %2F %2e%2e ' +
    ". __proto__ constructor toString hasOwnProperty null undefined true [] {} 1'%20OR%20'1'='1 %F0%9F%92%A9 " +
    '%EF%BC%95 %zz % %c3%28 * ; 5002;5001 5001,5002'
  ).split(' ')

  test.each(operations.filter(({ pathNames }) => pathNames.length > 0))(
    'in the path of $operationId is refused as its own',
    async (operation) => {
      for (const name of operation.pathNames)
        for (const odd of [...oddIds, '9'.repeat(400), 'a'.repeat(7000)]) {
          const body = operation === orders ? { clientid: 11 } : undefined
          const { status } = await ask(operation, pathOf(operation, { [name]: odd }), { body })
          // Assumption unknownInvoice: what is not an id is as unknown as an id that nobody has.
          expect({ name, odd, status }).toMatchObject({
            status: operation.operationId === 'getInvoice' ? 200 : 422,
          })
        }
    },
  )

  test('of chance, in path, query, headers and body, never breaks an operation', async () => {
    const segment = fc
      .oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }))
      .filter((text) => Buffer.from(text).toString() === text)
      .map(encodeURIComponent)
      .filter((text) => text !== '.' && text !== '..')
    const bytes = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array().map((some) => Buffer.from(some)),
    )
    const types = fc.constantFrom(
      undefined,
      'application/json',
      'text/plain',
      'application/json; charset=utf-8',
    )
    const request = fc.constantFrom(...operations).chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        values: fc.oneof(
          fc.constant({}),
          fc.record(Object.fromEntries(operation.pathNames.map((name) => [name, segment]))),
        ),
        query: fc.constantFrom('', '?', '?x', '?id=0&ttl=99', '?__proto__=1', '?a[]=1&a[b]=2', '?%zz=%00'),
        raw: bytes,
        type: types,
      }),
    )
    await fc.assert(
      fc.asyncProperty(request, async ({ operation, values, query, raw, type }) => {
        await ask(operation, pathOf(operation, values) + query, { raw, headers: { 'content-type': type } })
      }),
      { numRuns: 150 },
    )
    expect(({} as { credit?: unknown }).credit).toBeUndefined()
  })

  const bodies: [what: string, raw: string | Buffer, type?: string | null][] = [
    ...`null|5|[]|[{"clientid":11}]|"x"|true|{"clientid":11|{"clientid":11}{}|  \n |{'clientid':11}`
      .split('|')
      .map((raw): [string, string] => [raw, raw]),
    ['a comment', '{/**/"clientid":11}'],
    ['a BOM', '\ufeff{"clientid":11}'],
    ['UTF-16', Buffer.from('{"clientid":11}', 'utf16le')],
    ['Latin-1', Buffer.from('{"clientid":11,"x":"caf\xe9"}', 'latin1')],
    ['bytes', Buffer.from([0, 1, 2, 255])],
    ['a form', 'clientid=11&setip=192.0.2.1'],
    ['objects in fields', '{"clientid":{"$gt":0},"setip":{},"password":{}}'],
    ['null in fields', '{"clientid":null,"setip":null,"update_list":null,"password":null}'],
    ['a huge number', '{"clientid":1e999,"setip":1e999}'],
    ['a deep array', `{"clientid":11,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a deep object', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['more than a megabyte', `{"clientid":11,"setip":"${'x'.repeat(1_100_000)}"}`],
    ...[
      null,
      '',
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/jsonx',
      'application/json, text/plain',
      '*/*',
      '__proto__',
    ].map((type): [string, string, string | null] => [`of type ${type}`, '{"clientid":11}', type]),
  ]

  test.each(bodies)(
    'in a body is incorrect posted data: %s',
    async (_what, raw, type = 'application/json') => {
      for (const operation of [orders, updates]) {
        const headers = { 'content-type': type ?? undefined }
        const { text } = await ask(operation, pathOf(operation), { raw, headers })
        expect(text).toBe('{"error":"Unprocessable Entity. Incorrect posted data"}')
      }
    },
  )

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'Application/JSON',
    ' application/json ; odd=parameter',
  ])('is no content type of %s, nor a field that nobody knows', async (type) => {
    const raw =
      '{"clientid":11,"__proto__":{"credit":1},"constructor":{"prototype":{"x":1}},"credit":0,"id":1}'
    const { status } = await ask(orders, pathOf(orders), { raw, headers: { 'content-type': type } })
    expect(status).toBe(200)
    expect((await simulator().call('GET', '/api/billing/credit')).json).toEqual({ credit: 100 })
  })

  test('in an encoding: a broken, an unknown or a bomb', async () => {
    const body = '{"clientid":11}'
    const sent = (raw: string | Buffer, encoding: string): Promise<Answered<unknown>> =>
      ask(orders, pathOf(orders), { raw, headers: { 'content-encoding': encoding } })
    expect((await sent(gzipSync(body), 'gzip')).status).toBe(200)
    for (const [raw, encoding] of [
      [body, 'gzip'],
      [gzipSync(body).subarray(0, 12), 'gzip'],
      [body, 'zstd'],
      [gzipSync(`{"clientid":11,"x":"${' '.repeat(5_000_000)}"}`), 'gzip'],
    ] as const)
      expect((await sent(raw, encoding)).text).toContain('Incorrect posted data')
  })

  test('in chunks: a good body is taken, an endless one refused', async () => {
    const { port, authorization } = simulator()
    const headers = [
      `Authorization: ${authorization()}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    const chunked = rawRequest('POST', pathOf(orders), headers)
    const whole = await sendRaw(port, chunked, '8\r\n{"client\r\n', '7\r\nid":11}\r\n0\r\n\r\n')
    expect(readReply(whole).status).toBe(200)
    const megabyte = `${(2 ** 20).toString(16)}\r\n${' '.repeat(2 ** 20)}\r\n`
    const endless = await sendRaw(port, chunked, ...Array.from({ length: 20 }, () => megabyte))
    expect(readReply(endless).body).toContain('Incorrect posted data')
  })
})

describe('what the control plane refuses', () => {
  const simulator = startForAll({ scenario: small })
  const admin = adminOf(simulator)

  const everyCall = adminOperations.map(({ operationId, method, path, bodyTypes, bodyRequired }) => ({
    operationId,
    method,
    bodyTypes,
    bodyRequired,
    path: path
      .replace('/__admin', '')
      .replace('{login}', 'reseller')
      .replace(/\{\w+\}/, 'x1'),
  }))

  interface Sent {
    query?: string
    raw?: string | Buffer
    type?: string | undefined
    said: RegExp
  }

  /** What each call refuses, by what it takes */
  function refusedBy({
    bodyTypes,
    bodyRequired,
  }: {
    bodyTypes: readonly string[]
    bodyRequired: boolean
  }): Sent[] {
    const always = [{ query: '?limmit=1', said: /limmit/ }]
    const noBody = /there is a body, and this operation takes none: leave it out/
    if (bodyTypes.length === 0)
      return [
        ...always,
        ...['{"account":"nobody"}', '[]', `{"a":"${'x'.repeat(1_500_000)}"}`].map((raw) => ({
          raw,
          said: noBody,
        })),
        { raw: 'a text', type: 'text/plain', said: noBody },
      ]
    return [
      ...always,
      ...['{', '{"a":', 'nonsense: [', '\u0000', '[]', '5', '"x"', 'null'].map((raw) => ({ raw, said: /./ })),
      ...[`${'['.repeat(5000)}${']'.repeat(5000)}`, `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`].map(
        (raw) => ({
          raw,
          said: /./,
        }),
      ),
      { raw: Buffer.from('{"description":"caf\xe9"}', 'latin1'), said: /not UTF-8 text/ },
      { raw: 'a=1', type: 'text/plain', said: /application\/json/ },
      { raw: 'a=1', type: 'multipart/form-data; boundary=x', said: /application\/json/ },
      { raw: '{"login":"a","login":"b"}', said: /appears twice|./ },
      { raw: '{"__proto__":{"login":"a"}}', said: /./ },
      ...(bodyRequired ? [{ said: /body/ }] : []),
    ]
  }

  test.each(everyCall)('$operationId', async (call) => {
    const state = async (): Promise<string> => (await admin('GET', '/scenario')).text
    const before = await state()
    for (const { query = '', raw, type = 'application/json', said } of refusedBy(call)) {
      const options = { ...(raw !== undefined && { raw }), headers: { 'content-type': type } }
      const { status, json } = await admin<{ error: string; details: object[] }>(
        call.method,
        call.path + query,
        undefined,
        options,
      )
      expect(status, `${String(raw).slice(0, 30)}${query}`).toBe(400)
      expect(json.error).toMatch(said)
      expect(json.details.length).toBeGreaterThan(0)
    }
    const { status, headers, json } = await simulator().call<{ error: string }>(
      'PROPFIND',
      `/__admin${call.path}`,
    )
    expect(status).toBe(405)
    expect(json.error).toContain(headers.allow)
    expect(await state()).toBe(before)
  })

  test.each([
    ['GET', '/requests?limit=-1', undefined, 'limit: must be a whole number, 0 to 999999999, in digits only'],
    [
      'GET',
      '/requests?status=abc',
      undefined,
      'status: must be a status such as 422, or a class such as 4xx',
    ],
    ['GET', '/requests?limit=1&limit=2', undefined, 'limit: is given more than once'],
    ['PUT', '/clock', '{}', 'the body must have at least one field'],
    ['POST', '/requests/wait', '{"timeout":-1}', 'timeout: must be >= 0'],
    ['POST', '/accounts', '{"login":5}', 'login: must be string'],
    ['POST', '/accounts', '{"login":"a","login":"b"}', 'appears twice'],
    ['POST', '/clock/advance', '{"at":"PT1H"}', 'at: there is no field "at" (allowed: by)'],
    ['POST', '/clock/advance', '{"by":"PT1H","by":"PT2H"}', 'appears twice'],
    ['PATCH', '/accounts/reseller', '{"credit":1,"credit":2}', 'appears twice'],
    [
      'PATCH',
      '/accounts/reseller',
      '{"services":{"__proto__":{"status":"Fraud"}}}',
      '"__proto__" is not allowed',
    ],
    ['POST', '/accounts?account=reseller', undefined, 'account'],
    ['POST', '/scenarios/empty/load?account=reseller', undefined, 'account'],
  ] as const)('%s %s %s', async (method, path, raw, said) => {
    const { status, json } = await admin<{ error: string }>(
      method,
      path,
      undefined,
      raw === undefined ? {} : { raw },
    )
    expect(status).toBe(400)
    expect(json.error).toContain(said)
  })

  test('faults beyond 1,000, or one of more than 64 KB', async () => {
    const large = { operation: 'getCredit', respond: { status: 200, body: 'x'.repeat(70_000) } }
    const { status, json } = await admin<{ error: string }>('POST', '/faults', large)
    expect({ status, error: json.error }).toMatchObject({
      status: 400,
      error: expect.stringContaining('65536'),
    })
    const faults = Array.from({ length: 1000 }, () => ({ operation: 'getCredit', delay: 0 }))
    expect((await admin('PATCH', '/accounts/reseller', { faults: [...faults, faults[0]] })).text).toContain(
      'at most 1000',
    )
    expect((await admin('PATCH', '/accounts/reseller', { faults })).status).toBe(200)
    expect((await admin('POST', '/faults', faults[0])).status).toBe(409)
  })

  test('no path but its own', async () => {
    for (const path of ['/nope', '', '/', '/health/', '/HEALTH', '/accounts//tokens', '/accounts/a/b', '/%'])
      expect((await simulator().call('GET', `/__admin${path}`)).status, path).toBe(404)
    for (const path of ['/health', '/scenario'])
      expect(await simulator().call('HEAD', `/__admin${path}`)).toMatchObject({ status: 200, text: '' })
  })

  test('not an optional body that is left out, with its content type or without', async () => {
    for (const [path, status] of [
      ['/snapshots', 201],
      ['/accounts', 201],
      ['/accounts/reseller/tokens', 201],
      ['/scenarios/default/load', 200],
    ] as const)
      for (const raw of ['', '{}', ' {}\n'])
        expect(
          (await admin('POST', path, undefined, { raw, headers: { 'content-type': undefined } })).status,
        ).toBe(status)
  })

  test('of any input: never with a 5xx, and the world stays usable', async () => {
    const sim = await start()
    const target = fc.constantFrom(
      'PATCH /accounts/reseller',
      'POST /faults',
      'PUT /clock',
      'POST /clock/advance',
      'POST /accounts',
      'PUT /scenario',
    )
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(
        1e308,
        -1,
        '',
        '__proto__',
        'P9999999Y',
        '2026-02-30T00:00:00Z',
        'x'.repeat(5000),
      ),
    )
    const names = (
      'credit clients products services invoices limits assumptions faults clock next tokens password seed operation phase respond ' +
      'delay drop after times probability match by now frozen login scenario 5001 status bindedip price ips sticky usage client'
    ).split(' ')
    const key = fc.constantFrom(...names)
    const content = fc.dictionary(
      key,
      fc.oneof(odd, fc.dictionary(key, fc.oneof(odd, fc.dictionary(key, odd)))),
      { maxKeys: 3 },
    )
    await fc.assert(
      fc.asyncProperty(target, content, async (call, body) => {
        const [method = '', path = ''] = call.split(' ')
        const { status, text } = await sim.call(method, `/__admin${path}`, { body })
        expect(status, text).toBeLessThan(500)
        for (const asked of ['/api/services', '/api/billing/credit', '/api/products', '/api/service/5001'])
          expect(
            (await sim.call('GET', asked)).status,
            `${asked} after ${JSON.stringify(body)}`,
          ).toBeLessThan(500)
        if (status < 300) await sim.call('POST', '/__admin/scenarios/default/load')
      }),
      { numRuns: 150 },
    )
  })
})

test('bytes of any kind are answered or refused, and affect no other connection', async () => {
  const sim = await start()
  const line = fc.string({ unit: 'binary-ascii', maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ''))
  const authorization = fc.oneof(
    fc.constantFrom('Basic cmVzZWxsZXI6c2VjcmV0', '', 'Basic', 'Basic =', 'Basic Og==', 'Bearer x'),
    fc.base64String({ maxLength: 40 }).map((text) => `Basic ${text}`),
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)),
    fc
      .tuple(fc.constantFrom('GET', 'POST', 'TRACE', 'M-SEARCH', 'x'), line, authorization, line, fc.string())
      .map(([verb, target, login, header, body]) =>
        Buffer.from(
          `${verb} /${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${login}\r\nX: ${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      ),
    line.map((text) =>
      Buffer.from(
        `POST /api/product/101 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${text}\r\n0\r\n\r\n`,
      ),
    ),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      expect(await replyTo(sim.port, (socket) => void socket.end(sent))).not.toMatch(
        /HTTP\/1\.1 5|<pre|node_modules|\.ts:\d/,
      )
    }),
    { numRuns: 150 },
  )
  expect((await sim.call('GET', '/__admin/health')).status).toBe(200)
})
