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
POST /api/product/101 {"clientid":11.5} → 422 incorrect-posted-data: clientid must be integer
POST /api/product/101 {"clientid":11,"setip":null} → 422 incorrect-posted-data: setip must be string
POST /api/product/101 {"clientid":11,"setip":"192.0.2.300"} → 422 incorrect-posted-data: setip is not an IPv4
POST /api/product/101 {"clientid":11,"setip":"192.0.2.13"} → 422 incorrect-posted-data: setip 192.0.2.13 is bound to service 5003 already
PUT /api/service/5001 {"update_list":true} → 422 incorrect-posted-data: update_list must be string
PUT /api/service/5001 {"setip":5,"update_list":"true"} → 422 incorrect-posted-data: setip must be string
PUT /api/service/5001 {"setip":"192.0.2.20","update_list":"true","password":"%%%"} → 422 incorrect-posted-data: password is not base64
PUT /api/service/5001 {"setip":"192.0.2.16","update_list":"true","password":"bmV3"} → 422 ip-already-bound: bound to service 5006 already
PUT /api/service/5001 {"setip":"192.0.2.13"} → 422 ip-already-bound: 192.0.2.13 is bound to service 5003 already
PUT /api/service/5006 {"setip":"192.0.2.20","update_list":"true","password":"bmV3"} → 429 update-list-throttled: the interval is 3600 s
GET /api/nowhere → 404 not-found: there is no path /api/nowhere
DELETE /api/services → 405 method-not-allowed: DELETE is not one of the methods of this path (GET, HEAD)
HEAD /api/sticky/resetall/5002 → 405 method-not-allowed: HEAD is not one of the methods of this path (GET)
`
  .trim()
  .split('\n')
  .map((line) => /^(\S+) (\S+)(?: (.*))? → (\d+ [a-z\d-]+): (.*)$/.exec(line)?.slice(1) as Refused)

type Refused = [method: string, path: string, raw: string | undefined, refusal: string, reason: string]

const base64 = (text: string | number[]): string => Buffer.from(text as string).toString('base64')

/** Values of one kind, all refused alike */
const alike: [request: string, values: string[], refusal: string][] = [
  [
    'PUT /api/service/5001 setip',
    [
      ...'192.0.2|192.0.2.1.1|192.0.2.256|192.0.2.01|192.0.2.+1|192.0.2.1 | 192.0.2.1|192.0.2.1/32|0xc0.0.2.1'.split(
        '|',
      ),
      ...'3221225985|2001:db8::1|::ffff:192.0.2.1|１９２.0.2.1|localhost|192,0,2,1|...||192.0.2.1\n'.split(
        '|',
      ),
    ],
    '422 invalid-ipv4',
  ],
  [
    'PUT /api/service/5001 password',
    [
      ...'|secret!|c2VjcmV0MQ|Pz8_Pz8-|c2Vj cmV0|c2VjcmV0\n|====|c2Vj=mV0'.split('|'),
      ...[[0xff, 0xfe], 'two\nlines', 'a\0b', 'two\u0085lines', 'a\u009fb'].map(base64),
    ],
    '422 incorrect-posted-data',
  ],
  [
    'GET /api/sticky/changettl/5002/{}',
    '0|4|6|16|-1|1.0|01|1e1|0x1|+1|ten|%2531%2530x|%201|%EF%BC%91'.split('|'),
    '422 unprocessable',
  ],
  [
    'GET /api/iplist/{}/5001',
    'HTTP-IP/txt|http-ip/TXT|https/txt|http-ip/pdf|ppr-http/txt|http-ip/__proto__'.split('|'),
    '422 unprocessable',
  ],
  [
    'GET /api/sticky/rotate/5002/{}',
    'us2/abc|us1/ABC|us1/abc%20|abc/us1|__proto__/constructor'.split('|'),
    '422 unprocessable',
  ],
]
for (const [request, values, refusal] of alike)
  for (const value of values) {
    const [method = '', path = '', field] = request.split(' ')
    const raw = field && JSON.stringify({ [field]: value })
    refusals.push([method, path.replace('{}', value), raw, refusal, ''])
  }

describe('a refusal', () => {
  const simulator = startForAll({ scenario })
  const silent = startForAll({ scenario, explain: false })

  test.each(refusals)('%s %s %s: %s, because %s', async (method, path, raw, refusal, reason) => {
    const options: CallOptions = raw === undefined ? {} : { raw }
    const before = JSON.stringify(stateOf(simulator()))
    const { status, headers, text } = await simulator().call(method, path, options)
    expect(`${status} ${String(headers['sim-case'])}`).toBe(refusal)
    expect(headers['sim-reason']).toContain(reason)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    const known = operations.flatMap(({ cases }) => cases).find(({ name }) => name === refusal.slice(4))
    expect(text).toBe(known ? textOf(known).replace('13:00:00', '12:30:00') : text)
    expect(JSON.stringify(stateOf(simulator()))).toBe(before)
    const unexplained = await silent().call(method, path, options)
    expect(unexplained).toMatchObject({ status, text })
    expect(Object.keys(unexplained.headers).filter((name) => name.startsWith('sim-'))).toEqual([])
  })

  test('there is one for every case of the contract', () => {
    const met = new Set(refusals.map(([method, , , refusal]) => `${method} ${refusal}`))
    const missing = operations.flatMap(({ operationId, method, cases }) =>
      cases
        .filter((one) => !one.isAuthentication && !met.has(`${method} ${one.status} ${one.name}`))
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

function textOf({ value }: { value: unknown }): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

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
        (Object.keys(one.fill).length > 0 || text === textOf(one)),
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

  /** Request → status, [path of the first detail], and a part of its message or of the error */
  const wrong = `
GET /requests?limit=-1 → 400 [limit] must be a whole number, 0 to 999999999, in digits only
GET /requests?status=abc → 400 [status] must be a status such as 422, or a class such as 4xx
GET /requests?limit=1&limit=2 → 400 [limit] is given more than once
PUT /clock {} → 400 [] the body must have at least one field
PUT /clock {"now":"2026-01-15T11:59:59.999Z"} → 400 [now] never goes back
PUT /clock {"now":"tomorrow"} → 400 [now] "tomorrow" is not an ISO 8601 instant
PUT /clock {"now":""} → 400 [now] "" is not an ISO 8601 instant
PUT /clock {"now":"2026-01-16"} → 400 [now] ISO 8601
PUT /clock {"now":"2026-02-30T00:00:00Z"} → 400 [now] ISO 8601
PUT /clock {"now":"2026-01-16T00:00:00"} → 400 [now] zone
PUT /clock {"now":5} → 400 [now] string
PUT /clock {"frozen":"yes"} → 400 [frozen] boolean
PUT /clock {"freeze":true} → 400 [freeze] frozen
PUT /clock {"now":"9900-01-01T00:00:00Z"} → 400 [now] 9899
PUT /clock {"now":"1969-12-31T23:59:59Z"} → 400 [now] 9899
POST /clock/advance {"by":"P7900Y"} → 400 [by] 9899
POST /clock/advance {"by":"1h"} → 400 [by] PT1H
POST /clock/advance {"by":"-PT1H"} → 400 [by] ISO 8601 duration
POST /clock/advance {"by":"PT"} → 400 [by] PT1H
POST /clock/advance {"by":"P"} → 400 [by] PT1H
POST /clock/advance {"by":"PT99999999999999999999H"} → 400 [by] 9899
POST /clock/advance {"by":3600} → 400 [by] string
POST /clock/advance {} → 400 [by] 
POST /clock/advance {"by":"PT1H","to":"x"} → 400 [to] to
POST /clock/advance {"at":"PT1H"} → 400 [at] Unknown field "at". Available: by.
POST /requests/wait {"timeout":-1} → 400 [timeout] must be >= 0
POST /accounts {"login":5} → 400 [login] must be string
POST /accounts {"login":"reseller"} → 409 reseller
POST /accounts {"login":"a:b"} → 400 [login] colon
POST /accounts {"login":".."} → 400 [login] not . or .., which a URL can't hold
POST /accounts {"login":""} → 400 [login] login
POST /accounts {"login":"__proto__"} → 400 [login] login
POST /accounts {"scenario":"nope"} → 404 Available: 
POST /accounts {"scenrio":"default"} → 400 [scenrio] Did you mean "scenario"
POST /accounts [] → 400 [] object
POST /accounts "x" → 400 [] object
POST /accounts?account=reseller → 400 [account] account
POST /scenarios/empty/load?account=reseller → 400 [account] account
POST /faults {"operation":"getCredit","respond":"ip-already-bound"} → 400 [respond] Allowed: invalid-authorization-header, invalid-credentials-format, unauthenticated
POST /faults {"operation":"*","respond":"insufficient-funds"} → 400 [respond] Not every operation
POST /faults {"operation":"rotateStickySession","delay":1,"match":{"path":{"id":"5101","servre":"us1"}}} → 400 [match.path.servre] Did you mean "server"? Allowed: id, server, session
POST /faults {"operation":"getCredit","delay":1,"match":{"path":{"id":"5001"}}} → 400 [match.path.id] getCredit has no path parameter "id"
POST /faults {"operation":"*","delay":1,"match":{"path":{"ID":"5001"}}} → 400 [match.path.ID] No operation has a path parameter "ID". Did you mean "id"? Allowed: id, 
POST /faults {"operation":"*","delay":1,"match":{"path":{"constructor":"x"}}} → 400 [match.path.constructor] Allowed
POST /faults {"operation":"getService","delay":1,"match":{"body":{"setip":"x"}}} → 400 [match.body] getService takes no body
POST /faults {"operation":"getCredits","delay":1} → 400 [operation] Did you mean "getCredit"
POST /faults {"operation":"getCredit"} → 400 [] respond, delay or drop
POST /faults {"delay":1} → 400 [operation] Required
POST /faults {"operation":"*","delay":-1} → 400 [delay] 0
POST /faults {"operation":"*","delay":"5"} → 400 [delay] 5
POST /faults {"operation":"*","drop":"quietly"} → 400 [drop] reset, empty, truncate
POST /faults {"operation":"*","delay":1,"phase":"during"} → 400 [phase] before, after
POST /faults {"operation":"*","delay":1,"times":0} → 400 [times] 1
POST /faults {"operation":"*","delay":1,"probability":2} → 400 [probability] 1
POST /faults {"operation":"*","delay":1,"aftre":2} → 400 [aftre] Did you mean "after"
POST /faults {"operation":"*","respond":{"status":99}} → 400 [respond.status] 200 to 599
POST /faults {"operation":"*","respond":{"status":100}} → 400 [respond.status] 200 to 599
POST /faults {"operation":"*","respond":{"status":200,"headers":{"a b":"x"}}} → 400 [respond.headers.a b] header
POST /faults {"operation":"*","respond":{"status":200,"headers":{"x-a":"a\\r\\nb: c"}}} → 400 [respond.headers.x-a] header
POST /faults {"operation":"*","respond":{"status":200,"headers":{"Transfer-Encoding":"chunked"}}} → 400 [respond.headers.Transfer-Encoding] header
POST /faults [] → 400 [] map
POST /faults null → 400 [] map
POST /faults "x" → 400 [] map
PATCH /accounts/reseller [] → 400 [] object
PATCH /accounts/reseller {"credit":0.555} → 400 [credit] two decimals), at most 1000000000000
PATCH /accounts/reseller {"credit":1000000000000.01} → 400 [credit] at most 1000000000000
PATCH /accounts/reseller {"credit":10000000000.005} → 400 [credit] two decimals
PATCH /accounts/reseller {"credit":0.30000000000000004} → 400 [credit] two decimals
PATCH /accounts/reseller {"credit":-1} → 400 [credit] 0
PATCH /accounts/reseller {"credti":1} → 400 [credti] Did you mean "credit"
PATCH /accounts/reseller {"services":{"5001":{"staus":"Active"}}} → 400 [services.5001.staus] Did you mean "status"
PATCH /accounts/reseller {"services":{"5001":{"status":"Broken"}}} → 400 [services.5001.status] Suspended
PATCH /accounts/reseller {"services":{"x1":{"client":1,"product":101}}} → 400 [services.x1] id
PATCH /accounts/reseller {"services":{"5001":{"client":null}}} → 400 [services.5001.client] Required
PATCH /accounts/reseller {"services":{"5001":5}} → 400 [services.5001] map
PATCH /accounts/reseller {"services":{"6000":{"client":11,"product":999}}} → 400 [services.6000.product] 999
PATCH /accounts/reseller {"products":{"101":null},"services":{"6000":{"client":11,"product":101}}} → 400 [services.6000.product] 101
PATCH /accounts/reseller {"services":{"5001":{"bindedip":"192.0.2.010"}}} → 400 [services.5001.bindedip] IPv4
PATCH /accounts/reseller {"services":{"6000":{"client":11,"product":101,"bindedip":"192.0.2.10"}}} → 400 [services.6000.bindedip] 5001
PATCH /accounts/reseller {"services":{"6000":{"client":11,"product":101,"bindedip":"192.0.2.50"},"6001":{"client":11,"product":101,"bindedip":"192.0.2.50"}}} → 400 [services.6001.bindedip] 6000
PATCH /accounts/reseller {"assumptions":{"geo":"map"}} → 400 [assumptions.geo] object
PATCH /accounts/reseller {"faults":[{"operation":"getCredit","respond":"ip-already-bound"}]} → 400 [faults.0.respond] unauthenticated
PATCH /accounts/reseller {"clock":"2026-01-15T11:59:59Z"} → 400 [clock] never goes back
PATCH /accounts/reseller {"clock":"9900-01-01T00:00:00Z"} → 400 [clock] 9899
PATCH /accounts/reseller {"services":{"5001":{"regdate":"9900-01-01"}}} → 400 [services.5001.regdate] 9899
PATCH /accounts/reseller {"services":{"5001":{"list_updated_at":"9999-12-31T00:00:00Z"}}} → 400 [services.5001.list_updated_at] 9899
PATCH /accounts/reseller {"next":{"service":5002}} → 400 [next.service] never
PATCH /accounts/reseller {"next":{"service":9000000001}} → 400 [next.service] 9000000000
PATCH /accounts/reseller {"next":{"order":9000000001}} → 400 [next.order] 9000000000
PATCH /accounts/reseller {"next":{"invoice":9000000001}} → 400 [next.invoice] 9000000000
PATCH /accounts/reseller {"next":{"fault":9000000001}} → 400 [next.fault] 9000000000
PATCH /accounts/reseller {"password":null} → 400 [password] Required
PATCH /accounts/reseller {"generate":{"services":5}} → 400 [generate] scenarios
PATCH /accounts/reseller {"services":{"5002":{"sticky":{"sessions":[{"server":"us1","session":"abc","rotations":9007199254740991}]}}}} → 400 [services.5002.sticky.sessions.0.rotations] 1
PATCH /accounts/reseller {"services":{"5001":{"list_version":9007199254740991}}} → 400 [services.5001.list_version] 1
PATCH /accounts/reseller {"faults":[{"operation":"*","delay":1,"seen":9007199254740991}]} → 400 [faults.0.seen] 1
PATCH /accounts/reseller {"faults":[{"operation":"*","delay":1,"used":1000000001}]} → 400 [faults.0.used] 1
PATCH /accounts/reseller {"faults":[{"operation":"*","delay":1,"times":9007199254740991}]} → 400 [faults.0.times] 1
PATCH /accounts/reseller {"services":{"5002":{"usage":{"limit":1000000000000000}}}} → 400 [services.5002.usage.limit] 1
PATCH /accounts/reseller {"services":{"5001":{"usage":{"limit":5}}}} → 400 [services.5001.usage] ppr only
PATCH /accounts/reseller {"services":{"5001":{"sticky":{"ttl":5}}}} → 400 [services.5001.sticky] ppr only
PATCH /accounts/reseller {"services":{"5002":{"bindedip":"192.0.2.77"}}} → 400 [services.5002.bindedip] fpr only
PATCH /accounts/reseller {"services":{"5002":{"ip_count":5}}} → 400 [services.5002.ip_count] fpr only
PATCH /accounts/reseller {"services":{"5001":{"product_type":"ppr","bindedip":"192.0.2.10"}}} → 400 [services.5001.bindedip] fpr only
PATCH /accounts/reseller {"products":{"201":{"geo":["US"]}}} → 400 [products.201.geo] fpr only
PATCH /accounts/reseller {"products":{"101":{"product_type":"ppr","ip_count":2}}} → 400 [products.101.ip_count] fpr only
PATCH /accounts/reseller {"services":{"5002":{"sticky":{"sessions":[{"server":"us1","session":"a"},{"server":"us1","session":"a"}]}}}} → 400 [services.5002.sticky.sessions.1] appears twice
`
  const lines = wrong.trim().split('\n')
  test.each(
    lines.map((line) => /^(\S+) (\S+)(?: (.*))? → (\d+) (?:\[(.*?)\] )?(.*)$/.exec(line)?.slice(1) ?? []),
  )('%s %s %s: %s %s', async (method = '', path = '', raw, status, at, said) => {
    const before = (await admin('GET', '/scenario')).text
    const answer = await admin<{ error: string; details?: { path: string; message: string }[] }>(
      method,
      path,
      undefined,
      raw === undefined ? {} : { raw },
    )
    const { error, details: [first] = [] } = answer.json
    expect({ status: String(answer.status), at: first?.path }).toEqual({ status, at })
    expect(first?.message ?? error).toContain(said)
    expect((await admin('GET', '/scenario')).text).toBe(before)
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
})

test('any request to either contract is taken, or refused without a trace', { timeout: 60_000 }, async () => {
  const sim = await start({ scenario: small })
  const segment = fc
    .oneof(
      fc.constantFrom('reseller', '5001', '101', 'x', '0', '__proto__'),
      fc.string({ unit: 'binary', minLength: 1 }),
    )
    .filter((text) => Buffer.from(text).toString() === text && text !== '.' && text !== '..')
    .map(encodeURIComponent)
  const name = fc.constantFrom(
    ...'clientid setip update_list credit clients services invoices limits assumptions faults clock next tokens password'.split(
      ' ',
    ),
    ...'operation phase respond delay drop after times match by now frozen rate login scenario 5001 status ips usage'.split(
      ' ',
    ),
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
  const map = fc.dictionary(name, fc.oneof(odd, fc.dictionary(name, fc.oneof(odd, fc.dictionary(name, odd)))))
  const bytes = fc.oneof(
    { arbitrary: map.map((value) => JSON.stringify(value)), weight: 3 },
    fc.json(),
    fc.uint8Array().map((some) => Buffer.from(some)),
  )
  const waits = ['streamEvents', 'waitForRequests']
  const request = fc
    .constantFrom(...operations, ...adminOperations.filter(({ operationId }) => !waits.includes(operationId)))
    .chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        values: fc.record(Object.fromEntries(operation.pathNames.map((one) => [one, segment]))),
        query: fc.constantFrom('', '?', '?x', '?id=0&ttl=99', '?__proto__=1', '?a[]=1&a[b]=2', '?%zz=%00'),
        raw: bytes,
        type: fc.constantFrom(undefined, 'application/json', 'text/plain', 'application/json; charset=utf-8'),
      }),
    )
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, values, query, raw, type }) => {
      const before = JSON.stringify(stateOf(sim))
      const path = pathOf(operation, values) + query
      const { status, text } = await sim.call(operation.method, path, {
        raw,
        headers: { 'content-type': type },
      })
      expect(status, text).toBeLessThan(500)
      expect(status < 400 ? before : JSON.stringify(stateOf(sim))).toBe(before)
      if (status >= 400 || path.startsWith('/api')) return
      for (const asked of ['/api/services', '/api/billing/credit', '/api/products', '/api/service/5001'])
        expect((await sim.call('GET', asked)).status, asked).toBeLessThan(500)
      await sim.call('POST', '/__admin/reset')
    }),
    { numRuns: 200 },
  )
  expect(({} as { credit?: unknown }).credit).toBeUndefined()
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
