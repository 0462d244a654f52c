import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../../src/calibration/calibrate.ts'
import { readRecordings } from '../../src/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { calibrated as read, fileOf, type Entry } from '../support/calibration/calibrated.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { harEntry, Tape } from '../support/calibration/Tape.ts'
import { fullTour } from '../support/calibration/tours.ts'
import { effort } from '../support/effort.ts'
import { start } from '../support/start.ts'

const contract = await loadContract()

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

function withoutHeader(headers: { name: string }[], ...names: string[]): { name: string }[] {
  return headers.filter(({ name }) => !names.includes(name.toLowerCase()))
}

/** How each recorder writes an entry. */
const dialects: Record<string, (entry: Entry) => Entry> = {
  'Chrome, which leaves the credentials out': ({ request, response, ...entry }) => ({
    ...entry,
    _resourceType: 'xhr',
    _priority: 'High',
    request: {
      ...request,
      httpVersion: 'http/2.0',
      headers: withoutHeader(request.headers, 'authorization').map(({ name, ...one }: Entry) => ({
        ...one,
        name: name.toLowerCase(),
      })),
    },
    response: {
      ...response,
      httpVersion: 'http/2.0',
      content: { ...response.content, compression: 12 },
      _transferSize: 77,
      _error: null,
    },
    timings: { blocked: 1, dns: -1, connect: -1, send: 0, wait: 3, receive: 1, ssl: -1, _queued: 1 },
  }),
  'Firefox, with bodies in base64 and no text where there is none': ({ request, response, ...entry }) => ({
    ...entry,
    startedDateTime: entry.startedDateTime.replace('Z', '+00:00'),
    request: { ...request, postData: request.postData && { ...request.postData, params: [] } },
    response: {
      ...response,
      content:
        response.content.text === ''
          ? { mimeType: '', size: 0 }
          : { ...response.content, encoding: 'base64', text: base64(response.content.text) },
    },
  }),
  'Safari, with sizes of -1 and without a content type of its own': ({ request, response, ...entry }) => ({
    ...entry,
    request: { ...request, bodySize: -1 },
    response: { ...response, bodySize: -1, headers: withoutHeader(response.headers, 'content-type') },
  }),
  'mitmproxy, with names in small letters and times to the microsecond': ({
    request,
    response,
    ...entry
  }) => ({
    ...entry,
    startedDateTime: entry.startedDateTime.replace('Z', '123+00:00'),
    request: {
      ...request,
      headers: request.headers.map(({ name, value }: Entry) => ({ name: name.toLowerCase(), value })),
      postData: request.postData && { ...request.postData, params: [] },
    },
    response: { ...response, content: { ...response.content, compression: 0 } },
  }),
  'Charles, with compressed bodies': ({ response, ...entry }) => ({
    ...entry,
    response: {
      ...response,
      headers: [...response.headers, { name: 'Content-Encoding', value: 'gzip' }],
      content:
        response.content.text === ''
          ? { size: 0 }
          : {
              ...response.content,
              encoding: 'base64',
              text: gzipSync(response.content.text).toString('base64'),
            },
    },
  }),
  'Insomnia, with little but what was asked and answered': ({ request, response, startedDateTime }) => ({
    startedDateTime,
    request: {
      method: request.method.toLowerCase(),
      url: request.url,
      headers: request.headers,
      ...(request.postData && { postData: request.postData }),
    },
    response: { status: response.status, headers: response.headers, content: response.content },
  }),
}

describe('recordings of', () => {
  it.each(Object.entries(dialects))('%s are read', async (name, dialect) => {
    const tape = fullTour(new NaiveService({ productSort: 'desc', inactiveTtlBody: 'array' }))
    const entries = tape.taped.map((one) => dialect(harEntry(one)))
    const file = fileOf(entries, name.startsWith('Charles') ? '\uFEFF' : '')
    const { calibration } = await read(file)
    expect(calibration.behaviour.differences).toEqual([])
    expect(calibration.drift).toEqual([])
    const found = Object.fromEntries(calibration.assumptions.map(({ id, verdict }) => [id, verdict]))
    expect(found).toMatchObject({
      productSort: 'other',
      inactiveTtlBody: 'other',
      updateListInterval: 'holds',
      // Without the header what was sent is unknown, but the response tells enough.
      stickyAuth: 'holds',
    })
  })

  it('other traffic is skipped and counted, with the reason', async () => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    const entry = harEntry(tape.taped[0] as never) as Entry
    const like = (request: object, response: object = {}): Entry => ({
      ...entry,
      request: { ...entry.request, ...request },
      response: { ...entry.response, ...response },
    })
    const { calibration } = await read(
      fileOf([
        like({ method: 'OPTIONS' }),
        like({ url: 'https://cdn.example/app.js' }),
        entry,
        like({}, { status: 0 }),
        like({}, { status: 304 }),
        like({ method: 'DELETE' }),
        like({}, { content: { size: 77, mimeType: 'application/json' } }),
        like({ url: 'https://other.example/api/clients' }),
        {},
        entry,
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
        { exchange: 7, reason: 'the recorder did not keep the response body' },
        { exchange: 8, reason: 'to another host' },
        { exchange: 9, reason: 'no URL' },
      ],
    })
  })

  it('a body that was not kept, or only its beginning, is not taken for an empty one', async () => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    tape.get('/api/clients')
    const [first, second] = tape.taped.map(harEntry) as Entry[]
    const without = (content: object, bodySize?: number): Entry => ({
      ...first,
      response: { ...first.response, content, bodySize },
    })
    const kept = async (entry: Entry): Promise<unknown[]> => {
      const { calibration } = await read(fileOf([entry, second]))
      return [...calibration.exchanges.skipped.map(({ reason }) => reason), ...calibration.drift]
    }
    const notKept = ['the recorder did not keep the response body']
    expect(await kept(without({ size: -1 }))).toEqual(notKept)
    expect(await kept(without({ size: -1, comment: 'too large to keep' }, -1))).toEqual(notKept)
    expect(await kept(without({ ...first.response.content, text: '[{"id":31,"ema' }))).toEqual(notKept)
    // Here it says that there was none: for this call, that is drift.
    for (const none of [without({ size: 0 }), without({ size: -1 }, 0), without({})])
      expect(await kept(none)).toMatchObject([{ operation: 'listClients' }])
  })

  it('compressed bodies: deflate and gzip', async () => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/clients')
    const [entry] = tape.taped.map(harEntry) as Entry[]
    const kept = async (encoding: string, bytes: Buffer): Promise<unknown[]> => {
      const { request, response } = entry
      const headers = [...response.headers, { name: 'Content-Encoding', value: encoding }]
      const content = { ...response.content, encoding: 'base64', text: base64(bytes) }
      const packed = { ...entry, request, response: { ...response, headers, content } }
      const { calibration } = await read(fileOf([entry, packed]))
      const { exchanges, drift, behaviour } = calibration
      return [...exchanges.skipped.map(({ reason }) => reason), ...drift, ...behaviour.differences]
    }
    const body = Buffer.from(entry.response.content.text)
    const notKept = ['the recorder did not keep the response body']
    expect(await kept('deflate', deflateSync(body))).toEqual([])
    expect(await kept('deflate', body)).toEqual([]) // decoded by the recorder
    expect(await kept('gzip', gzipSync(body).subarray(0, -12))).toEqual(notKept)
    // Encodings that can't be undone
    const unknown = Buffer.from([0x1f, 0x9d, 0x90, 0xff])
    for (const encoding of ['compress', 'gzip, br']) expect(await kept(encoding, unknown)).toEqual(notKept)
    expect(await kept('compress', body)).toEqual([]) // decoded by the recorder
  })

  it('a service below a path of its host', async () => {
    const tape = fullTour(new NaiveService({ geo: 'object' }))
    const entries = tape.taped.map((one) => {
      const { request, ...entry } = harEntry(one) as Entry
      return { ...entry, request: { ...request, url: request.url.replace('/api/', '/panel/v2/api/') } }
    })
    const { calibration } = await read(fileOf(entries))
    expect(calibration.exchanges).toMatchObject({ judged: tape.taped.length, skipped: [] })
    expect(calibration.behaviour.differences).toEqual([])
  })

  it('two accounts: one is judged, the other mentioned; --account chooses', async () => {
    const [one, two] = [new Tape(new NaiveService()), new Tape(new NaiveService({ productSort: 'desc' }))]
    Object.assign(two.service, { login: 'second', cents: 7 })
    for (const path of ['products', 'products/orderby/price', 'billing/credit']) {
      one.get(`/api/${path}`)
      two.get(`/api/${path}`)
    }
    one.get('/api/clients')
    const entries = [...one.taped, ...two.taped].map(harEntry)
    const first = await read(fileOf(entries))
    expect(first.notes).toEqual([
      expect.stringMatching(
        /2 accounts \(account-1 with 4 calls, account-2 with 3 calls\); account-1 is judged/,
      ),
    ])
    expect(first.calibration.behaviour.differences).toEqual([])
    expect(first.skipped.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'of another account (account-2)'),
    )
    for (const login of ['second', 'account-2']) {
      const { calibration, notes } = await read(fileOf(entries), { login })
      expect(notes).toEqual([])
      expect(calibration.assumptions[0]).toMatchObject({ id: 'productSort', reading: 'desc' })
    }
  })

  it('a call without credentials about another account’s service says nothing', async () => {
    const [one, two] = [new Tape(new NaiveService()), new Tape(new NaiveService({ stickyAuth: 'open' }))]
    Object.assign(two.service, { login: 'second' })
    one.service.services.splice(1)
    for (const tape of [one, one, two]) tape.get('/api/services')
    two.get('/api/sticky/changettl/803/5', { authorization: null })
    const { calibration } = await read(fileOf([...one.taped, ...two.taped].map(harEntry)))
    expect(calibration.behaviour).toMatchObject({ same: 1, firstSight: 1, differ: 0, undecidable: 1 })
    expect(calibration.assumptions.find(({ id }) => id === 'stickyAuth')).toMatchObject({
      verdict: 'undecided',
    })
  })

  it('clocks that disagree are told', async () => {
    const tape = new Tape(new NaiveService())
    for (let i = 0; i < 3; i++) tape.get('/api/clients')
    const entries: Entry[] = tape.taped.map(harEntry)
    expect(await read(entries)).toMatchObject({ notes: [] })
    entries[1].startedDateTime = new Date((tape.taped[1]?.at ?? 0) - 7_200_000).toISOString()
    expect((await read(entries)).notes).toEqual([
      expect.stringMatching(
        /: in 1 exchange, the Date header and startedDateTime are more than a minute apart \(up to 120 minutes\)/,
      ),
    ])
  })

  it('ten thousand exchanges are judged within a minute', { timeout: 240_000 }, async () => {
    const tape = new Tape(new NaiveService({ orderedInvoice: 'Unpaid', productSort: 'desc' }))
    tape.get('/api/clients')
    tape.get('/api/products')
    for (let i = 0; tape.taped.length < 10_000; i++) {
      tape.get('/api/products/orderby/price')
      tape.get('/api/billing/credit')
      tape.get(`/api/service/${800 + 3 * (i % 5)}`)
      tape.get('/api/services')
      tape.get('/api/iplist/http-ip/json/800')
      if (i % 40 === 0) tape.call('POST', '/api/product/7', { body: { clientid: 31 } })
    }
    const recordings = await readRecordings([tape.file()], contract)
    const before = effort()
    const { calibration } = await calibrate(recordings, contract)
    expect(effort() - before).toBeLessThan(60_000)
    expect(calibration.behaviour.differences).toEqual([])
  })
})

it('the journal of a simulator, whose credentials are redacted, shows no difference', async () => {
  const sim = await start()
  for (const path of ['clients', 'product/101', 'services', 'service/999', 'billing/credit'])
    await sim.call('GET', `/api/${path}`)
  await sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
  await sim.call('GET', '/api/clients', { login: null })
  // The journal doesn't have the passwords, so nobody can tell what they should have led to.
  for (const password of [base64('brand new'), '!'])
    await sim.call('PUT', '/api/service/5001', { body: { password } })
  await sim.call('GET', '/api/service/5001')
  const { json } = await sim.call('GET', '/__admin/requests.har')
  const { behaviour, drift } = await read((json as { log: { entries: Entry[] } }).log.entries)
  expect({ ...behaviour, drift }).toMatchObject({ differ: 0, undecidable: 2, fidelity: 100, drift: [] })
  expect(behaviour.same).toBeGreaterThan(0)
})
