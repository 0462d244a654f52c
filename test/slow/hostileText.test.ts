import { expect, test } from 'vitest'
import { hostName } from '../../src/http/guards.ts'
import { redactValue } from '../../src/journal/redact.ts'
import { addDuration, parseInstant } from '../../src/world/time.ts'
import { fromBase64 } from '../../src/lib/base64.ts'
import { isIPv4 } from 'node:net'
import { small } from '../support/scenario.ts'
import { start, type CallOptions } from '../support/start.ts'
import { getCpuTime } from '../support/cpuTime.ts'

/*
 * The time to read an input must grow linearly with its length, not quadratically. Otherwise, a text of half a
 * megabyte takes minutes.
 */

const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '')

/** Repeated texts that are typically hard for patterns and scanners. */
const units = [
  ...String.raw`? & ; = : @ / . , " ' + % \ [ { 1 a A - P1`.split(' '),
  ...String.raw`?a& ?token= &token=aaaaaaaa ;password=a token: a:b@ //a:b@ //a:b/ @a@ :@`.split(' '),
  ...String.raw`%25 %2541 %61 %5Cu0025 %C3 Ã¼ \u005c \\ \" "a": "token": "token":{`.split(' '),
  ...String.raw`1.1.1.1:1: 1.1.1.1,1, 1.1.1. tok_ eyJ eyJ. a/ _a`.split(' '),
  ' ',
  '\t',
  '\0',
  ' a',
  '\na:',
  'basic ',
  'Basic aaaaaaaa ',
  'Bearer  ',
  base64('a:b:cde'),
  `${base64('aa:b:cdef')}.`,
  `${base64('x:y')}/`,
  base64(base64('a:b')),
]

function repeatUnit(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length))
}

/** Milliseconds of work */
async function cost(act: () => unknown): Promise<number> {
  const before = getCpuTime()
  await act()
  return getCpuTime() - before
}

test.each<[string, (text: string) => unknown]>([
  ['credentials', (text) => redactValue({ [text.slice(0, 999)]: [`@${text}@`] })],
  ['base64', fromBase64],
  ['an IPv4 address', isIPv4],
  ['a host name', hostName],
  ['an instant', parseInstant],
  ['a duration', (text) => addDuration(0, `P${text}`)],
])('%s is read in linear time', async (_what, read) => {
  for (const unit of units) {
    const text = repeatUnit(unit, 128 * 1024)
    // the slowest takes a third of this on a busy machine
    expect(await cost(() => [read(text), read(`${text}!`), read(`!${text}`)]), unit).toBeLessThan(3000)
  }
})

test('no header, path, query or text in a body takes longer than others', async () => {
  const { call } = await start({ scenario: small })
  const headers = 'accept authorization content-type origin if-none-match x-note'
  const beginnings: Record<string, string> = { authorization: 'Basic ', 'content-type': 'application/json' }
  const update = (options: CallOptions) => call('PUT', '/api/service/5001', { body: {}, ...options })
  for (const unit of units) {
    // Node's limit for all headers together, minus room for the others
    const text = repeatUnit(unit.replaceAll(/[^\u0020-\u007e]/g, 'x'), 15_000)
    for (const name of headers.split(' ')) {
      const sent = { headers: { [name]: (beginnings[name] ?? '') + text } }
      expect(await cost(() => update(sent)), `${name}: ${unit}`).toBeLessThan(500)
    }
    for (const prefix of ['/api/service/', '/api/clients?', '/__admin/clock?'])
      expect(await cost(() => call('GET', prefix + text.replaceAll(' ', '+'))), prefix + unit).toBeLessThan(
        500,
      )
    for (const name of ['setip', 'password', 'update_list']) {
      const sent = { body: { [name]: repeatUnit(unit, 150_000) } }
      expect(await cost(() => update(sent)), `${name}: ${unit}`).toBeLessThan(1000)
    }
  }
})
