import { expect, test } from 'vitest'
import type { Exchange } from '../../src/lab/calibration/Exchange.ts'
import { RecordingRedactor } from '../../src/lab/calibration/RecordingRedactor.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { KnownTexts } from '../../src/lab/calibration/KnownTexts.ts'
import { getEntry } from '../../src/journal/getEntry.ts'
import { redactText } from '../../src/journal/redact.ts'
import { parseJson } from '../../src/lib/json.ts'
import { getCpuTime } from '../support/cpuTime.ts'

/** Returns the request of a redacted record with these parts. */
function shown(parts: Partial<JournalRecord>) {
  const raw = { path: '/api/x', requestHeaders: {}, responseHeaders: {}, reason: null, violations: [] }
  return getEntry({ ...raw, status: 200, time: 0, durationMs: 1, ...parts } as unknown as JournalRecord)
}

test.each([
  ['user and password of a URL', 'http://bob:Hunter2@host/x?a=b@c', 'http://[redacted]@host/x?a=b@c'],
  ['those of an encoded URL', '?q=http%3a%2f%2fbob:Hunter2%40host', '?q=http://[redacted]@host'],
  ['parameters', '/x;pwd=a&api_key=b&page=2', '/x;pwd=[redacted]&api_key=[redacted]&page=2'],
  [
    'a parameter whose name is encoded',
    '?t%6fken=a&accessToken=b',
    '?token=[redacted]&accessToken=[redacted]',
  ],
  ['a form', 'password=a%20b&clientid=11', 'password=[redacted]&clientid=11'],
  ['an encoded text without any', '/api/a%20b+c', '/api/a%20b+c'],
  [
    'what only looks like one',
    'passport=7 keyboard=1 monkey=3 //a/b@c',
    'passport=7 keyboard=1 monkey=3 //a/b@c',
  ],
])('a text: %s', (_what, text, safe) => {
  expect(redactText(text)).toBe(safe)
})

test.each<[Partial<JournalRecord>, unknown]>([
  [{ requestBody: '["a",{"password":"Hunter2","b":1}]' }, ['a', { password: '[redacted]', b: 1 }]],
  [{ requestBody: '"{\\"password\\":\\"Hunter2\\"}"' }, '"{\\"password\\":\\"[redacted]'],
  [{ requestBody: '"a"' }, '"a"'],
  [{ requestBody: 'null' }, 'null'],
  [{ omitted: { request: 40_000 } }, '[40000 characters: too long to be recorded]'],
  ...[
    ['{"a":1,"password":"Hunt', '{"a":1,"password":"[redacted]'],
    ['{"password":"my long Hunt', '{"password":"[redacted]'],
    ['a=1&password=Hunt', 'a=1&password=[redacted]'],
    ['{"a":"http://bob:Hunt', '{"a":"http://[redacted]'],
    ['{"a":"http://bob:Hu,nt;', '{"a":"http://[redacted]'],
    [String.raw`{"a":"http:\/\/bob:Hunt`, String.raw`{"a":"http:\/\/[redacted]`],
    [Buffer.from('"http://bob:Hunt', 'utf16le').toString(), '"http://[redacted]'],
    ['q=http%3a%2f%2fbob:Hunt', 'q=http://[redacted]'],
    ['<password>Hunt', '<password>[redacted]'],
    ['password: Hunt', 'password: [redacted]'],
    ['{"a":"one long value', '{"a":"one long value'],
    ['{"a":"//host/one/long/path', '{"a":"//host/one/long/path'],
  ].map(([requestBody, shownStart]): [Partial<JournalRecord>, string] => [
    { requestBody, omitted: { request: 40_000 } },
    `${shownStart}… [the beginning of 40000 characters]`,
  ]),
])('the body of a request with %j is shown without secrets', (parts, body) => {
  expect(shown(parts).request.body).toEqual(body)
})

const wide = Buffer.from('{"password":"hunter2","a":1}', 'utf16le').toString()
test.each([
  // The mistake stays, and so does all that has no secret name.
  ['{"clientid":11,}', '{"clientid":11,}'],
  ['{"passport":"7","setip":"http://x/?a=b"', '{"passport":"7","setip":"http://x/?a=b"'],
  ['{\0"\0a\0"\0}\0', '{\0"\0a\0"\0}\0'],
  ['{"password":"","b":null,"token":null,}', '{"password":"","b":null,"token":null,}'],
  [String.raw`{"a":"http:\/\/bob:hunter2@x\/",}`, String.raw`{"a":"http:\/\/…@x\/",}`],
  // JSON
  ['{"password":"hunter2","a":1,}', '{"password":"…","a":1,}'],
  ['{"password" :\n "hunter2" , "a":1,}', '{"password" :\n "…" , "a":1,}'],
  ['{"password":"hunter2', '{"password":"…'],
  ['{"a":{"password":"hunter2\\', '{"a":{"password":"…'],
  ['{"password":"a\\"hunter2","a":1,}', '{"password":"…","a":1,}'],
  ['{"password":"x"hunter2","a":1}', '{"password":"…","a":1}'],
  ['{"password":"hunter2" "a":1}', '{"password":"…" "a":1}'],
  ['{"password":hunter2,"a":1}', '{"password":…,"a":1}'],
  ['{"token":1234,}', '{"token":…,}'],
  ['{"password":{"b":"hunter2"},"a":1,}', '{"password":…,"a":1,}'],
  ['{"jwt":{"deep":["hunter2"],"b":"hunter2"', '{"jwt":…'],
  ['{"pass\\u0077ord":"hunter2",}', '{"pass\\u0077ord":"…",}'],
  ['{"my password":"hunter2",}', '{"my password":"…",}'],
  ['{"data":"{\\"password\\":\\"hunter2\\",\\"b\\":1}",}', '{"data":"{\\"password\\":\\"…\\",\\"b\\":1}",}'],
  ['{"q":"http://bob:hunter2@host/",}', '{"q":"http://…@host/",}'],
  [wide.slice(0, -6), '{"password":"…","a"'],
  // Comments, and what is missing or on another line
  ['{"password": // c\n "hunter2","a":1,}', '{"password": …","a":1,}'],
  ['{"password": # c\r\n "hunter2","a":1,}', '{"password": …","a":1,}'],
  ['{"password"/*c*/:"hunter2","a":1,}', '{"password"/*c*/:"…","a":1,}'],
  ['{"password" // c\n\n# d\n:"hunter2"}', '{"password" // c\n\n# d\n:"…"}'],
  ['{"password"/*c*/\n:/*d*/ //e\n /*f*/{"a":"hunter2"},"a":1,}', '{"password"/*c*/\n:…,"a":1,}'],
  ['{"password": // hunter2', '{"password": …'],
  ['{"password":/* hunter2', '{"password":…'],
  ['{password /*c*/ : hunter2,}', '{password /*c*/ : …,}'],
  ["['password' /*c*/ =>\n // c\n 'hunter2']", "['password' /*c*/ =>\n …']"],
  ['password = # c\n "hunter2"', 'password = …"'],
  ['password =\n "hunter2"', 'password =\n "…"'],
  ['password=#hunter2&a=1', 'password=…&a=1'],
  ['password=//c\n"hunter2"&a=1', 'password=…"&a=1'],
  ['password=\na=1', 'password=…\na=1'],
  ['{"password" "hunter2","a":1}', '{"password" "…","a":1}'],
  ['{"password"/*c*/1234,"a":1}', '{"password"/*c*/…,"a":1}'],
  ['{"data":"{\\"password\\" \\"hunter2\\",}",}', '{"data":"{\\"password\\" \\"…\\",}",}'],
  ['{"type":"password" "a":1}', '{"type":"password" "a":1}'],
  ['{"a":"http://x/#token","b":1,}', '{"a":"http://x/#token","b":1,}'],
  // What resembles JSON
  ["{'password':'hunter2','a':1}", "{'password':'…','a':1}"],
  ['{password: "hunter2", a: 1}', '{password: "…", a: 1}'],
  ['{password: hunter2, a: 1}', '{password: …, a: 1}'],
  ['password: hunter2\na: 1', 'password: …\na: 1'],
  ["['password' => 'hunter2', 'a' => 1]", "['password' => '…', 'a' => 1]"],
  // Forms
  ['password=hunter2', 'password=…'],
  ['a=1&password=my hunter2&b=2', 'a=1&password=…&b=2'],
  ['pass%77ord=hunter2&a=1', 'pass%77ord=…&a=1'],
  ['client[password]=hunter2&a[b]=1', 'client[password]=…&a[b]=1'],
  ['data=%7B%22password%22%3A%22hunter2%22%7D', 'data={"password":"…"}'],
  ['--b\r\nX: name="password"\r\n\r\nhunter2\r\n--b--', '--b\r\nX: name="password"\r\n\r\n…\r\n--b--'],
  ['<a><password>hunter2</password><b>1</b></a>', '<a><password>…</password><b>1</b></a>'],
] as [string, string][])(
  'a body that does not parse is shown as sent, without secrets: %j',
  (requestBody, safe) => {
    expect(shown({ requestBody }).request.body).toBe(safe.replaceAll('…', '[redacted]'))
  },
)

test.each([
  ['}', 32],
  ['[', 32],
  ['a]', 16],
  [' name=a', 4],
  [',\\', 16],
  ['{"\\"', 8],
  [' ', 32],
  [' a', 16],
  ['password=', 4],
  ['password:{', 3],
  ['password="', 3],
  ['password: "x" ', 2],
  ['name="x\n', 4],
  ['password: ,a', 3],
  ['\\', 32],
  ['#pw\n', 8],
  ['"pw"/*', 5],
  ['"pw" // ', 4],
  ['"pw":#\n', 4],
  ['"pw" "', 5],
  ['/**/', 8],
])('a broken body of many %j is redacted quickly', (piece, kilo) => {
  const before = getCpuTime()
  for (const start of ['password=', 'password={', 'name=', 'a'])
    shown({ requestBody: `${start}${piece.repeat(kilo * 1000)}x` })
  expect(getCpuTime() - before).toBeLessThan(1500)
})

test.each([
  ['no path //a:b@c', 'no path //[redacted]@c'],
  ['no parameter ?token=a', 'no parameter ?token=[redacted]'],
  ['wrong password or token', 'wrong password or token'],
])('a reason: %s', (reason, safe) => {
  const { violations, response, ...entry } = shown({
    status: 404,
    reason,
    violations: [reason],
    responseHeaders: { 'sim-reason': reason },
    responseBody: JSON.stringify({ error: reason }),
  })
  expect({ reason: entry.reason, violations, response }).toEqual({
    reason: safe,
    violations: [safe],
    response: { headers: { 'sim-reason': safe }, body: { error: safe } },
  })
})

test('redaction takes linear time in the number of secrets', () => {
  const known = new KnownTexts()
  for (let i = 0; i < 80_000; i++) known.add(`password-${i}`, `<${i}>`)
  const text = Array.from({ length: 100_000 }, (_, i) => `password-${79_999 - (i % 80_000)}`).join(' ')
  const before = getCpuTime()
  expect(known.replace(text).endsWith(' <60000>')).toBe(true)
  expect(getCpuTime() - before).toBeLessThan(3000)
})

test.each([
  ['{"credit":-7}', '{"credit":-7}'],
  ['{"credit":"CANARY"}', '{"credit":"[text 1]"}'],
  ['{"credit":["CANARY",{"a":"CANARY"}]}', '{"credit":["[text 1]",{"a":"[redacted]"}]}'],
  ['{"more":["CANARY"],"CANARY.x":1,"a":{"CANARY":1}}', '{"more":[],"[text 1]":0,"a":{}}'],
  ['{"ip":"203.0.113.9"}', '{"ip":"192.0.2.1"}'],
  ['"CANARY"', '"[text 1]"'],
  ['CANARY', '[text 1]'],
])('a recorded body %s: fields that are not in the contract are hidden', async (body, safe) => {
  const operation = (await loadContract()).operation('getCredit')
  const response = { status: 200, contentType: 'application/json', body, value: parseJson(body) }
  const exchange = { operation, path: {}, request: { url: '/api/billing/credit' }, response }
  expect(new RecordingRedactor([]).redactExchanges([exchange as never])[0]?.response.body).toBe(safe)
})

test('a recording with many values is redacted in linear time', async () => {
  const operation = (await loadContract()).operation('listClients')
  const values = Array.from({ length: 40 }, (_, n) =>
    Array.from({ length: 1000 }, (_one, i) => ({
      email: `client${n}x${i}@shop.test`,
      note: `of client${n}x${i - 1}@shop.test`,
    })),
  )
  const exchanges = values.map((value) => {
    const response = { status: 200, contentType: 'application/json', body: JSON.stringify(value), value }
    return { operation, path: {}, request: { url: '/api/clients' }, response }
  }) as unknown as Exchange[]
  const before = getCpuTime()
  const [first] = new RecordingRedactor([]).redactExchanges(exchanges) as [Exchange]
  expect((first.response.value as object[]).slice(0, 2)).toEqual([
    { email: 'client1@example.com', note: '[redacted]' },
    { email: 'client2@example.com', note: '[redacted]' },
  ])
  expect(getCpuTime() - before).toBeLessThan(6000)
})
