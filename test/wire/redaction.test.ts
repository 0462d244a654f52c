import { get } from 'node:http'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { logSerializers } from '../../src/logging.ts'
import { small } from '../support/scenario.ts'
import { basic, start, type CallOptions, type TestSimulator } from '../support/start.ts'

/* Tests put credentials into fields with telling names, and search the outputs about requests for them. */

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Follows the event stream. @returns a function that returns its text so far */
async function followEvents({ port }: TestSimulator): Promise<() => string> {
  let text = ''
  const request = get({ host: '127.0.0.1', port, path: '/__admin/events' }, (response) => {
    response.on('data', (chunk: Buffer) => (text += chunk.toString()))
    response.on('error', () => {})
  })
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  await new Promise((resolve) => request.on('response', resolve))
  return () => text
}

/** Returns all outputs about requests, once the event stream has sent all requests. */
async function readEverything(
  simulator: TestSimulator,
  readEvents: () => string,
  requests: number,
): Promise<string> {
  const { admin } = simulator
  // Concurrent events are sent together, so the last may not have arrived yet.
  await expect.poll(() => readEvents().match(/event: request/g) ?? []).toHaveLength(requests)
  const paths = ['/requests', '/requests.har', '/findings', '/coverage', '/coverage?format=markdown']
  const parts = await Promise.all(paths.map((path) => admin('GET', path)))
  return [readEvents(), ...parts.map(({ text }) => text)].join('\n')
}

/** Checks that a text contains no secret, neither as plain text nor as base64. */
function expectNone(text: string, secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const form of [secret, base64(secret).replaceAll('=', '')]) {
      const at = text.indexOf(form)
      expect(at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 100), form).toBe('')
    }
}

test('no credential with a telling name is in journal, archive, events, findings or coverage', async () => {
  const simulator = await start({ scenario: small })
  const readEvents = await followEvents(simulator)
  const headers = {
    authorization: basic('reseller:hunter2'),
    'proxy-authorization': 'Basic hunter2-a',
    cookie: 'sid=hunter2-b',
    'x-auth-token': 'hunter2-c',
    'x-api-key': 'hunter2-p',
    referer: 'http://bob:hunter2-d@host/?secret=hunter2',
  }
  const body = {
    clientid: 11,
    a: { apiKey: 'hunter2-h' },
    jwt: { deep: ['hunter2-q'] },
    all: [{ dbPass: 'hunter2-r' }],
  }
  const planted: [method: string, path: string, options?: CallOptions][] = [
    ['GET', '/api/clients?q=a&password=hunter2-e', { headers }],
    ['GET', '/api/clients', { headers: { authorization: 'Bearer hunter2-o' } }],
    ['GET', '/api//bob:hunter2-f@host;token=hunter2-g'],
    ['POST', '/api/product/101', { body }],
    ['POST', '/api/product/101', { raw: 'password=hunter2-i&clientid=11' }],
  ]
  for (const raw of [
    '{"password":"hunter2 j"}',
    '[{"token":"hunter2-k"}]',
    '{"password":"hunter2-l"',
    '{"password":{"success":"hunter2-m","list":["hunter2-n"]}}',
    JSON.stringify({ password: base64('hunter2!') }),
  ])
    planted.push(['PUT', '/api/service/5001', { raw }])
  planted.push(['GET', '/api/iplist/http-auth/json/5002'], ['GET', '/api/service/5001'])
  for (const [method, path, options] of planted)
    expect((await simulator.call(method, path, options)).status).toBeLessThan(500)
  const text = await readEverything(simulator, readEvents, planted.length)
  expect(text).toContain('[redacted]')
  expectNone(text, ['hunter2', 'pw-of-5002'])
})

const long = `{"setip":"${'x '.repeat(20_000)}",}`
const longSecret = `{"password":"${'x'.repeat(40_000)}",}`
const hidden = (length: number) => `[${length} characters that name a secret and are not valid JSON]`

test.each<[raw: string | Buffer, kept: string, reason: string]>([
  [long, `${long.slice(0, 32 * 1024)}… [the beginning of ${long.length} characters]`, 'position 40012'],
  [longSecret, `${hidden(32 * 1024)}… [the beginning of ${longSecret.length} characters]`, 'position 40015'],
  [
    '{"clientid":11,}',
    '{"clientid":11,}',
    'the body is not valid JSON: unexpected "}" at position 15 (line 1, column 16)',
  ],
  ['{"password":"hunter2",}', hidden(23), 'position 22'],
  ['\ufeff{}', '\ufeff{}', 'unexpected "?" at position 0 (line 1, column 1)'],
  [
    Buffer.from('{"setip":"é",}', 'latin1'),
    '{"setip":"\ufffd",}',
    'not UTF-8 text: invalid at position 10 (line 1',
  ],
  [Buffer.from('\ufeff{}', 'utf16le'), '\ufffd\ufffd{\0}\0', 'not UTF-8 text: invalid at position 0 (line 1'],
])('the journal and the archive have a body that does not parse: %.40j', async (raw, kept, reason) => {
  const { call, admin } = await start({ scenario: small })
  const { headers } = await call('PUT', '/api/service/5001', { raw })
  const { json } = await admin<{ requests: { request: object; reason: string }[] }>('GET', '/requests')
  expect(json.requests).toMatchObject([{ request: { body: kept } }])
  const { text } = await admin('GET', '/requests.har')
  expect(text).toContain(`"text":${JSON.stringify(kept)}`)
  expect(headers['sim-reason']).toContain(reason)
})

test('values are not searched for: a password that is also part of a path stays readable there', async () => {
  const reseller = { ...small.accounts.reseller, password: 'services', tokens: ['5001'] }
  const { call, admin } = await start({ scenario: { ...small, accounts: { reseller } } })
  await call('GET', '/api/service/5001')
  const { json } = await admin<{ requests: object[] }>('GET', '/requests')
  expect(json.requests).toMatchObject([
    { path: '/api/service/5001', request: { headers: { authorization: '[redacted]' } } },
  ])
})

test('no credential set by the control plane or returned by a fault is in these outputs', async () => {
  const simulator = await start({ scenario: small })
  const { admin } = simulator
  const readEvents = await followEvents(simulator)
  const { json: made } = await admin<{ token: string }>('POST', '/accounts/reseller/tokens')
  await admin('PATCH', '/accounts/reseller', {
    password: 'hunter2-a',
    services: { 5001: { password: 'hunter2-b' } },
  })
  const { json: other } = await admin<{ token: string; authorization: string }>('POST', '/accounts', {
    login: 'new',
  })
  await admin('POST', '/faults?account=reseller', {
    operation: 'getCredit',
    respond: {
      status: 503,
      body: { access_token: 'hunter2-c' },
      headers: {
        'x-auth-token': 'hunter2-d',
        'set-cookie': 'hunter2-g',
        location: 'http://bob:hunter2-e@host/',
      },
    },
  })
  await admin('POST', '/faults?account=reseller', {
    operation: 'getStats',
    respond: { status: 502, body: 'pwd=hunter2-f' },
  })
  await simulator.call('GET', '/api/clients', { headers: { authorization: other.authorization } })
  await simulator.call('GET', '/api/clients', {
    login: `reseller:${made.token}`,
  })
  await simulator.call('GET', '/api/billing/credit')
  await simulator.call('GET', '/api/stats/5002')
  await expect.poll(readEvents).toContain('event: change')
  const secrets = [made.token, other.token, other.authorization, 'hunter2']
  expectNone(await readEverything(simulator, readEvents, 4), secrets)
})

test('no credential is in the log', () => {
  const lines: string[] = []
  const log = pino({ serializers: logSerializers }, { write: (line: string) => void lines.push(line) })
  const violations = ['no parameter ?token=hunter2']
  const err = new Error('at //bob:hunter2@h/')
  log.error({ path: '/api/clients?pwd=hunter2', violations, err }, 'a request failed')
  expect(lines.join('')).toContain('[redacted]')
  expectNone(lines.join(''), ['hunter2'])
})
