import type { Exchange } from '../../src/lab/calibration/Exchange.ts'
import { expect, test } from 'vitest'
import { RecordingRedactor } from '../../src/lab/calibration/RecordingRedactor.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { getEntry } from '../../src/journal/getEntry.ts'
import { redactText } from '../../src/journal/redact.ts'
import { parseJson } from '../../src/lib/json.ts'

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
  [{ requestBody: '"a"' }, '"a"'],
  [{ requestBody: 'null' }, 'null'],
  [{ omitted: { request: 40_000 } }, '[40000 characters: too long to be recorded]'],
])('the body of a request with %j is shown without secrets', (parts, body) => {
  expect(shown(parts).request.body).toEqual(body)
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

test.each([
  ['{"credit":-7}', '{"credit":-7}'],
  ['{"credit":"CANARY"}', '{"credit":"[text 1]"}'],
  ['{"credit":["CANARY",{"a":"CANARY"}]}', '{"credit":["[text 1]",{"a":"[redacted]"}]}'],
  ['{"more":["CANARY"],"CANARY.x":1,"a":{"CANARY":1}}', '{"more":[],"[text 1]":0,"a":{}}'],
  ['{"ip":"203.0.113.9"}', '{"ip":"[redacted]"}'],
  ['"CANARY"', '"[text 1]"'],
  ['CANARY', '[text 1]'],
])('a recorded body %s: fields that are not in the contract are hidden', async (body, safe) => {
  const operation = (await loadContract()).operation('getCredit')
  const response = { status: 200, contentType: 'application/json', body, value: parseJson(body) }
  const exchange = { operation, path: {}, request: { url: '/api/billing/credit' }, response }
  expect(new RecordingRedactor([]).redact<Exchange>(exchange as never).response.body).toBe(safe)
})
