import { expect, test } from 'vitest'
import { hostName } from '../../src/http/guards.ts'
import { Redactor } from '../../src/journal/redaction/Redactor.ts'
import { addDuration, parseInstant } from '../../src/world/time.ts'
import { fromBase64 } from '../../src/world/base64.ts'
import { isIpv4 } from '../../src/world/addresses.ts'
import { small } from '../support/admin.ts'
import { start, type CallOptions } from '../support/start.ts'
import { effort } from '../support/effort.ts'

/*
 * What reads input takes a time that grows with its length and not with its square. Where that fails, a text of half a
 * megabyte takes minutes.
 */

const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '')

/** What patterns and scanners stumble over, repeated. */
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

function textOf(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length))
}

/** Milliseconds of work */
function cost(act: () => unknown): number {
  const before = effort()
  act()
  return effort() - before
}

const long = 512 * 1024
/** Milliseconds; the slowest takes a third on a busy machine. */
const bound = 3000

test.each(units)('credentials are redacted in linear time: %j', (unit) => {
  const text = textOf(unit, long)
  const redactor = new Redactor(['correct horse', 'aaaaaaaaaaaaaaaab', ['tok_first', 'e']])
  expect(cost(() => redactor.text(text))).toBeLessThan(bound)
  expect(cost(() => redactor.value({ [text.slice(0, 999)]: [`@${text}@`, text] }))).toBeLessThan(bound)
})

test.each<[string, (text: string) => unknown]>([
  ['base64', fromBase64],
  ['an IPv4 address', isIpv4],
  ['a host name', hostName],
  ['an instant', parseInstant],
  ['a duration', (text) => addDuration(0, `P${text}`)],
])('%s is parsed in linear time', (_what, read) => {
  for (const unit of units) {
    const text = textOf(unit, 2 * long)
    expect(
      cost(() => [read(text), read(`${text}!`), read(`!${text}`)]),
      JSON.stringify(unit),
    ).toBeLessThan(bound)
  }
})

test('no header, path, query or text in a body takes longer than others', async () => {
  const { call } = await start({ scenario: small })
  const length = 15_000 // what Node takes for all headers together, with room for the others
  const headers = 'accept authorization content-type cookie origin referer if-none-match forwarded x-note'
  const beginnings: Record<string, string> = { authorization: 'Basic ', 'content-type': 'application/json' }
  const worst = async (what: string, ask: () => Promise<unknown>, most = 500): Promise<void> => {
    const before = effort()
    await ask()
    expect(effort() - before, what).toBeLessThan(most)
  }
  const update = (options: CallOptions) => call('PUT', '/api/service/5001', { body: {}, ...options })
  for (const unit of units) {
    const text = textOf(unit.replaceAll(/[^\u0020-\u007e]/g, 'x'), length)
    for (const name of headers.split(' '))
      await worst(`${name}: ${unit}`, () => update({ headers: { [name]: (beginnings[name] ?? '') + text } }))
    for (const prefix of ['/api/', '/api/service/', '/api/clients?', '/__admin/', '/__admin/clock?'])
      await worst(prefix + unit, () => call('GET', prefix + text.replaceAll(' ', '+')))
    for (const name of ['setip', 'password', 'update_list'])
      await worst(`${name}: ${unit}`, () => update({ body: { [name]: textOf(unit, 150_000) } }), 1000)
  }
})
