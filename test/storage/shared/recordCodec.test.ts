import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RawRecord } from '../../../src/journal/RawRecord.ts'
import { mostTexts, RecordEncoder, StoredText } from '../../../src/storage/shared/recordCodec.ts'

const header = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('a', 'application/json', 'Basic YTpi'),
  fc.constant(['a', 'b']),
)
const headers = fc
  .record({ authorization: header, date: header, 'content-type': header, accept: header })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
const body = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('', '{}', 'x'.repeat(100), 'y'.repeat(20_000), '["short"]', '["ab","cd"]'.padEnd(90)),
)

const records: fc.Arbitrary<RawRecord> = fc.record({
  id: fc.integer({ min: 1 }),
  birth: fc.nat(),
  era: fc.nat(),
  version: fc.option(fc.nat()),
  time: fc.nat(),
  account: fc.option(fc.constantFrom('ana', 'ben')),
  operation: fc.option(fc.constantFrom('listClients', 'getService')),
  method: fc.constantFrom('GET', 'PUT'),
  path: fc.constantFrom('/api/clients', '/api/service/1'),
  status: fc.option(fc.constantFrom(200, 422)),
  case: fc.option(fc.constantFrom('unknown-service')),
  reason: fc.option(fc.string()),
  forced: fc.boolean(),
  durationMs: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
  requestHeaders: headers,
  requestBody: body,
  isBodyUnreadable: fc.option(fc.boolean(), { nil: undefined }),
  responseHeaders: headers,
  responseBody: body,
  change: fc.option(fc.constant({ credit: 3 }), { nil: undefined }),
  violations: fc.array(fc.string()),
  secrets: fc.option(fc.constant(['secret', ['token']] as const), { nil: undefined }),
  at: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
  lost: fc.boolean(),
  evidence: fc.option(fc.constant({ 'unsafe-get': 1 }), { nil: undefined }),
}) as fc.Arbitrary<RawRecord>

/** Stores what the encoder gives out, as the store does. @returns how many texts */
function store(encoder: RecordEncoder, texts = new Map<string, string>()): number {
  const added = encoder.takeTexts()
  for (let at = 1; at < added.flat.length; at += 2)
    texts.set(added.flat[at - 1] as string, added.flat[at] as string)
  added.areStored = true
  return added.flat.length / 2
}

test('every record survives a round trip, whichever came before it', () => {
  fc.assert(
    fc.property(fc.array(records, { maxLength: 30 }), fc.nat(3), (all, held) => {
      const encoder = new RecordEncoder()
      encoder.allow(mostTexts - held)
      const texts = new Map<string, string>()
      for (const record of all) {
        const stored = new StoredText(encoder.encode(record))
        store(encoder, texts)
        expect(stored.isKnown).toBe(record.account !== null)
        expect(stored.references.every((name) => texts.has(name))).toBe(true)
        expect(stored.decode(record.id, texts)).toEqual(record)
      }
    }),
    { numRuns: 500 },
  )
})

const polled: RawRecord = {
  id: 1,
  birth: 1,
  era: 1,
  version: 0,
  time: 0,
  account: 'ana',
  operation: 'listProducts',
  method: 'GET',
  path: '/api/products',
  status: 200,
  case: null,
  reason: null,
  forced: false,
  durationMs: 0.4,
  requestHeaders: { host: 'localhost:8080', accept: 'application/json', authorization: 'Basic YTpi' },
  requestBody: undefined,
  responseHeaders: { date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'content-type': 'application/json' },
  responseBody: JSON.stringify(Array.from({ length: 20 }, (_, pid) => ({ pid, name: 'A product' }))),
  change: undefined,
  violations: [],
  secrets: ['b', []],
  at: 0,
  lost: false,
  evidence: undefined,
}

/* A change of the format would make records unreadable that another version of the program stored. */
test('records are stored in one format', () => {
  const encoder = new RecordEncoder()
  encoder.allow(0)
  const [responseBody, date] = ['x'.repeat(64), 'Thu, 01 Jan 1970 00:00:00 GMT']
  const record: RawRecord = { ...polled, responseBody, change: { credit: 3 }, evidence: { 'unsafe-get': 1 } }
  const whole = `[1,1,0,0,0,0.4,"ana","listProducts","GET","/api/products",200,null,{"host":"localhost:8080","accept":"application/json","authorization":"Basic YTpi"},{"date":"${date}","content-type":"application/json"},"${responseBody}",null,null,false,false,{"credit":3},[],["b",[]],{"unsafe-get":1},null,null]`
  const short = `[1,1,0,0,0,0.4,"ana","listProducts","GET","/api/products",200,null,["a","Basic YTpi"],["b","${date}"],["c"],null,null,false,false,{"credit":3},[],["b",[]],{"unsafe-get":1},null,null]`
  const texts = new Map([
    ['a', '{"host":"localhost:8080","accept":"application/json","authorization":""}'],
    ['b', '{"date":"","content-type":"application/json"}'],
    ['c', responseBody],
  ])
  expect(encoder.encode(record)).toBe(whole)
  const repeated = encoder.encode(record)
  const names = new StoredText(repeated).references
  const { flat } = encoder.takeTexts()
  expect(flat).toEqual(names.flatMap((name, at) => [name, [...texts.values()][at]]))
  expect(names.reduce((text, name, at) => text.replace(name, 'abc'[at] as string), repeated)).toBe(short)
  expect(new StoredText(whole).decode(1, new Map())).toEqual(record)
  expect(new StoredText(short).decode(1, texts)).toEqual(record)
})

test('texts that repeat are stored once, and their number per run is limited', () => {
  const encoder = new RecordEncoder()
  const lengths = (): number => encoder.encode(polled).length
  const whole = lengths()
  expect(lengths()).toBe(whole) // there is no room before it is known how much there is
  encoder.allow(0)
  const short = lengths()
  expect(short).toBeLessThan(whole / 3)
  const texts = encoder.takeTexts()
  expect(texts.flat).toHaveLength(6)
  expect(lengths()).toBe(whole) // nobody knows yet whether they are stored
  texts.areStored = true
  expect(lengths()).toBe(short)
  expect(store(encoder)).toBe(0)
  let added = 3
  for (let n = 0; n < 2 * mostTexts; n++) {
    const changed = { ...polled, path: `/api/service/${n}`, responseBody: `${polled.responseBody} ${n}` }
    encoder.encode(changed)
    encoder.encode(changed)
    added += store(encoder)
  }
  expect(added).toBe(mostTexts)
  encoder.forget()
  expect(lengths()).toBe(whole)
})

test('a path whose response changes takes no room from the others', () => {
  const encoder = new RecordEncoder()
  encoder.allow(0)
  const at = (id: number, responseBody = `${polled.responseBody} ${id}`): string =>
    encoder.encode({ ...polled, path: `/api/service/${id}`, responseBody })
  for (let id = 0; id < mostTexts; id++) at(id)
  at(0, polled.responseBody)
  expect(new StoredText(at(1)).references).toHaveLength(3)
})
