import * as fc from 'fast-check'
import { get } from 'node:http'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { logSerializers } from '../../src/journal/redaction/logSerializers.ts'
import { adminOf, small } from '../support/admin.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { start, type CallOptions, type Started } from '../support/start.ts'

/*
 * Credentials are planted wherever a request has room for them, in every encoding, and all that tells of requests is
 * searched by a reader of its own that decodes whatever can be decoded.
 */

const passwords = { plain: 'Hunter2canary', odd: String.raw`p"w\ü,:;%'+ 1&x=/?@Z` }
const token = 'canary-Token~77'
const wrong = 'Wr0ng-canary!x'

const scenario = {
  ...small,
  accounts: {
    plain: { ...small.accounts.reseller, password: passwords.plain, tokens: [token] },
    odd: { ...small.accounts.reseller, password: passwords.odd, tokens: [] },
  },
}

/** All that is told of requests, in every way. */
async function everything(simulator: Started): Promise<string> {
  const admin = adminOf(() => simulator)
  const paths = ['/requests', '/requests.har', '/findings', '/coverage', '/coverage?format=markdown']
  const parts = await Promise.all(paths.map((path) => admin('GET', path)))
  return parts.map(({ text }) => text).join('\n')
}

/** What the event stream says from now on. */
async function follow({ port }: Started): Promise<() => string> {
  let text = ''
  const request = get({ host: '127.0.0.1', port, path: '/__admin/events' }, (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    response.on('error', () => {})
  })
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  await new Promise((resolve) => request.on('response', resolve))
  return () => text
}

/** The texts that a curious reader gets out of a text: what it says, and what it says once it is decoded. */
function readings(text: string): string[] {
  const found = [text]
  for (let depth = 0; depth < 3; depth++) found.push(unescape(found.at(-1) as string))
  for (const one of found.slice()) found.push(percentDecoded(one), percentDecoded(percentDecoded(one)))
  for (const one of new Set(found.slice()))
    for (const [run] of one.matchAll(/[\w+/-]{6,}/g))
      for (let at = 0; at < 4; at++) {
        const bytes = Buffer.from(run.slice(at), 'base64')
        found.push(bytes.toString('utf8'), bytes.toString('latin1'))
      }
  return [found.join('\n'), found.join('\n').replaceAll('+', ' ')]
}

function unescape(text: string): string {
  return text.replaceAll(/\\(u[0-9a-f]{4}|.)/gi, (_whole, escape: string) =>
    escape.length > 1 ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : escape,
  )
}

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

function expectNone(text: string, secrets: readonly string[]): void {
  for (const reading of readings(text))
    for (const secret of secrets)
      for (const form of [secret, secret.replaceAll('+', ' ')]) {
        const at = reading.indexOf(form)
        expect(at < 0 ? '' : reading.slice(Math.max(0, at - 300), at + 100)).toBe('')
      }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const inHex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Ways to write a credential. What they give can stand in a header and in a URL. */
const encodings: Record<string, (secret: string) => string> = {
  'percent-encoded': encodeURIComponent,
  'percent-encoded in small letters': inHex,
  'percent-encoded in capitals': (secret) => inHex(secret).toUpperCase(),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'as a form does': (secret) => encodeURIComponent(secret).replaceAll('%20', '+'),
  base64: (secret) => encodeURIComponent(base64(secret)),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 of login and password': (secret) => base64(`plain:${secret}`).replaceAll('=', ''),
  'base64 in the midst of more': (secret) => base64(`x=1;${secret};y`).replaceAll('=', ''),
  'escapes of JSON': (secret) =>
    encodeURIComponent(
      secret
        .split('')
        .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    ),
  'a string of JSON': (secret) => encodeURIComponent(JSON.stringify(secret)),
}

interface Planted {
  path?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Places of a request that are searched whoever sends it. */
const places: Record<string, (written: string) => Planted> = {
  'a parameter': (written) => ({ path: `?q=${written}` }),
  'a parameter named password': (written) => ({ path: `?a=1&password=${written}&b=2` }),
  'a parameter whose name is encoded': (written) => ({ path: `?p%61ss=${written}` }),
  'a parameter named pwd': (written) => ({ path: `?pwd=${written}` }),
  'a part of the path': (written) => ({ path: `/${written}` }),
  'a parameter of the path': (written) => ({ path: `/x;password=${written};v=1` }),
  'userinfo in the path': (written) => ({ path: `//bob:${written}@host` }),
  'the Referer': (written) => ({ headers: { referer: `http://host/x?token=${written}` } }),
  'userinfo in the Referer': (written) => ({ headers: { referer: `http://bob:${written}@host/x` } }),
  'a header': (written) => ({ headers: { 'x-note': `it is ${written}` } }),
  'a header named X-Api-Key': (written) => ({ headers: { 'x-api-key': written } }),
  'a header named X-User-Pass': (written) => ({ headers: { 'x-user-pass': written } }),
  'a bearer in a header': (written) => ({ headers: { 'x-forwarded-authorization': `Bearer ${written}` } }),
  'a cookie': (written) => ({ headers: { cookie: `theme=dark; sid=${written}` } }),
  'a field of the body': (written) => ({ body: { clientid: 11, note: written } }),
  'a field named pass': (written) => ({ body: { clientid: 11, pass: written } }),
  'deep in the body': (written) => ({ body: { a: [{ credentials: { any: [written] } }] } }),
  'a name in the body': (written) => ({ body: { [`x${written}`]: 1 } }),
}

/** Those that tell neither by a name nor by a form that what they hold is a credential. */
const silent = ['a parameter', 'a part of the path', 'a header', 'a field of the body', 'a name in the body']

/** As whom a request is sent, and what must not be seen then. */
const senders: Record<string, { authorization: string | undefined; secret: string }> = {
  'a password': { authorization: `plain:${passwords.plain}`, secret: passwords.plain },
  'a password of all characters': { authorization: `odd:${passwords.odd}`, secret: passwords.odd },
  'a token': { authorization: `plain:${token}`, secret: token },
  'a wrong password': { authorization: `plain:${wrong}`, secret: wrong },
  'a wrong login': { authorization: `stranger:${passwords.odd}`, secret: passwords.odd },
  nothing: { authorization: undefined, secret: passwords.plain },
}

const { operations } = await loadContract()
const paths = [
  ...operations.map(({ method, path }): [string, string] => [method, path.replaceAll(/\{\w+\}/g, '5001')]),
  ['GET', '/api/unknown'] as [string, string],
  ['DELETE', '/api/clients'] as [string, string],
]

function options({ headers, body }: Planted, authorization: string | undefined): CallOptions {
  return {
    login: null,
    headers: {
      ...headers,
      ...(authorization !== undefined && { authorization: `Basic ${base64(authorization)}` }),
    },
    ...(body !== undefined && { body }),
  }
}

describe('no credential appears in journal, archive, findings, coverage and events', () => {
  test.each(Object.keys(senders))('sent with %s: every place in every encoding', async (name) => {
    const { authorization, secret } = senders[name] as (typeof senders)[string]
    const simulator = await start({ scenario })
    const told = await follow(simulator)
    for (const place of Object.values(places))
      for (const encode of Object.values(encodings)) {
        const planted = place(encode(secret))
        const method = planted.body === undefined ? 'GET' : 'POST'
        const path = planted.body === undefined ? '/api/clients' : '/api/product/101'
        await simulator.call(method, `${path}${planted.path ?? ''}`, options(planted, authorization))
      }
    const text = (await everything(simulator)) + told()
    expect(text).toContain('[redacted]')
    expectNone(text, [secret])
  })

  test.each([
    ['whatever its place, if nobody is known to have sent it', undefined, Object.values(places)],
    [
      'by the name or the form of its place',
      `plain:${passwords.plain}`,
      Object.keys(places)
        .filter((name) => !silent.includes(name))
        .map((name) => places[name]),
    ],
  ])('an unknown credential: %s', async (_what, authorization, where) => {
    const simulator = await start({ scenario })
    const told = await follow(simulator)
    for (const place of where)
      for (const encode of Object.values(encodings)) {
        const planted = (place as (typeof places)[string])(encode('Unkn0wn-canary'))
        const method = planted.body === undefined ? 'GET' : 'POST'
        for (const path of ['/api/product/101', '/api'])
          await simulator.call(method, `${path}${planted.path ?? ''}`, options(planted, authorization))
      }
    const text = (await everything(simulator)) + told()
    expect(text).toContain('[redacted]')
    expectNone(text, ['Unkn0wn-canary'])
  })

  test('an unknown credential: named once in a request, it is redacted in all of it', async () => {
    const simulator = await start({ scenario })
    const told = await follow(simulator)
    const secret = 'Unkn0wn-canary'
    const named = ['a cookie', 'userinfo in the Referer', 'a bearer in a header']
    for (const name of named)
      for (const other of silent)
        for (const encode of [(text: string) => text, ...Object.values(encodings)]) {
          const [telling, quiet] = [places[name]?.(secret), places[other]?.(encode(secret))]
          const planted = { ...quiet, headers: { ...quiet?.headers, ...telling?.headers } }
          const method = planted.body === undefined ? 'GET' : 'POST'
          const sent = options(planted, `plain:${passwords.plain}`)
          await simulator.call(method, `/api/product/101${planted.path ?? ''}`, sent)
        }
    const text = (await everything(simulator)) + told()
    expect(text).toContain('[redacted]')
    expectNone(text, [secret])
  })

  test('at random: all operations, places, encodings and senders', async () => {
    const simulator = await start({ scenario, mayViolate: true })
    const told = await follow(simulator)
    const request = fc.record({
      target: fc.constantFrom(...paths),
      sender: fc.constantFrom(...Object.values(senders)),
      planted: fc.array(
        fc.tuple(
          fc.constantFrom(...Object.values(places)),
          fc.array(fc.constantFrom(...Object.values(encodings)), { minLength: 1, maxLength: 2 }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 5 }), async (requests) => {
        await adminOf(() => simulator)('DELETE', '/requests')
        const from = told().length
        for (const { target, sender, planted } of requests) {
          const [method, path] = target
          const parts = planted.map(([place, encode]) =>
            place(encode.reduce((text, one) => one(text), sender.secret)),
          )
          const whole: Planted = {
            path: parts.map((part) => part.path ?? '').join(''),
            headers: Object.assign({}, ...parts.map(({ headers }) => headers ?? {})) as Record<
              string,
              string
            >,
            ...(method !== 'GET' && {
              body: Object.assign({}, ...parts.map(({ body }) => body ?? {})) as object,
            }),
          }
          await simulator.call(method, path + whole.path, options(whole, sender.authorization))
        }
        const secrets = requests.map(({ sender }) => sender.secret)
        const text = (await everything(simulator)) + told().slice(from)
        expect(text).toContain('/api/')
        expectNone(text, secrets)
      }),
      { numRuns: Number(process.env['PROXYSIM_RUNS'] ?? 60) },
    )
  })

  test('requests to the control plane', async () => {
    const simulator = await start({ scenario, mayViolate: true })
    const admin = adminOf(() => simulator)
    const told = await follow(simulator)
    await admin('PATCH', '/accounts/plain', {
      password: wrong,
      services: { 5001: { password: 'canary-of-5001' } },
    })
    await admin('PATCH', '/accounts/plain', { tokens: ['canary-patched'] })
    const { json } = await admin<{ token: string }>('POST', '/accounts/plain/tokens')
    await admin('POST', '/faults?account=plain', {
      operation: 'getCredit',
      respond: {
        status: 503,
        body: { access_token: 'canary-in-body', note: `of ${wrong}`, login: base64('bob:canary-in-base64') },
        headers: { 'x-auth-token': 'canary-in-header', location: 'http://bob:canary-userinfo@host/' },
      },
    })
    await admin('POST', '/faults?account=plain', {
      operation: 'getStats',
      respond: { status: 502, body: 'pwd=canary-in-text' },
    })
    const answers = [
      await simulator.call('GET', '/api/billing/credit', { login: 'plain' }),
      await simulator.call('GET', '/api/stats/5002', { login: 'plain' }),
    ]
    expect(answers.map(({ status }) => status)).not.toContain(404)
    const text = (await everything(simulator)) + told()
    expect(told()).toContain('event: change')
    expectNone(text, [
      wrong,
      json.token,
      'canary-of-5001',
      'canary-patched',
      'canary-in-body',
      'canary-in-base64',
      'canary-in-header',
      'canary-userinfo',
      'canary-in-text',
    ])
  })
})

test('no credential appears in the log', () => {
  const lines: string[] = []
  const log = pino(
    { serializers: logSerializers(() => [passwords.odd, [token]]) },
    { write: (line: string) => void lines.push(line) },
  )
  for (const encode of Object.values(encodings))
    for (const secret of [passwords.odd, token])
      log.error(
        {
          path: `/api/x/${encode(secret)}?password=${encode(wrong)}`,
          violations: [`q must not be ${encode(secret)}`],
          err: new Error(`failed at http://bob:${encode(wrong)}@host/${encode(secret)}`),
        },
        'a request failed',
      )
  expect(lines.join('')).toContain('[redacted]')
  expectNone(lines.join(''), [passwords.odd, token, wrong])
})
