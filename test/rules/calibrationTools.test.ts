import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeBody } from '../../src/lab/calibration/decodeBody.ts'
import { calibrateRecorded, changeEntry, type Entry } from '../support/calibration/calibrateRecorded.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { toHarEntry, Tape } from '../support/calibration/Tape.ts'

/** Makes a recording of these reads, and alters each entry. */
function createEntries(
  paths: readonly string[],
  alter: (entry: Entry, i: number) => Entry = () => ({}),
): Entry[] {
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
  it.each(['[authorization redacted]', '***', 'Basic ***', '', 'Basic cmVkYWN0ZWQ='])(
    'credentials that are no Basic ones count as not recorded: %o',
    async (value) => {
      const tape = new Tape(new NaiveService())
      for (const path of reads) tape.get(`/api/${path}`)
      for (const authorization of [null, `Basic ${btoa('x:y')}`, 'Bearer x', 'Basic bm9jb2xvbg=='])
        tape.get('/api/clients', { authorization })
      const entries = tape.exchanges.map(toHarEntry)
      const { behaviour } = await calibrateRecorded(
        entries.map((entry) => changeEntry(entry, withAuthorization(value)(entry))),
      )
      expect(behaviour).toMatchObject({ firstObservation: 3, same: 6, differ: 0, undecidable: 0 })
    },
  )

  it.each<[string, Entry]>([
    ['_fromCache', { _fromCache: 'memory' }],
    ['fromDiskCache', { response: { fromDiskCache: true } }],
    ['a bodySize of 0, as HAR has it', { response: { bodySize: 0 } }],
  ])('a response from a cache (%s) is skipped', async (_, mark) => {
    const { exchanges } = await calibrateRecorded(createEntries(reads, (__, i) => (i === 2 ? mark : {})))
    const reason = 'answered from a cache'
    expect(exchanges).toMatchObject({ judged: 4, skipped: [{ exchange: 3, reason }] })
  })

  it.each<[string, Entry, string]>([
    ['no response', { response: null }, 'no response was recorded'],
    [
      'a body that is too long',
      {
        response: {
          headers: [{ name: 'Content-Encoding', value: 'gzip' }],
          content: {
            encoding: 'base64',
            text: gzipSync(Buffer.alloc(33 * 1024 * 1024, ' ')).toString('base64'),
          },
        },
      },
      'the response body was not recorded, or has more than 32 MB',
    ],
  ])('a call with %s is skipped with the reason', async (_, change, reason) => {
    const entries = createEntries(reads, (__, i) => (i === 2 ? change : {}))
    const { exchanges } = await calibrateRecorded(entries)
    expect(exchanges.skipped).toEqual([{ exchange: 3, reason }])
    await expect(calibrateRecorded([entries[2]])).rejects.toThrow(`(1 exchange; skipped: ${reason} (1))`)
  })

  it.each<[string, Entry, string]>([
    ['without a time', { startedDateTime: undefined }, 'Entry 3 of'],
    [
      'of several hosts',
      { request: { url: 'https://other.example/api/clients' } },
      'calls to 2 hosts with this API: https://real.example, https://other.example.',
    ],
    [
      'of several accounts',
      withAuthorization(`Basic ${btoa('second:secret')}`)(createEntries(['clients'])[0]),
      'calls of 2 accounts: account-1 with 4 calls, account-2 with 1 call.',
    ],
  ])('a recording %s is refused', async (_, change, message) => {
    const entries = createEntries(reads, (__, i) => (i === 2 ? change : {}))
    await expect(calibrateRecorded(entries)).rejects.toThrow(message)
  })

  it('a host and an account can be chosen', async () => {
    const elsewhere = { request: { url: 'https://other.example/api/clients' } }
    const other = withAuthorization(`Basic ${btoa('second:secret')}`)
    const alter = (entry: Entry, i: number): Entry => (i === 2 ? elsewhere : i === 3 ? other(entry) : {})
    const choice = { host: 'real.example', account: 'account-1' }
    const { exchanges } = await calibrateRecorded(createEntries(reads, alter), choice)
    expect(exchanges).toMatchObject({
      judged: 3,
      skipped: [
        { exchange: 3, reason: 'a call to another host' },
        { exchange: 4, reason: 'a call of another account' },
      ],
    })
    await expect(calibrateRecorded(createEntries(reads), { host: 'x' })).rejects.toThrow('real.example')
    await expect(calibrateRecorded(createEntries(reads), { account: 'x' })).rejects.toThrow('account-1')
  })

  it('a repeated entry counts once, and relative URLs are read', async () => {
    const toRelative = ({ request }: Entry, i: number): Entry =>
      i === 1 ? { request: { url: request.url.replace('https://real.example', '') } } : {}
    const [first, ...others] = createEntries(reads, toRelative)
    const { exchanges, behaviour } = await calibrateRecorded([first, ...others, first])
    expect(exchanges).toMatchObject({ read: 6, judged: 5, skipped: [{ exchange: 6 }] })
    expect(behaviour).toMatchObject({ same: 2, differ: 0 })
  })

  it.each(['gzip', 'GZIP', 'identity, gzip', 'gzip, GZIP'])('a body in %s is read', (encoding) => {
    const times = encoding.split(/gzip/i).length - 1
    let bytes: Buffer = Buffer.from('{"credit":5}')
    for (let i = 0; i < times; i++) bytes = gzipSync(bytes)
    expect(decodeBody(bytes, encoding)).toBe('{"credit":5}')
  })
})
