import { deflateRawSync, gzipSync } from 'node:zlib'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBodyDecoder, decodeBody } from '../../src/lab/calibration/decodeBody.ts'
import {
  calibrateRecorded,
  changeEntry,
  writeHar,
  type Entry,
} from '../support/calibration/calibrateRecorded.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { toHarEntry, Tape } from '../support/calibration/Tape.ts'

/** Makes a recording of these reads, and alters each entry. */
function createEntries(paths: readonly string[], alter: (entry: Entry, i: number) => Entry): Entry[] {
  const tape = new Tape(new NaiveService())
  for (const path of paths) tape.get(`/api/${path}`)
  return tape.exchanges.map(toHarEntry).map((entry, i) => changeEntry(entry, alter(entry, i)))
}

const reads = ['clients', 'service/800', 'clients', 'billing/credit', 'service/800']
const withAuthorization =
  (value: string) =>
  ({ request }: Entry) => ({
    request: {
      headers: (request.headers as { name: string }[]).map((one) =>
        one.name === 'Authorization' ? { ...one, value } : one,
      ),
    },
  })

describe('recordings of other tools', () => {
  it.each([
    '[authorization redacted]',
    '***',
    'Basic ***',
    '{{auth}}',
    '',
    'Basic <hidden>',
    'Basic cmVkYWN0ZWQ=',
  ])('with credentials as %o are judged: what was let in was valid', async (value) => {
    const { behaviour } = await calibrateRecorded(createEntries(reads, withAuthorization(value)))
    expect(behaviour).toMatchObject({ firstObservation: 3, same: 2, differ: 0, undecidable: 0 })
  })

  it.each(['***', 'Basic XXXXXXXXXXXX', 'sha256:ab12', 'Basic', `Basic ${btoa('REDACTED:REDACTED')}`])(
    'a refusal of credentials that became %o, too, is no difference',
    async (value) => {
      const tape = new Tape(new NaiveService())
      tape.get('/api/clients')
      tape.get('/api/clients', { authorization: `Basic ${btoa('x:y')}` })
      const entries = tape.exchanges
        .map(toHarEntry)
        .map((entry) => changeEntry(entry, withAuthorization(value)(entry)))
      expect((await calibrateRecorded(entries)).behaviour).toMatchObject({ differ: 0 })
    },
  )

  it.each<[string, object, string, number]>([
    ['no headers', { headers: [] }, '', 0],
    ['headers: null, and the type of the body', { headers: null }, 'application/json; charset=utf-8', 0],
    ['neither headers nor a type', { headers: undefined }, 'x-unknown', 0],
    ['headers without Content-Type, and the type of the body', {}, 'application/json', 0],
    ['headers without Content-Type', {}, '', 2],
  ])('requests with %s', async (_, without, mimeType, differ) => {
    const tape = new Tape(new NaiveService())
    tape.get('/api/service/800')
    for (const name of ['one', 'two'])
      tape.call('PUT', '/api/service/800', { body: { password: btoa(name) }, after: 10_000 })
    const entries = (tape.exchanges.map(toHarEntry) as Entry[]).map((entry) => {
      const { postData = {}, headers } = entry.request as { postData?: object; headers: { name: string }[] }
      const others = headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
      return changeEntry(entry, {
        request: { headers: others, ...without, postData: { ...postData, mimeType } },
      })
    })
    expect((await calibrateRecorded(entries)).behaviour).toMatchObject({ differ })
  })

  it.each<[string, Entry]>([
    ['_fromDiskCache', { _fromDiskCache: true }],
    ['_fromCache', { _fromCache: 'memory' }],
    ['fromDiskCache', { response: { fromDiskCache: true } }],
    ['_fetchType', { response: { _fetchType: 'Disk Cache' } }],
    ['a bodySize of 0, as HAR has it', { response: { bodySize: 0 } }],
    ['a service worker', { response: { _serviceWorkerResponseSource: 'cache-storage' } }],
  ])('a response from a cache (%s) is skipped', async (_, mark) => {
    const { exchanges } = await calibrateRecorded(createEntries(reads, (__, i) => (i === 2 ? mark : {})))
    expect(exchanges).toMatchObject({
      judged: 4,
      skipped: [{ exchange: 3, reason: 'answered from a cache' }],
    })
  })

  it('bodies that are too long together are refused', () => {
    const decode = createBodyDecoder(2 * 1024 * 1024)
    const bytes = gzipSync(Buffer.alloc(1024 * 1024))
    for (let i = 0; i < 2; i++) expect(decode(bytes, 'gzip')).toHaveLength(1024 * 1024)
    expect(() => decode(bytes, 'gzip')).toThrow('more than 2 MB after decompression')
  })

  it.each(['gzip', 'GZIP', 'x-gzip', 'identity, gzip', ', gzip', 'gzip, GZIP'])(
    'a body in %s is read',
    (encoding) => {
      const times = encoding.split(/gzip/i).length - 1
      let bytes: Buffer = Buffer.from('{"credit":5}')
      for (let i = 0; i < times; i++) bytes = gzipSync(bytes)
      expect(decodeBody(bytes, encoding)).toBe('{"credit":5}')
    },
  )

  it.each<[string, (text: string) => object]>([
    ['plain text that is said to be base64', (text) => ({ encoding: 'base64', text })],
    ['BASE64', (text) => ({ encoding: 'BASE64', text: Buffer.from(text).toString('base64') })],
    ['base64 and a space', (text) => ({ encoding: 'base64 ', text: btoa(text) })],
    ['base64url', (text) => ({ encoding: 'base64url', text: Buffer.from(text).toString('base64url') })],
    ['a data URL', (text) => ({ encoding: 'base64', text: `data:application/json;base64,${btoa(text)}` })],
  ])('%s is read', async (_, write) => {
    const written = ({ response: { content } }: Entry) => ({ response: { content: write(content.text) } })
    const { behaviour, violations } = await calibrateRecorded(createEntries(reads, written))
    expect([behaviour.same, behaviour.differ, violations]).toEqual([2, 0, []])
  })

  it('a repeated entry counts once, in one file or in two', async () => {
    const [first, ...others] = createEntries(reads, () => ({}))
    const { exchanges, behaviour } = await calibrateRecorded([first, ...others, first])
    expect(exchanges).toMatchObject({ read: 6, judged: 5, skipped: [{ exchange: 6 }] })
    expect(behaviour).toMatchObject({ same: 2, differ: 0 })
  })

  it('an entry without a time keeps its position; without any times, time-dependent assumptions are undecided', async () => {
    const tape = new Tape(new NaiveService())
    const update = { body: { update_list: 'true' } }
    tape.get('/api/sticky/list/803') // shows the time zone
    for (const after of [10_000, 20_000]) tape.call('PUT', '/api/service/800', { ...update, after })
    tape.get('/api/service/800')
    const timeless = ({ request, response, ...entry }: Entry, start: unknown): Entry => ({
      ...entry,
      startedDateTime: start,
      request,
      response: { ...response, headers: [] },
    })
    const all = tape.exchanges.map(toHarEntry) as Entry[]
    const verdict = async (entries: Entry[]) => {
      const { assumptions, behaviour } = await calibrateRecorded(entries)
      return [behaviour.differ, assumptions.find(({ id }) => id === 'updateListInterval')?.verdict]
    }
    expect(await verdict(all.map((one, i) => (i === 3 ? timeless(one, null) : one)))).toEqual([0, 'holds'])
    expect(await verdict(all.map((one) => timeless(one, {})))).toEqual([0, 'undecided'])
    // The recorder's clock is ahead of the service's.
    const ahead = ({ startedDateTime, ...entry }: Entry, i: number): Entry => {
      const started = Date.parse(startedDateTime as string)
      const date = { name: 'Date', value: new Date(started).toUTCString() }
      return changeEntry(entry, {
        startedDateTime: i === 2 ? null : new Date(started + 3_600_000).toISOString(),
        response: { headers: [...(entry.response.headers as object[]), date] },
      })
    }
    expect(await verdict(all.map(ahead))).toEqual([0, 'holds'])
  })

  it('bodies in files, relative URLs and statuses as text are read; entries without a response have a reason', async () => {
    const file = writeHar(
      createEntries(reads, ({ request, response }, i) =>
        i === 0
          ? { response: { content: { text: undefined, _file: 'bodies/0.json' } } }
          : i === 1
            ? { request: { url: request.url.replace('https://real.example', '') } }
            : i === 4
              ? { request: { url: request.url.replace('https://real.example/', '') } }
              : i === 2
                ? { response: null }
                : {
                    _fromCache: 'false',
                    response: { status: `${i === 3 ? 'HTTP/1.1 ' : ''}${response.status}` },
                  },
      ),
    )
    const body = join(dirname(file), 'bodies/0.json')
    mkdirSync(dirname(body))
    writeFileSync(body, '[{"id":31,"email":"first@shop.test"}]')
    const { exchanges, behaviour } = await calibrateRecorded(file)
    expect(exchanges).toMatchObject({
      judged: 4,
      skipped: [{ exchange: 3, reason: 'no response was recorded' }],
    })
    expect(behaviour).toMatchObject({ firstObservation: 3, same: 1, differ: 0 })
    await expect(calibrateRecorded(createEntries(['clients'], () => ({ response: null })))).rejects.toThrow(
      '(1 exchange; skipped: no response was recorded (1))',
    )
  })

  it('a missing file with a body is reported as the reason', async () => {
    const missing = (_: Entry, i: number) =>
      i === 2 ? { response: { content: { text: undefined, _file: 'bodies/gone.json' } } } : {}
    const { exchanges } = await calibrateRecorded(createEntries(reads, missing))
    expect(exchanges.skipped).toEqual([
      { exchange: 3, reason: "the file with the response body can't be read" },
    ])
  })

  it('a body that is too long after decompression is skipped with the limit', async () => {
    const long = gzipSync(Buffer.alloc(33 * 1024 * 1024, ' ')).toString('base64')
    const coding = [{ name: 'Content-Encoding', value: 'gzip' }]
    const pack = (_: Entry, i: number) =>
      i === 2 ? { response: { headers: coding, content: { encoding: 'base64', text: long } } } : {}
    const { exchanges } = await calibrateRecorded(createEntries(reads, pack))
    const reason = 'the response body has more than 32 MB, the limit'
    expect(exchanges.skipped).toEqual([{ exchange: 3, reason }])
  })

  it('deflate without a zlib header is decoded', async () => {
    const packed = ({ response: { headers, content } }: Entry) => ({
      response: {
        headers: [...headers, { name: 'Content-Encoding', value: 'deflate' }],
        content: { encoding: 'base64', text: deflateRawSync(content.text).toString('base64') },
      },
    })
    expect((await calibrateRecorded(createEntries(reads, packed))).behaviour).toMatchObject({
      same: 2,
      differ: 0,
    })
  })
})
