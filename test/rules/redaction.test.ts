import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../src/calibration/Exchange.ts'
import { RecordingRedactor } from '../../src/calibration/RecordingRedactor.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { KnownTexts } from '../../src/journal/redaction/KnownTexts.ts'
import { Redactor } from '../../src/journal/redaction/Redactor.ts'
import { entryOf } from '../../src/journal/redaction/redactRecord.ts'
import { effort } from '../support/effort.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const odd = String.raw`p"w\ü,:;%'1`
const secrets = ['correct horse', ['tok_first', 'tok_second'], odd, 'x7']
const redactor = new Redactor(secrets)

/** What is shown of a request whose record has these parts. */
function shown(parts: Partial<JournalRecord>) {
  const raw = { path: '/api/x', requestHeaders: {}, responseHeaders: {}, reason: null, violations: [] }
  const record = {
    ...raw,
    status: 200,
    time: 0,
    durationMs: 1,
    secrets,
    ...parts,
  } as unknown as JournalRecord
  return entryOf(record)
}

describe('a text', () => {
  test.each([
    ['a password', 'it is correct horse.', 'it is [redacted].'],
    ['several', 'tok_first, tok_second', '[redacted], [redacted]'],
    ['in CSV', `"${odd.replaceAll('"', '""')}",1`, '"[redacted]",1'],
    ['in JSON', JSON.stringify([odd]), '["[redacted]"]'],
    ['in base64', `key ${base64('correct horse')}`, 'key [redacted]'],
    ['in base64 of more', base64('me:correct horse!!'), 'bWU6[redacted]SEh'],
    ['a short one, as a word', 'x7 is not in hx7', '[redacted] is not in hx7'],
    ['percent-encoded', '/api/correct%20horse/1%2f2', '/api/[redacted]/1/2'],
    ['as a form', '?q=correct+horse', '?q=[redacted]'],
    ['user and password of a URL', 'http://bob:Hunter2@host/x?a=b@c', 'http://[redacted]@host/x?a=b@c'],
    ['those of an encoded URL', '?q=http%3a%2f%2fbob:Hunter2%40host', '?q=http://[redacted]@host'],
    [
      'parameters',
      '/x;pwd=a&api_key=b&page=2&accessToken=c',
      '/x;pwd=[redacted]&api_key=[redacted]&page=2&accessToken=[redacted]',
    ],
    ['a parameter whose name is encoded', '?t%6fken=a', '?token=[redacted]'],
    ['a form', 'password=a%20b&clientid=11', 'password=[redacted]&clientid=11'],
    ['an encoded text without any', '/api/a%20b+c', '/api/a%20b+c'],
    [
      'what only looks like one',
      'passport=7 keyboard=1 author=2 monkey=3 //a/b@c',
      'passport=7 keyboard=1 author=2 monkey=3 //a/b@c',
    ],
  ])('%s', (_what, text, safe) => {
    expect(redactor.text(text)).toBe(safe)
  })

  test('however long it is and however many secrets are known, in linear time', () => {
    const known = new KnownTexts()
    for (let i = 0; i < 80_000; i++) known.add(`password-${i}`, `<${i}>`)
    const text = Array.from({ length: 100_000 }, (_, i) => `password-${79_999 - (i % 80_000)}`).join(' ')
    const before = effort()
    expect(known.replace(text).endsWith(' <60000>')).toBe(true)
    for (const unit of [
      '//a:b',
      '@',
      '?a&',
      '?token=a',
      '&',
      '=',
      ';password=',
      '%25',
      '%',
      'corr',
      'correct hors',
    ])
      redactor.text(unit.repeat(500_000 / unit.length))
    expect(effort() - before).toBeLessThan(6000)
  })
})

describe('a record', () => {
  test.each<[string, Partial<JournalRecord>, object]>([
    [
      'headers by their names, others by what is in them',
      {
        requestHeaders: {
          authorization: 'Basic abc',
          'proxy-authorization': 'Basic abc',
          cookie: 'sid=1',
          'x-api-key': 'abc',
          referer: 'http://a:b@c/?token=d',
          'x-copy': 'tok_first',
        },
        responseHeaders: { 'set-cookie': ['a=b', 'c=d'], 'content-type': 'text/plain' },
      },
      {
        request: {
          headers: {
            authorization: '[redacted]',
            'proxy-authorization': '[redacted]',
            cookie: '[redacted]',
            'x-api-key': '[redacted]',
            referer: 'http://[redacted]@c/?token=[redacted]',
            'x-copy': '[redacted]',
          },
        },
        response: { headers: { 'set-cookie': '[redacted]', 'content-type': 'text/plain' } },
      },
    ],
    [
      'fields by their names, whatever they hold; known secrets in any other, names included',
      {
        requestBody: JSON.stringify({
          password: 'a',
          jwt: { deep: ['b'] },
          nested: [{ dbPass: 1, note: `it is ${odd}` }],
          'of tok_first': 1,
          token: null,
          setip: '192.0.2.1',
        }),
      },
      {
        request: {
          body: {
            password: '[redacted]',
            jwt: '[redacted]',
            nested: [{ dbPass: '[redacted]', note: 'it is [redacted]' }],
            'of [redacted]': 1,
            token: null,
            setip: '192.0.2.1',
          },
        },
      },
    ],
    [
      'a body that is a string',
      { requestBody: '"Hunter2"' },
      { request: { body: '[JSON string, 9 characters]' } },
    ],
    ['an array', { requestBody: '["Hunter2"]' }, { request: { body: '[JSON array, 11 characters]' } }],
    ['one digit', { requestBody: '7' }, { request: { body: '[JSON number, 1 character]' } }],
    ['broken JSON', { requestBody: '{"password":"a' }, { request: { body: '[not JSON, 14 characters]' } }],
    [
      'bodies that were too long',
      { omitted: { request: 40_000, response: 50_000 } },
      {
        request: { body: '[40000 characters: too long to be kept]' },
        response: { body: '[50000 characters: too long to be kept]' },
      },
    ],
    [
      'a list as text',
      { responseBody: `1.2.3.4:80:me:${odd}\n` },
      { response: { body: '1.2.3.4:80:me:[redacted]\n' } },
    ],
    [
      "the contract's message for a changed password",
      { responseBody: '{"password":{"success":"Password updated successfully"}}' },
      { response: { body: { password: { success: 'Password updated successfully' } } } },
    ],
    [
      'a change',
      { change: { tokens: ['a'], services: { 1: { password: 'b', username: 'correct horse' } } } },
      {
        change: {
          tokens: '[redacted]',
          services: { 1: { password: '[redacted]', username: '[redacted]' } },
        },
      },
    ],
  ])('%s', (_what, parts, entry) => {
    expect(shown(parts)).toMatchObject(entry)
  })

  test.each<[string, string, Partial<JournalRecord>, string]>([
    [
      "the account's token from the path",
      'no path /tok_first',
      { path: '/tok_first' },
      'no path /[redacted]',
    ],
    ['user and password in the path', 'no path //a:b@c', { path: '//a:b@c' }, 'no path //[redacted]@c'],
    ['words of ours', 'wrong password or token', { secrets: ['password'] }, 'wrong password or token'],
  ])('a reason with %s', (_what, reason, parts, safe) => {
    const headers = { 'sim-reason': reason }
    const { violations, response, ...entry } = shown({
      status: 404,
      reason,
      violations: [reason],
      responseHeaders: headers,
      responseBody: JSON.stringify({ error: reason }),
      ...parts,
    })
    expect({ reason: entry.reason, violations, response }).toEqual({
      reason: safe,
      violations: [safe],
      response: { headers: { 'sim-reason': safe }, body: { error: safe } },
    })
  })
})

test('a recording with many values is redacted in linear time', async () => {
  const contract = await loadContract()
  const values = Array.from({ length: 40 }, (_, n) =>
    Array.from({ length: 1000 }, (_one, i) => ({
      email: `client${n}x${i}@shop.test`,
      note: `of client${n}x${i - 1}@shop.test`,
    })),
  )
  const exchanges = values.map((value, number) => {
    const response = { status: 200, type: 'application/json', body: JSON.stringify(value), value }
    const request = { url: '/api/clients', contentType: undefined, body: undefined, value: undefined }
    return { number, at: 0, operation: contract.operation('listClients'), path: {}, request, response }
  }) as unknown as Exchange[]
  const before = effort()
  const recordings = RecordingRedactor.of(exchanges, ['reseller', 'Hunter2'], [], contract)
  const [first] = exchanges.map((exchange) => recordings.exchange(exchange).response.value as object[])
  expect(first?.slice(0, 2)).toEqual([
    { email: 'client1@example.com', note: '[redacted]' },
    { email: 'client2@example.com', note: '[redacted]' },
  ])
  expect(effort() - before).toBeLessThan(6000)
})
