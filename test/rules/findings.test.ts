import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { isSentAfter, type ObservedRequest } from '../../src/findings/FindingRule.ts'
import { Findings, findingRules } from '../../src/findings/findings.ts'
import { looksEncoded } from '../../src/service/findings/passwordNotEncoded.ts'
import type { JournalRecord } from '../../src/journal/JournalRecord.ts'
import { randomString as lettersOf } from '../../src/world/random.ts'

const json = { accept: 'application/json', 'content-type': 'application/json' }

function record(id: number, parts: Partial<JournalRecord>): JournalRecord {
  const raw = { id, account: 'a', method: 'GET', path: '/api/clients', status: 200 }
  const met = { version: id, case: null, time: 0 }
  const rest = { requestHeaders: {}, responseHeaders: {}, reason: null, violations: [], secrets: [] }
  return { ...raw, ...met, ...rest, ...parts } as unknown as JournalRecord
}

test('stored requests are bounded per rule: a frequent mistake does not displace a rare one', async () => {
  const findings = new Findings(await loadContract())
  const update = {
    method: 'PUT',
    path: '/api/service/1',
    requestBody: '{"password":"?"}',
    requestHeaders: json,
    case: 'incorrect-posted-data',
  }
  findings.add(record(1, update))
  for (let id = 2; id <= 3000; id++) findings.add(record(id, {}))
  const [password, header] = findings.list
  expect(password).toMatchObject({ finding: 'password-not-encoded', requests: [{ id: 1 }] })
  expect(header).toMatchObject({ finding: 'header-missing', severity: 'low' })
  expect(header?.requests.length).toBeGreaterThan(400)
  expect(header?.requests.length).toBeLessThanOrEqual(1000)
  expect(header?.requests.at(-1)?.id).toBe(3000)
})

test.each([
  ['before the previous response', [100, 90, 200, 190, 300], [1, 2, 3, 4, 5]],
  ['twice after a response', [100, 90, 200, 190], undefined],
])('refusals are counted that may have been sent %s', async (_what, opened, expected) => {
  const findings = new Findings(await loadContract())
  for (const [i, connectedAt] of opened.entries()) {
    const at = 100 + 50 * i
    const refused = {
      status: 422,
      case: 'unprocessable',
      path: '/api/service/9',
      operation: 'getService',
      version: 1,
    }
    const arrival = { connectedAt, arrivedAt: connectedAt, position: 1, at, durationMs: 1 }
    findings.add(record(i + 1, { ...refused, ...arrival, requestHeaders: json }))
  }
  expect(findings.list[0]?.requests.map(({ id }) => id)).toEqual(expected)
})

test.each([
  ['after the loss', 250, ['ordered-twice'], ['ordered-twice']],
  ['at the same time, or not', 150, [], ['ordered-twice']],
])('an equal order that was sent %s', async (_what, arrivedAt, proven, possible) => {
  const findings = new Findings(await loadContract())
  const origin = { load: 'l', rewind: 0 } as never
  for (const id of [1, 2]) {
    const change = { services: { [5000 + id]: { orderid: 7000 + id } } } as never
    const order = { method: 'POST', path: '/api/product/101', operation: 'orderService', change, origin }
    const arrival = {
      isUndelivered: id === 1,
      at: 200 * id,
      arrivedAt: id === 1 ? 100 : arrivedAt,
      durationMs: 100,
    }
    const sent = { requestBody: '{"clientid":11}', requestHeaders: json, connectedAt: id, position: 1 }
    findings.add(record(id, { ...order, ...arrival, ...sent }))
  }
  const duplicates = (all: readonly { finding: string }[]) =>
    all.map(({ finding }) => finding).filter((name) => name === 'ordered-twice')
  expect([duplicates(findings.list), duplicates(findings.collect(true))]).toEqual([proven, possible])
})

test('every rule has a description and advice in its file', () => {
  for (const [name, { description, advice }] of Object.entries(findingRules))
    expect({ name, description, advice }).toEqual({
      name,
      description: expect.stringMatching(/^It [^]+\.$/),
      advice: expect.stringMatching(/^[A-Z][^]+\.$/),
    })
})

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const all = `${letters}${letters.toUpperCase()}${digits}`

test.each([
  ['letters', letters + letters.toUpperCase()],
  ['small letters', letters],
  ['letters and digits', all],
  ['small letters and digits', letters + digits],
  ['hexadecimal digits', `${digits}abcdef`],
  ['the characters of base64', `${all}+/=`],
  ['all that a keyboard has', `${all}!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`],
])('of random passwords (%s) fewer than one in a thousand look encoded', (_name, alphabet) => {
  const samples = 8000
  const rates = Array.from({ length: 13 }, (_, i) => {
    const made = Array.from({ length: samples }, (_one, n) => lettersOf(i + 4, alphabet, ['password', i, n]))
    return { length: i + 4, rate: made.filter(looksEncoded).length / samples }
  })
  expect(rates.filter(({ rate }) => rate >= 0.001)).toEqual([])
})

test.each<[string, Partial<JournalRecord>, sentAfter: boolean]>([
  ['on the same connection', { connectedAt: 1, position: 2 }, true],
  ['on the same connection, before it', { connectedAt: 1, position: 1, arrivedAt: 160 }, false],
  ['on a connection opened after it', { connectedAt: 100, arrivedAt: 100, position: 1 }, true],
  ['on a connection opened before it', { connectedAt: 99, arrivedAt: 150, position: 1 }, false],
  ['on a connection used before', { connectedAt: 99, arrivedAt: 150, position: 2 }, false],
  ['more than 50 ms after it', { connectedAt: 99, arrivedAt: 151, position: 1 }, true],
])('a request %s is sent after a response', (_what, parts, sentAfter) => {
  const request = (one: Partial<JournalRecord>) => ({ record: record(1, one) }) as ObservedRequest
  const earlier = { connectedAt: 1, arrivedAt: 40, position: 1, at: 100, durationMs: 5 }
  expect(isSentAfter(request(parts), request(earlier))).toBe(sentAfter)
  expect(isSentAfter(request(parts), request({ ...earlier, isUndelivered: true }))).toBe(false)
  // What was under way at the same time as a slow response arrived before it.
  const slow = { ...earlier, durationMs: 100 }
  expect(isSentAfter(request({ connectedAt: 99, arrivedAt: 101, position: 2 }), request(slow))).toBe(true)
})
