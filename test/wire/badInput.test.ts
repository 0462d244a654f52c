import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { localState } from '../../src/Simulation.ts'
import { anyText } from '../support/anyText.ts'
import { formatRequest, parseResponse, sendAndRead, sendRaw } from '../support/raw.ts'
import { reseller, scenarioWith } from '../support/scenario.ts'
import { start, startForAll, type CallOptions, type TestSimulator } from '../support/start.ts'

/*
 * Refusals by the API and by the control plane: status, text, reason, and no stack trace. A table has single cases, `alike`
 * has input that all operations of a contract refuse, and a property test sends random input.
 */

const { operations } = await loadContract()
const { operations: adminOperations } = await adminContract()

const { services } = reseller
const scenario = scenarioWith({
  credit: 12.4,
  assumptions: { unknownInvoice: 'unprocessable' },
  services: { ...services, 5006: { ...services[5006], list_updated_at: '2026-01-15T11:30:00Z' } },
})
const simulator = startForAll({ scenario })
const admin: TestSimulator['admin'] = (...asked) => simulator().admin(...asked)
/** The loaded scenario and all worlds. Worlds are immutable, so an unchanged world is the same object. */
const getState = () => {
  const { scenario: loaded, accounts } = localState(simulator().simulation)
  return [loaded, ...accounts.values()]
}
const expectState = (before: unknown[]) => {
  const after = getState()
  expect(after.length === before.length && after.every((one, i) => one === before[i])).toBe(true)
}

const list = (text: string): string[] => text.split('|')

interface Refused extends Omit<CallOptions, 'raw'> {
  raw?: string | Buffer | undefined
  method: string
  path: string
  status: number
  /** The API's case, or the field that the control plane refuses */
  as?: string | undefined
  /** A part of the reason */
  reason: string | RegExp
}

async function expectRefused(refused: Refused): Promise<void> {
  const before = getState()
  await (refused.path.startsWith('/api') ? apiRefuses(refused) : adminRefuses(refused))
  expectState(before)
}

async function apiRefuses({ method, path, raw = '', headers = {}, status, as, reason }: Refused) {
  const options = { raw, headers }
  const { text, ...answered } = await simulator().call(method, path, options)
  expect({ status: answered.status, as: answered.headers['sim-case'] }).toEqual({ status, as })
  expect(answered.headers['sim-reason']).toMatch(reason)
  expect(answered.headers['content-type']).toBe('application/json; charset=utf-8')
  const known = operations.flatMap(({ cases }) => cases).find(({ name }) => name === as)
  if (known) expect(text).toBe(JSON.stringify(known.value).replace('13:00:00', '12:30:00'))
}

async function adminRefuses({ method, path, raw, headers = {}, status, as, reason }: Refused) {
  const { json, ...answered } = await admin<{
    error: string
    details?: { path: string; message: string }[]
  }>(method, path, undefined, { ...(raw !== undefined && { raw }), headers })
  const [first] = json.details ?? []
  expect({ status: answered.status, as: first?.path }).toEqual({ status, as: as ?? first?.path })
  expect(`${json.error} ${first?.message}`).toMatch(reason)
}

/** METHOD PATH BODY → STATUS CASE: a part of the reason. For the control plane, [FIELD] and paths without `/__admin`. */
const table = `
GET /api/stats/9999 → 422 unprocessable: there is no service 9999
GET /api/stats/5001 → 422 unprocessable: service 5001 is fpr
GET /api/rate/9999 → 422 unprocessable: there is no service 9999
GET /api/rate/5001 → 422 unprocessable: service 5001 is fpr
GET /api/product/999 → 422 product-not-found: there is no product 999
POST /api/product/999 {"clientid":11} → 422 product-not-found: there is no product 999
POST /api/product/999 {broken → 422 product-not-found: there is no product 999
POST /api/product/1e3 → 422 product-not-found: id must be a positive integer
POST /api/product/102 {"clientid":11} → 422 insufficient-funds: credit 12.40 is less than price 12.50
POST /api/product/101 → 422 incorrect-posted-data: 
POST /api/product/101 {} → 422 incorrect-posted-data: clientid is required
POST /api/product/101 {"clientId":11} → 422 incorrect-posted-data: clientid is required, and "clientId" was sent
POST /api/product/101 {"clientid":"11"} → 422 incorrect-posted-data: clientid is the string "11"; send the number 11
POST /api/product/101 {"clientid":true} → 422 incorrect-posted-data: clientid must be integer
POST /api/product/101 {"clientid":1.5} → 422 incorrect-posted-data: clientid must be a whole number, not 1.5
POST /api/product/101 {"clientid":1e400} → 422 incorrect-posted-data: clientid must be a whole number, not Infinity
POST /api/product/101 {"clientid":0} → 422 incorrect-posted-data: clientid must be >= 1
POST /api/product/101 {"clientid":99} → 422 client-not-found: there is no client 99
POST /api/product/101 {"clientid":9007199254740993} → 422 client-not-found: there is no client with an id above 9007199254740991
POST /api/product/101 {"clientid":11,"setip":null} → 422 incorrect-posted-data: setip must be string
POST /api/product/101 {"clientid":11,"setip":"192.0.2.300"} → 422 incorrect-posted-data: setip is not an IPv4
POST /api/product/101 {"clientid":11,"setip":"192.0.2.10"} → 422 incorrect-posted-data: setip 192.0.2.10 is already bound to service 5001
POST /api/product/101 {"clientid":11,"setip":"192.0.2.13"} → 422 incorrect-posted-data: setip 192.0.2.13 is already bound to service 5003
POST /api/product/201 {"clientid":11,"setip":"192.0.2.77"} → 422 incorrect-posted-data: setip is for fpr products only
GET /api/products/orderby/size → 422 unprocessable: field is "size"; use one of: 
GET /api/billing/invoice/9999 → 422 unprocessable: 9999
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
PUT /api/service/5001 {"update_list":true} → 422 incorrect-posted-data: update_list is the boolean true; send the string "true"
PUT /api/service/5001 {"setip":5,"update_list":"true"} → 422 incorrect-posted-data: setip is the number 5; send the string "5"
PUT /api/service/5001 {"password":""} → 422 incorrect-posted-data: password is empty
PUT /api/service/5001 {"password":"AA==","setip":"x"} → 422 incorrect-posted-data: password contains control characters
PUT /api/service/5001 {"setip":"192.0.2.20","update_list":"true","password":"%%%"} → 422 incorrect-posted-data: password is not base64
PUT /api/service/5002 {"setip":"192.0.2.77"} → 422 incorrect-posted-data: setip is for fpr services only
PUT /api/service/5001 {"setip":"192.0.2.256"} → 422 invalid-ipv4: setip is not an IPv4 address
PUT /api/service/5001 {"setip":"192.0.2.13"} → 422 ip-already-bound: 192.0.2.13 is already bound to service 5003
PUT /api/service/5001 {"setip":"192.0.2.16","update_list":"true","password":"bmV3"} → 422 ip-already-bound: 192.0.2.16 is already bound to service 5006
PUT /api/service/5006 {"setip":"192.0.2.20","update_list":"true","password":"bmV3"} → 429 update-list-throttled: the interval is 3600 s, 1800 s are left, but the clock is frozen: it does not move until proxysim clock --advance PT1800S
GET /api/iplist/http-ip/txt/9999 → 422 unprocessable: no service 9999
GET /api/iplist/http-ip/txt/5003 → 422 unprocessable: Suspended
GET /api/iplist/ppr-http/txt/5001 → 422 unprocessable: for ppr services
GET /api/iplist/http-ip/txt/5002 → 422 unprocessable: for fpr services
GET /api/iplist/http-ip/xml/5001 → 422 unprocessable: formatl
GET /api/sticky/list/9999 → 422 upstream-error: no service 9999
GET /api/sticky/rotate/9999/us1/abc → 422 unprocessable: no service 9999
GET /api/sticky/rotate/5002/us1/xyz → 422 unprocessable: no live session xyz
GET /api/sticky/rotate/5002/us2/abc → 422 unprocessable: no live session abc
GET /api/sticky/rotate/5002/__proto__/constructor → 422 unprocessable: no live session constructor
GET /api/sticky/rotate/5001/us1/abc → 422 unprocessable: service 5001 is fpr
GET /api/sticky/rotate/5004/us1/abc → 422 unprocessable: Suspended
GET /api/sticky/changettl/5001/4 → 422 unprocessable: ttl
GET /api/sticky/changettl/9999/5 → 422 unprocessable: no service 9999
GET /api/sticky/resetall/9999 → 422 unprocessable: no service 9999
GET /api/nowhere → 404 not-found: there is no path /api/nowhere
POST /api/products/101 {} → 404 not-found: Did you mean /api/product/101?
DELETE /api/services → 405 method-not-allowed: DELETE is not one of the methods of this path (GET, HEAD)
GET /nope → 404: nope
GET /health/ → 404: health
GET /accounts//tokens → 404: accounts
GET /requests?limit=-1 → 400 [limit]: must be a whole number, 0 to 999999999, in digits only
GET /requests?status=abc → 400 [status]: must be a status such as 422, or a class such as 4xx
GET /requests?limit=1&limit=2 → 400 [limit]: The parameter appears more than once
GET /requests?operation=getCredi → 400 [operation]: Did you mean "getCredit"
GET /requests.har?case=insuficient-funds → 400 [case]: Did you mean "insufficient-funds"
GET /requests.har?order=asc → 400 [order]: operation, status, case, account, limit
POST /requests/wait {"timeout":-1} → 400 [timeout]: must be >= 0
POST /requests/wait {"count":0} → 400 [count]: must be >= 1
POST /requests/wait {"status":99} → 400 [status]: must be >= 100
POST /requests/wait {"operation":"nope"} → 400 [operation]: nope
POST /requests/wait {"times":2} → 400 [times]: Unknown field
PUT /clock {} → 400 []: the body must have at least one field
PUT /clock {"now":"2026-01-15T11:59:59.999Z"} → 400 [now]: never goes back
PUT /clock {"now":"2026-01-16"} → 400 [now]: ISO 8601 with a time zone
PUT /clock {"now":"2026-01-16T00:00:00"} → 400 [now]: zone
PUT /clock {"freeze":true} → 400 [freeze]: frozen
PUT /clock {"now":"9900-01-01T00:00:00Z"} → 400 [now]: 9899
PUT /clock {"now":"1969-12-31T23:59:59Z"} → 400 [now]: 9899
PUT /clock {"rate":0} → 400 [rate]: Too small: expected number to be >0
PUT /clock {"rate":"fast"} → 400 [rate]: must be
POST /clock/advance {"by":"P7900Y"} → 400 [by]: P7900Y is too long. The last possible date is 9899-12-31
POST /clock/advance {"by":"-PT1H"} → 400 [by]: PT1H
POST /clock/advance {} → 400 [by]: 
POST /clock/advance {"at":"PT1H"} → 400 [at]: Unknown field "at". Available: by.
POST /accounts {"login":"reseller"} → 409: reseller
POST /accounts {"login":"a:b"} → 400 [login]: colon
POST /accounts {"login":".."} → 400 [login]: not . or .., which a URL can't contain
POST /accounts {"login":"e\u0301"} → 400 [login]: in Unicode's composed form, NFC
POST /accounts {"login":"__proto__"} → 400 [login]: login
POST /accounts {"scenrio":"default"} → 400 [scenrio]: Did you mean "scenario"?
POST /accounts?account=reseller → 400 [account]: account
POST /scenarios/low-fund/load → 404: Did you mean "low-funds"?
POST /faults {"operation":"*","respond":"insufficient-funds"} → 400 [respond]: Not every operation
POST /faults {"operation":"rotateStickySession","delay":1,"match":{"path":{"id":"5101","servre":"us1"}}} → 400 [match.path.servre]: Did you mean "server"?
POST /faults {"operation":"*","delay":1,"match":{"path":{"ID":"5001"}}} → 400 [match.path.ID]: No operation has a path parameter "ID". Did you mean "id"?
POST /faults {"operation":"*","delay":1,"match":{"path":{"constructor":"x"}}} → 400 [match.path.constructor]: Allowed
POST /faults {"operation":"getService","delay":1,"match":{"body":{"setip":"x"}}} → 400 [match.body]: getService takes no body. Leave it out
POST /faults {"operation":"*","delay":1,"probability":2} → 400 [probability]: 1
POST /faults {"operation":"*","respond":{"status":200,"headers":{"a b":"x"}}} → 400 [respond.headers.a b]: header
POST /faults {"operation":"*","respond":{"status":200,"headers":{"x-a":"a\\r\\nb: c"}}} → 400 [respond.headers.x-a]: header
POST /faults {"operation":"*","respond":{"status":200,"headers":{"Transfer-Encoding":"chunked"}}} → 400 [respond.headers.Transfer-Encoding]: header
POST /timeline {"at":"2026-01-15T11:59:59Z","patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 [at]: 
POST /timeline {"patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 []: An entry needs either
POST /timeline {"at":"2027-01-01T00:00:00Z","after":"P1D","patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 [after]: 
POST /timeline {"after":"P1D"} → 400 []: An entry needs
POST /timeline {"after":"P1D","patch":{"credit":-1}} → 400 [patch.credit]: 
POST /timeline {"after":"P1D","patch":{"services":{"1":{"status":"Active"}}}} → 400 [patch]: there is no service 1
POST /timeline {"after":"P1D","patch":{"clock":"2030-01-01T00:00:00Z"}} → 400 [patch.clock]: 
POST /timeline {"after":"P1D","every":"P1D","patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 [every]: every needs
POST /timeline {"after":"P1D","times":2,"patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 [times]: times needs
POST /timeline {"after":"P1D","every":"PT0S","times":2,"patch":{"services":{"5001":{"status":"Suspended"}}}} → 400 [every]: 
POST /timeline {"after":"P1D","add":{"services":{"1":{"usage":1}}}} → 400 [add.services.1]: 
POST /timeline {"after":"P1D","add":{"services":{"5001":{"usage":1}}}} → 400 [add.services.5001]: 
POST /timeline {"after":"P1D","patch":{"services":{"5001":{"status":"Suspended"}}},"when":1} → 400 [when]: Unknown field
POST /faults {"operation":"getCredit","respond":{"status":503,"headers":{"x":[]}}} → 400 [respond.headers.x]: Invalid header value
POST /faults {"operation":"getCredit","fault":"lost"} → 400 [fault]: Unknown field "fault". Did you mean "name"?
POST /faults {"name":"lots"} → 400 [name]: Did you mean "lost"?
POST /faults {"naem":"lost"} → 400 [naem]: Did you mean "name"?
PATCH /accounts/reseller {"faults":[{"operation":"getCredit","respond":{"status":200,"body":{"credit":1e400}}}]} → 400 [faults.0.respond.body]: numbers up to 1.79
PUT /scenario {"description":"x",} → 400 []: Not valid JSON: unexpected "}"
PUT /scenario {"description":"x" "a":1} → 400 []: Not valid JSON: unexpected
PUT /scenario description: x → 400 []: Not valid JSON: unexpected "d"
POST /faults {"operation":"getCredit","delay":1,"delay":2} → 400 []: The key "delay" appears twice
POST /timeline {"after":"P1D","patch":{"services":{"5001":{"status":"Active","\\u0073tatus":"Active"}}}} → 400 []: The key "status" appears twice
PATCH /accounts/reseller {"credit":1,"credit":2} → 400 []: The key "credit" appears twice
PATCH /accounts/reseller {"credit":1,"clients":{"11":{"x":"{\\"a\\": 1, \\"a\\": 2}"}}} → 400 [clients.11.x]: Unknown field
PATCH /accounts/reseller {"__proto__":{"credit":1}} → 400 []: Unknown field "__proto__"
PATCH /accounts/reseller {"services":{"5001":{"__proto__":null}}} → 400 []: Unknown field "__proto__"
GET /fault → 404: Not Found: there is no /__admin/fault. Did you mean "/__admin/faults"?
POST /faults {"operation":"getCredit","status":503} → 400 [status]: Unknown field "status". Available: 
PATCH /accounts/reseller {"credit":0.30000000000000004} → 400 [credit]: two decimals
PATCH /accounts/reseller {"services":{"5001":{"client":null}}} → 400 [services.5001.client]: Missing field
PATCH /accounts/reseller {"products":{"102":null},"services":{"6000":{"client":11,"product":102}}} → 400 [services.6000.product]: 102
PATCH /accounts/reseller {"services":{"6000":{"client":11,"product":101,"bindedip":"192.0.2.10"}}} → 400 [services.6000.bindedip]: 5001
PATCH /accounts/reseller {"services":{"5001":{"usage":{"limit":5}}}} → 400 [services.5001.usage]: ppr only
PATCH /accounts/reseller {"services":{"5001":{"product_type":"ppr","bindedip":"192.0.2.10"}}} → 400 [services.5001.bindedip]: fpr only
PATCH /accounts/reseller {"clock":"2026-01-15T11:59:59Z"} → 400 [clock]: never goes back
PATCH /accounts/reseller {"services":{"5001":{"regdate":"9900-01-01"}}} → 400 [services.5001.regdate]: 9899
PATCH /accounts/reseller {"services":{"5001":{"list_updated_at":"9999-12-31T00:00:00Z"}}} → 400 [services.5001.list_updated_at]: 9899
PATCH /accounts/reseller {"next":{"service":5002}} → 400 [next.service]: never
PATCH /accounts/reseller {"next":{"service":9000000001}} → 400 [next.service]: 9000000000
PATCH /accounts/reseller {"next":{"fault":8999999999},"faults":[{"operation":"*","delay":1},{"operation":"*","delay":1}]} → 400 [faults]: No ID below 9000000000 is left. Give each an id
PATCH /accounts/reseller {"next":{"timeline":9000000000},"timeline":[{"after":"P1D","patch":{"credit":1}}]} → 400 [timeline]: No ID below 9000000000 is left
PATCH /accounts/reseller {"generate":{"services":5}} → 400 [generate]: scenarios
PATCH /accounts/reseller {"services":{"5001":{"list_version":1000000001}}} → 400 [services.5001.list_version]: 1
PATCH /accounts/reseller {"faults":[{"operation":"*","delay":1,"seen":1000000001}]} → 400 [faults.0.seen]: 1
PATCH /accounts/reseller {"services":{"5001":{"ip_count":5}}} → 400 [services.5001.ip_count]: Must be 2, the number of ips
PATCH /accounts/reseller {"products":{"201":{"ip_count":5}}} → 400 [products.201.ip_count]: ip_count is for fpr only, but this product is ppr
PATCH /accounts/reseller {"products":null,"services":{"6000":{"client":11,"product":1}}} → 400 [services.6000.product]: No product 1. Available: none
PATCH /accounts/reseller {"assumptions":{"timeZone":"+05:30"}} → 400 [assumptions.timeZone]: expected an IANA name
PATCH /accounts/reseller {"assumptions":{"heldAddress":"released"},"services":{"6000":{"client":11,"product":101,"bindedip":"192.0.2.77"},"6001":{"client":11,"product":101,"bindedip":"192.0.2.77"}}} → 400 [services.6001.bindedip]: 192.0.2.77 is already bound to service 6000
PATCH /accounts/reseller {"services":{"5002":{"sticky":{"sessions":[{"server":"a","session":"b"},{"server":"a","session":"b"}]}}}} → 400 [services.5002.sticky.sessions.1]: session b on server a appears twice
PATCH /accounts/reseller {"timeline":[{"after":"PT1H","patch":{"services":{"99":{"status":"Active"}}}}]} → 400 [timeline.0.patch]: there is no service 99
PATCH /accounts/reseller {"timeline":[{"after":"PT1H","add":{"services":{"5001":{"usage":1}}}}]} → 400 [timeline.0.add.services.5001]: 
`
  .trim()
  .split('\n')
  .map((line): [line: string, refused: Refused] => {
    const row =
      /^(?<method>\S+) (?<path>\S+)(?: (?<raw>.*))? → (?<status>\d+)(?: \[?(?<as>[^:]*?)\]?)?: ?(?<reason>.*)$/
    const { method = '', path = '', raw, status, as, reason = '' } = row.exec(line)?.groups ?? {}
    return [line, { method, path, raw, status: Number(status), as, reason }]
  })

describe('is refused:', () => {
  test.each(table)('%s', async (_line, refused) => {
    await expectRefused(refused)
  })

  test('the table has every case of the contract', () => {
    const tested = new Set(table.map(([, { method, status, as }]) => `${method} ${status} ${as}`))
    const missing = operations.flatMap(({ operationId, method, cases }) =>
      cases
        .filter((one) => !one.isAuthentication && !tested.has(`${method} ${one.status} ${one.name}`))
        .map(({ name }) => `${operationId} ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('with the same text if explanations are off', async () => {
    const { call } = await start({ scenario, explain: false })
    const { text, headers } = await call('GET', '/api/service/9999')
    expect(text).toBe('{"error":"Unprocessable Entity "}')
    expect(Object.keys(headers).filter((name) => name.startsWith('sim-'))).toEqual([])
  })
})

const good: Record<string, string> = Object.fromEntries(
  'login=reseller id=5002 pid=202 field=price typel=ppr-http formatl=txt server=us1 session=abc ttl=5'
    .split(' ')
    .map((pair) => pair.split('=')),
)

function fillPath({ path }: { path: string }, values: Record<string, string> = {}): string {
  return path.replaceAll(/\{(.+?)\}/g, (_all, name: string) => values[name] ?? good[name] ?? 'x1')
}

const base64 = (text: string | number[]): string => Buffer.from(text as string).toString('base64')

const segments = `
0 -1 +1 01 1e3 0x10 1.0 1,000 %201 1%20 NaN Infinity -0 99999999999 %00 5002%00 %0d%0aCookie:x 5002;5001 5001,5002
%2F %2e%2e . __proto__ constructor null undefined true [] {} HTTP-IP ABC abc%20 16 ; * %zz % %c3%28
1'%20OR%20'1'='1 %F0%9F%92%A9 %EF%BC%91 %2531 ${'9'.repeat(400)} ${'a'.repeat(7000)}`
  .trim()
  .split(/\s+/)
const addresses = list(
  '192.0.2|192.0.2.1.1|192.0.2.256|192.0.2.01|192.0.2.+1|192.0.2.1 | 192.0.2.1|192.0.2.1/32||localhost|0xc0.0.2.1|3221225985|2001:db8::1|::ffff:192.0.2.1|１９２.0.2.1|192,0,2,1|...|192.0.2.1\n',
)
const passwords = [
  ...list('|secret!|c2VjcmV0MQ|Pz8_Pz8-|c2Vj cmV0|c2VjcmV0\n|====|c2Vj=mV0'),
  ...[[0xff, 0xfe], 'two\nlines', 'a\0b', 'two\u0085lines', 'a\u009fb'].map(base64),
]

type Sent = Pick<CallOptions, 'raw' | 'headers'>

const order = '{"clientid":11}'
const typed = (type: string | undefined): Sent => ({ raw: order, headers: { 'content-type': type } })
const coded = (raw: string | Buffer, coding: string | string[]): Sent => ({
  raw,
  headers: { 'content-encoding': coding },
})
const gzipped = (raw: string | Buffer): Sent => coded(raw, 'gzip')

/** Bodies that neither contract accepts */
const bodies: Sent[] = [
  ...[
    ...list(`null|5|[]|[${order}]|"x"|true|{"clientid":11|{"a":1}{}|{'a':1}|{/**/"a":1}`),
    Buffer.from('{"description":"caf\xe9"}', 'latin1'),
    Buffer.from([0, 1, 2, 255]),
  ].map((raw) => ({ raw })),
  ...list('text/plain|multipart/form-data; boundary=x|application/x-www-form-urlencoded|*/*|__proto__').map(
    typed,
  ),
  ...[order, gzipSync(order).subarray(0, 12)].map(gzipped),
  ...list('zstd|gzip, zstd|x-compress|identity;q=1').map((coding) => coded(gzipSync(order), coding)),
  coded(gzipSync(gzipSync(gzipSync(gzipSync(order)))), 'gzip, gzip, gzip, gzip'),
  coded(deflateSync(gzipSync(order)), 'deflate, gzip'),
]
/** Bodies that cost much to read, which all operations read in the same way */
const costly: Sent[] = [
  ...[
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    `{"a":"${'x'.repeat(1_500_000)}"}`,
  ].map((raw) => ({ raw })),
  gzipped(gzipSync(`{"a":"${' '.repeat(5_000_000)}"}`)),
]
/** Bodies that only the API refuses */
const forms: Sent[] = [
  ...list(
    `{"clientid":{"$gt":0},"setip":{},"password":{}}|{"clientid":1e999,"setip":1e999}| \n |\ufeff${order}`,
  ),
  '{"clientid":null,"setip":null,"update_list":null,"password":null}',
  Buffer.from(order, 'utf16le'),
].map((raw) => ({ raw }))
for (const type of [undefined, ...list('|text/json|application/json, text/plain')]) forms.push(typed(type))

const update = { method: 'PUT', path: '/api/service/5001', status: 422, reason: '' }

function each(wrong: string, base: Refused, ways: Partial<Refused>[]): [wrong: string, refused: Refused[]] {
  return [wrong, ways.map((way) => ({ ...base, ...way }))]
}

/** Input that is refused in the same way, with the refused thing */
const alike = [
  each(
    'an address',
    { ...update, as: 'invalid-ipv4' },
    addresses.map((setip) => ({ raw: JSON.stringify({ setip }) })),
  ),
  each(
    'a password',
    { ...update, as: 'incorrect-posted-data' },
    passwords.map((password) => ({ raw: JSON.stringify({ password }) })),
  ),
  ...operations.flatMap((operation) => {
    const { operationId, method, pathParameters, bodyTypes, invalid } = operation
    const base = { method, path: fillPath(operation), status: 422, reason: '', raw: order }
    const ofPath = pathParameters.map((name) => {
      const paths = segments.map((odd) => ({ path: fillPath(operation, { [name]: odd }) }))
      return each(`${name} of ${operationId}`, { ...base, as: invalid.path }, paths)
    })
    const sent = [...bodies, ...forms, ...(operationId === 'orderService' ? costly : [])]
    const ofBody = each(`a body of ${operationId}`, { ...base, as: invalid.body }, sent)
    return bodyTypes.length > 0 ? [...ofPath, ofBody] : ofPath
  }),
  ...adminOperations.map((operation) => {
    const { operationId, method, bodyTypes, bodyRequired } = operation
    const path = fillPath(operation).replace('/__admin', '')
    const reason = bodyTypes.length > 0 ? '' : 'This operation takes no body. Leave it out'
    return each(operationId, { method, path, status: 400, reason }, [
      ...bodies,
      ...(operationId === 'putScenario' ? costly : []),
      { path: `${path}?limmit=1`, reason: 'limmit' },
      { method: 'PROPFIND', status: 405, reason: method },
      ...(bodyRequired ? [{ reason: 'body' }] : []),
    ])
  }),
]

test.each(alike)('is refused in every invalid form: %s', async (_wrong, refused) => {
  for (const one of refused) await expectRefused(one)
})

describe('is accepted:', () => {
  const orders = '/api/product/202'
  const fields =
    '{"clientid":11,"__proto__":{"credit":1},"constructor":{"prototype":{"x":1}},"credit":0,"id":1}'
  const types = list('; charset=utf-8|;charset=UTF-8|; charset="utf-8"| ; odd=parameter')

  test.each<[path: string, sent: Sent, method?: string]>([
    ...types.map((more): [string, Sent] => [orders, { ...typed(`Application/JSON${more}`), raw: fields }]),
    ...[...list('gzip|x-gzip|GZIP|identity, gzip|gzip ,,identity'), ['gzip', 'identity'], ['', 'x-gzip']].map(
      (coding): [string, Sent] => [orders, coded(gzipSync(order), coding)],
    ),
    ...list('|identity|Identity, identity').map((coding): [string, Sent] => [orders, coded(order, coding)]),
    [orders, coded(deflateSync(order), 'deflate')],
    [orders, coded(brotliCompressSync(gzipSync(order)), 'x-gzip, br')],
    ...list('/snapshots|/accounts|/accounts/reseller/tokens|/scenarios/default/load').flatMap((path) =>
      list('|{}| {}\n').map((raw): [string, Sent] => [`/__admin${path}`, { ...typed(undefined), raw }]),
    ),
    ['/__admin/health', {}, 'HEAD'],
    ...[undefined, 'text/plain'].map((type): [string, Sent, string] => [
      '/api/service/5001',
      { headers: { 'content-type': type } },
      'PUT',
    ]),
  ])('%s %j', async (path, sent, method = 'POST') => {
    expect((await simulator().call(method, path, sent)).status).toBeLessThan(300)
    await simulator().call('POST', '/__admin/reset')
  })

  test('a body in chunks', async () => {
    const { port, authorization } = simulator()
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const chunked = formatRequest('POST', orders, [`Authorization: ${authorization()}`, ...headers])
    const whole = await sendRaw(port, chunked, '8\r\n{"client\r\n', '7\r\nid":11}\r\n0\r\n\r\n')
    expect(parseResponse(whole).status).toBe(200)
  })

  test('at most 1,000 faults of at most 64 KB each', async () => {
    const fault = { operation: 'getCredit', delay: 0 }
    const faults = Array.from({ length: 1000 }, () => fault)
    const large = (length: number) => ({ ...fault, respond: { status: 200, body: 'x'.repeat(length) } })
    const most = 65_536 - JSON.stringify(large(0)).length
    expect((await admin('POST', '/faults', large(most + 1))).json).toMatchObject({
      details: [{ path: '', message: expect.stringContaining('65537 characters as JSON') as string }],
    })
    expect((await admin('POST', '/faults', large(most))).status).toBe(201)
    const patch = <T>(all: object[]) => admin<T>('PATCH', '/accounts/reseller', { faults: all })
    const { json } = await patch<{ details: object[] }>([...faults, fault])
    expect(json.details).toEqual([
      { path: 'faults', message: '1001 faults. An account may have at most 1000' },
    ])
    expect((await patch(faults)).status).toBe(200)
    expect((await admin('POST', '/faults', fault)).status).toBe(409)
    await admin('POST', '/reset')
  })
})

test('any request with any bytes is accepted, or refused without a change', {
  timeout: 240_000,
}, async () => {
  const { port, call } = simulator()
  const segment = fc
    .oneof(fc.constantFrom('reseller', '5001', '101', '0', '__proto__'), anyText({ minLength: 1 }))
    .filter((text) => Buffer.from(text).toString() === text && text !== '.' && text !== '..')
    .map(encodeURIComponent)
  const name = fc.constantFrom(
    ...list(
      'clientid|setip|update_list|credit|clients|services|invoices|limits|assumptions|faults|clock|next|tokens',
    ),
    ...list(
      'operation|phase|respond|delay|drop|after|times|match|by|now|frozen|rate|login|scenario|5001|status|usage',
    ),
  )
  const values = fc.constantFrom<unknown>(1e308, -1, '', '__proto__', 'P9999999Y', '2026-02-30T00:00:00Z')
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), values)
  const map = fc.dictionary(name, fc.oneof(odd, fc.dictionary(name, fc.oneof(odd, fc.dictionary(name, odd)))))
  const binary = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some))
  const waits = ['streamEvents', 'waitForRequests']
  const request = fc
    .constantFrom(...operations, ...adminOperations.filter(({ operationId }) => !waits.includes(operationId)))
    .chain((operation) =>
      fc.record({
        method: fc.constant(operation.method),
        path: fc
          .record(Object.fromEntries(operation.pathParameters.map((one) => [one, segment])))
          .map((parts) => fillPath(operation, parts)),
        query: fc.constantFrom('', '', '', '?', '?x', '?id=0&ttl=99', '?__proto__=1', '?a[b]=2', '?%zz=%00'),
        raw: fc.oneof({ arbitrary: map.map((value) => JSON.stringify(value)), weight: 3 }, fc.json(), binary),
        type: fc.constantFrom(undefined, 'application/json', 'application/json; charset=utf-8'),
      }),
    )
  const line = fc.string({ unit: 'binary-ascii', maxLength: 60 })
  const bytes = fc.oneof(
    binary,
    fc
      .tuple(fc.constantFrom('GET', 'POST', 'x'), line, line, line, line)
      .map(
        ([verb, target, header, value, body]) =>
          `${verb} /${target} HTTP/1.1\r\nHost: localhost\r\n${header}: ${value}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
  )
  await fc.assert(
    fc.asyncProperty(request, bytes, async ({ method, path, query, raw, type }, sent) => {
      const before = getState()
      const reply = await sendAndRead(port, (socket) => void socket.end(sent))
      // Pages return 503 until they are built.
      expect(reply).not.toMatch(/HTTP\/1\.1 5(?!03)|node_modules|\.ts:\d/)
      expectState(before)
      const headers = { 'content-type': type }
      const { status, text } = await call(method, path + query, { raw, headers })
      expect(status, text).toBeLessThan(500)
      if (status >= 400) expectState(before)
      if (status >= 400 || path.startsWith('/api')) return
      for (const asked of ['/api/services', '/api/billing/credit', '/api/products', '/api/service/5001'])
        expect((await call('GET', asked)).status, asked).toBeLessThan(500)
      await call('POST', '/__admin/reset')
    }),
    { numRuns: 100 },
  )
  expect(({} as { credit?: unknown }).credit).toBeUndefined()
})
