import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../../src/lab/calibration/calibrate.ts'
import { readRecordings } from '../../src/lab/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import {
  calibrateRecorded as read,
  changeEntry,
  writeHar,
  type Entry,
} from '../support/calibration/calibrateRecorded.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { toHarEntry, Tape } from '../support/calibration/Tape.ts'
import { recordFullTour } from '../support/calibration/tours.ts'
import { start } from '../support/start.ts'

const contract = await loadContract()

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

function withoutHeader<T extends { name: string }>(headers: T[], gone: string): T[] {
  return headers.filter(({ name }) => name.toLowerCase() !== gone)
}

const lowerCase = (headers: { name: string; value: string }[]) =>
  headers.map(({ name, value }) => ({ name: name.toLowerCase(), value }))

/** The differences between recorders' entries. */
const dialects: Record<string, (entry: Entry) => Entry> = {
  'Chrome, which leaves the credentials out': ({ request }) => ({
    _resourceType: 'xhr',
    request: { httpVersion: 'http/2.0', headers: lowerCase(withoutHeader(request.headers, 'authorization')) },
    response: { httpVersion: 'http/2.0', content: { compression: 12 }, _transferSize: 77, _error: null },
    timings: { blocked: 1, dns: -1, connect: -1, ssl: -1, _queued: 1 },
  }),
  'Firefox, with bodies in base64 and no text where there is none': (entry) => ({
    startedDateTime: entry.startedDateTime.replace('Z', '+00:00'),
    response: {
      content: entry.response.content.text
        ? { encoding: 'base64', text: base64(entry.response.content.text) }
        : { mimeType: '', size: 0, text: undefined },
    },
  }),
  'Safari, with sizes of -1 and without a content type of its own': ({ response }) => ({
    request: { bodySize: -1 },
    response: { bodySize: -1, headers: withoutHeader(response.headers, 'content-type') },
  }),
  'mitmproxy, with names in small letters and times to the microsecond': ({ startedDateTime, request }) => ({
    startedDateTime: startedDateTime.replace('Z', '123+00:00'),
    request: { headers: lowerCase(request.headers) },
  }),
  'Charles, with compressed bodies': ({ response: { headers, content } }) => ({
    response: {
      headers: [...headers, { name: 'Content-Encoding', value: 'gzip' }],
      content: content.text
        ? { encoding: 'base64', text: gzipSync(content.text).toString('base64') }
        : { size: 0, mimeType: undefined, text: undefined },
    },
  }),
  'Insomnia, with little but what was asked and answered': ({ request }) => ({
    request: { method: request.method.toLowerCase(), httpVersion: undefined, bodySize: undefined },
    response: { bodySize: undefined },
    time: undefined,
  }),
}

describe('recordings of', () => {
  it.each(Object.entries(dialects))('%s are read', async (name, dialect) => {
    const tape = recordFullTour(new NaiveService({ productSort: 'desc', inactiveTtlBody: 'array' }))
    const entries = tape.exchanges.map(toHarEntry).map((entry) => changeEntry(entry, dialect(entry)))
    const file = writeHar(entries, name.startsWith('Charles') ? '\uFEFF' : '')
    const { calibration } = await read(file)
    expect(calibration.behaviour.differences).toEqual([])
    expect(calibration.violations).toEqual([])
    const found = Object.fromEntries(calibration.assumptions.map(({ id, verdict }) => [id, verdict]))
    expect(found).toMatchObject({
      productSort: 'other',
      inactiveTtlBody: 'other',
      updateListInterval: 'holds',
    })
  })

  it('other traffic is skipped and counted, with the reason', async () => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    const entry = toHarEntry(tape.exchanges[0] as never) as Entry
    const like = (request: object, response: object = {}): Entry => changeEntry(entry, { request, response })
    const { calibration } = await read(
      writeHar([
        like({ method: 'OPTIONS' }),
        like({ url: 'https://cdn.example/app.js' }),
        entry,
        like({}, { status: 0 }),
        like({}, { status: 304 }),
        like({ method: 'DELETE' }),
        like({}, { content: { size: 77, text: undefined } }),
        {},
        entry,
        { ...like({}, { headers: [] }), startedDateTime: '2026-01-20T12:00:00Z' },
      ]),
    )
    expect(calibration.exchanges).toEqual({
      read: 10,
      judged: 2,
      skipped: [
        { exchange: 1, reason: 'a CORS preflight' },
        { exchange: 2, reason: 'not this API' },
        { exchange: 4, reason: 'no response was recorded' },
        { exchange: 5, reason: 'answered from a cache' },
        { exchange: 6, reason: 'a method that this path does not support' },
        { exchange: 7, reason: 'the response body was not recorded, or has more than 32 MB' },
        { exchange: 8, reason: 'not a valid HAR entry' },
        { exchange: 9, reason: 'a duplicate entry' },
      ],
    })
  })

  it.each<[string, (entry: Entry) => Entry]>([
    [
      'its time with an offset',
      (entry) => ({ ...entry, startedDateTime: entry.startedDateTime.replace('Z', '+00:00') }),
    ],
    ['no credentials', (entry) => changeEntry(entry, { request: { headers: [] } })],
    [
      'its body in base64',
      (entry) =>
        changeEntry(entry, {
          response: {
            content: { encoding: 'base64', text: base64(Buffer.from(entry.response.content.text)) },
          },
        }),
    ],
    [
      'headers in another order, without sizes',
      (entry) =>
        changeEntry(entry, {
          response: { headers: entry.response.headers.toReversed(), bodySize: undefined },
        }),
    ],
  ])('an entry again counts once, also with %s', async (_, again) => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    const [entry] = tape.exchanges.map(toHarEntry) as Entry[]
    for (const entries of [
      [entry, again(entry)],
      [again(entry), entry],
    ]) {
      const { exchanges, violations, behaviour } = (await read(writeHar(entries))).calibration
      expect(exchanges).toMatchObject({ judged: 1, skipped: [{ exchange: 2 }] })
      expect([...violations, ...behaviour.differences]).toEqual([])
    }
  })

  it.each<[string, (order: Entry) => Entry]>([
    ['a body that is no object', (order) => changeEntry(order, { request: { postData: [] } })],
    [
      'a header without a name',
      (order) => changeEntry(order, { request: { headers: [...order.request.headers, { value: 'x' }] } }),
    ],
    ['a response that is no object', (order) => ({ ...order, response: 'lost' })],
  ])('an order with %s still separates what comes before and after it', async (_, broken) => {
    const tape = recordFullTour(new NaiveService())
    const entries = tape.exchanges
      .map(toHarEntry)
      .map((entry) => entry as Entry)
      .map((entry) => (entry.request.method === 'POST' ? broken(entry) : entry))
    const { calibration } = await read(writeHar(entries))
    expect(calibration.behaviour.differences).toEqual([])
    expect(calibration.violations).toEqual([])
  })

  /** The result for two equal exchanges, if the response of one was recorded differently. */
  async function getReported(otherwise: (response: Entry) => Entry): Promise<unknown[]> {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    const [entry] = tape.exchanges.map(toHarEntry) as Entry[]
    const earlier = { startedDateTime: '2026-01-01T00:00:00Z', response: otherwise(entry.response) }
    const file = writeHar([{ ...entry, ...earlier }, entry])
    const { exchanges, violations, behaviour } = (await read(file)).calibration
    return [...exchanges.skipped.map(({ reason }) => reason), ...violations, ...behaviour.differences]
  }

  const notKept = ['the response body was not recorded, or has more than 32 MB']

  it('a body that was not recorded, or only partly, is not treated as empty', async () => {
    const without = (content: object, bodySize?: number) => (response: Entry) => ({
      ...response,
      content,
      bodySize,
    })
    expect(await getReported(without({ size: -1 }))).toEqual(notKept)
    expect(await getReported(without({ size: -1, comment: 'too large to keep' }, -1))).toEqual(notKept)
    expect(
      await getReported((response) => changeEntry(response, { content: { text: '[{"id":31,"ema' } })),
    ).toEqual(notKept)
    // Here, the header says that there is no body, which violates the contract of this call.
    for (const none of [without({ size: 0 }), without({ size: -1 }, 0), without({})])
      expect(await getReported(none)).toMatchObject([{ operation: 'listClients' }])
  })

  const unknown = Buffer.from([0x1f, 0x9d, 0x90, 0xff])

  it.each<[string, string, (body: Buffer) => Buffer, string[]]>([
    ['deflate', 'is undone', deflateSync, []],
    ['deflate', 'was undone by the recorder', (body) => body, []],
    ['gzip', 'was cut', (body) => gzipSync(body).subarray(0, -12), notKept],
    ['compress', "can't be undone", () => unknown, notKept],
    ['gzip, br', "can't be undone", () => unknown, notKept],
    ['compress', 'was undone by the recorder', (body) => body, []],
  ])('a body whose encoding (%s) %s', async (encoding, _, encode, told) => {
    const packed = ({ headers, content, ...response }: Entry): Entry => ({
      ...response,
      headers: [...headers, { name: 'Content-Encoding', value: encoding }],
      content: { ...content, encoding: 'base64', text: base64(encode(Buffer.from(content.text))) },
    })
    expect(await getReported(packed)).toEqual(told)
  })

  it('a service below a path of its host', async () => {
    const tape = recordFullTour(new NaiveService({ geo: 'object' }))
    const entries = tape.exchanges
      .map(toHarEntry)
      .map((entry: Entry) =>
        changeEntry(entry, { request: { url: entry.request.url.replace('/api/', '/panel/v2/api/') } }),
      )
    const { calibration } = await read(writeHar(entries))
    expect(calibration.exchanges).toMatchObject({ judged: tape.exchanges.length, skipped: [] })
    expect(calibration.behaviour.differences).toEqual([])
  })

  it('hundreds of exchanges are judged, without a difference', async () => {
    const tape = new Tape(new NaiveService({ orderedInvoice: 'Unpaid', productSort: 'desc' }))
    tape.get('/api/clients')
    tape.get('/api/products')
    for (let i = 0; tape.exchanges.length < 300; i++) {
      tape.get('/api/products/orderby/price')
      tape.get('/api/billing/credit')
      tape.get(`/api/service/${800 + 3 * (i % 5)}`)
      tape.get('/api/services')
      tape.get('/api/iplist/http-ip/json/800')
      if (i % 40 === 0) tape.call('POST', '/api/product/7', { body: { clientid: 31 } })
    }
    const recordings = await readRecordings([tape.file()], contract)
    const { calibration } = await calibrate(recordings, contract)
    expect(calibration.behaviour.differences).toEqual([])
  })
})

it('the journal of a simulator, whose credentials are redacted, shows no difference', async () => {
  const sim = await start()
  for (const path of ['clients', 'product/101', 'services', 'service/999', 'billing/credit'])
    await sim.call('GET', `/api/${path}`)
  await sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await sim.call('GET', '/api/clients', { login: null })
  // The journal doesn't contain the passwords, so the expected outcome is unknown.
  for (const password of [base64('brand new'), '!'])
    await sim.call('PUT', '/api/service/5001', { body: { password } })
  await sim.call('GET', '/api/service/5001')
  const { json } = await sim.call('GET', '/__admin/requests.har')
  const { behaviour, violations } = await read((json as { log: { entries: Entry[] } }).log.entries)
  expect({ ...behaviour, violations }).toMatchObject({
    differ: 0,
    undecidable: 2,
    fidelity: 100,
    violations: [],
  })
  expect(behaviour.same).toBeGreaterThan(0)
})
