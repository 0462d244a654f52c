import { get } from 'node:http'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { logSerializers } from '../../src/logging.ts'
import { small } from '../support/scenario.ts'
import { basic, nextEvent, start, type CallOptions, type Started } from '../support/start.ts'

/* Credentials are planted wherever a request has room for them, and all that tells of requests is searched for them. */

const odd = String.raw`p"w\ü,:;%'1`
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const lists = ['http-auth', 'ppr-http'].flatMap((type) =>
  ['csv', 'txt', 'json'].map((format) => `iplist/${type}/${format}`),
)

const scenario = {
  ...small,
  accounts: {
    reseller: {
      ...small.accounts.reseller,
      services: {
        5001: { ...small.accounts.reseller.services[5001], password: odd },
        5002: small.accounts.reseller.services[5002],
      },
    },
  },
}

/** The event stream from now on. */
async function follow({ port }: Started): Promise<() => string> {
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

/** All that is told of requests, in every way, once the stream has told of all of them. */
async function everything(simulator: Started, told: () => string, requests: number): Promise<string> {
  const { admin } = simulator
  // events that come together are written together, so the last may still be on its way
  await expect.poll(() => told().match(/event: request/g) ?? []).toHaveLength(requests)
  const paths = ['/requests', '/requests.har', '/findings', '/coverage', '/coverage?format=markdown']
  const parts = await Promise.all(paths.map((path) => admin('GET', path)))
  return [told(), ...parts.map(({ text }) => text)].join('\n')
}

/** Neither as they stand, in JSON, in JSON within JSON and in CSV, nor in base64. */
function expectNone(text: string, secrets: readonly string[]): void {
  const quoted = (one: string): string => JSON.stringify(one).slice(1, -1)
  for (const secret of secrets)
    for (const form of [secret, secret.replaceAll('"', '""'), base64(secret).replaceAll('=', '')])
      for (const one of [form, quoted(form), quoted(quoted(form))]) {
        const at = text.indexOf(one)
        expect(at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 100), one).toBe('')
      }
}

test('no credential is in journal, archive, events, findings and coverage, wherever it was sent', async () => {
  const simulator = await start({ scenario })
  const told = await follow(simulator)
  const planted: [method: string, path: string, options?: CallOptions][] = []
  for (const secret of ['correct horse', 'tok_first', 'pw-of-5002']) {
    const url = encodeURIComponent(secret)
    const headers = {
      ...(secret !== 'pw-of-5002' && { authorization: basic(`reseller:${secret}`) }),
      'proxy-authorization': 'Basic hunter2-a',
      cookie: 'sid=hunter2-b',
      'x-auth-token': 'hunter2-c',
      'x-api-key': 'hunter2-p',
      referer: `http://bob:hunter2-d@host/?a=${url}`,
      'x-copy': `of ${secret}, ${base64(secret)} and ${base64(`x:${secret}:y`)}`,
    }
    const named = { a: { apiKey: 'hunter2-h' }, jwt: { deep: ['hunter2-q'] }, all: [{ dbPass: 'hunter2-r' }] }
    const body = { clientid: 11, note: [`is ${secret}`], [secret]: 1, ...named }
    const query = `q=${url}&password=hunter2-e&b=${encodeURIComponent(base64(secret))}`
    planted.push(
      ['GET', `/api/clients?${query}`, { headers }],
      ['GET', `/api/clients?${query}`, { headers: { ...headers, authorization: basic('reseller:wrong') } }],
      ['GET', `/api/sticky/rotate/5002/us1/${url}`],
      ['GET', `/api/nothing/${url}`],
      ['GET', '/api//bob:hunter2-f@host;token=hunter2-g'],
      ['POST', '/api/product/101', { body }],
      ['POST', '/api/product/101', { raw: 'password=hunter2-i&clientid=11' }],
      ['POST', '/api/product/101', { body: { filler: 'x'.repeat(40_000), note: secret } }],
    )
  }
  for (const id of [5001, 5002])
    for (const of of ['service', ...lists]) planted.push(['GET', `/api/${of}/${id}`])
  for (const raw of [
    '{"password":"hunter2 j"}',
    '"hunter2-k"',
    '{"password":"hunter2-l"',
    '{"password":{"success":"hunter2-m","list":["hunter2-n"]}}',
    JSON.stringify({ password: base64('new hunter2!') }),
  ])
    planted.push(['PUT', '/api/service/5001', { raw }])
  planted.push(['GET', '/api/iplist/http-auth/csv/5001'])
  planted.push(['GET', '/api/clients', { headers: { authorization: 'Bearer hunter2-o' } }])
  for (const [method, path, options] of planted)
    expect((await simulator.call(method, path, options)).status).toBeLessThan(500)
  const text = await everything(simulator, told, planted.length)
  expect(text).toContain('[redacted]')
  expectNone(text, ['correct horse', 'tok_first', odd, 'pw-of-5002', 'hunter2'])
})

test('nor values set by the control plane, nor responses of faults', async () => {
  const simulator = await start({ scenario })
  const { admin } = simulator
  const told = await follow(simulator)
  const { json: made } = await admin<{ token: string }>('POST', '/accounts/reseller/tokens')
  await admin('PATCH', '/accounts/reseller', {
    password: 'hunter2-a',
    services: { 5001: { password: 'hunter2-b', username: 'tok_first' } },
  })
  const { json: other } = await admin<{ token: string; authorization: string }>('POST', '/accounts', {
    login: 'new',
  })
  await admin('POST', '/faults?account=reseller', {
    operation: 'getCredit',
    respond: {
      status: 503,
      body: { access_token: 'hunter2-c', note: 'of hunter2-a' },
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
  await simulator.call('GET', `/api/clients?${other.token}`, { login: 'nobody' })
  await expect.poll(told).toContain('event: change')
  const secrets = [made.token, other.token, other.authorization, 'tok_first', 'hunter2']
  expectNone(await everything(simulator, told, 5), secrets)
})

test('nor values of the world at the time of the request', async () => {
  const simulator = await start({ scenario })
  const { admin } = simulator
  const told = await follow(simulator)
  await admin('POST', '/faults', { operation: 'getIpList', phase: 'after', delay: 50 })
  const triggered = nextEvent(simulator, 'change')
  const answered = simulator.call('GET', '/api/iplist/http-auth/json/5001')
  await triggered
  await admin('PATCH', '/accounts/reseller', { services: { 5001: { password: 'another' } } })
  expect((await answered).text).toContain(JSON.stringify(odd).slice(1, -1))
  expectNone(await everything(simulator, told, 1), [odd])
})

test('nor in the log', () => {
  const lines: string[] = []
  const log = pino(
    { serializers: logSerializers(() => [odd, ['tok_first']]) },
    { write: (line: string) => void lines.push(line) },
  )
  for (const secret of [odd, 'tok_first'])
    log.error(
      {
        path: `/api/${encodeURIComponent(secret)}?pwd=hunter2`,
        violations: [`is ${secret}`],
        err: new Error(`at //bob:hunter2@h/${secret}`),
      },
      'a request failed',
    )
  expect(lines.join('')).toContain('[redacted]')
  expectNone(lines.join(''), [odd, 'tok_first', 'hunter2'])
})

test('the rest stays readable: the words of reasons and of the contract are not taken for passwords', async () => {
  const account = { ...small.accounts.reseller, password: 'password', tokens: ['token', 'e'] }
  const simulator = await start({ scenario: { ...small, accounts: { reseller: account } } })
  await simulator.call('GET', '/api/clients', { login: 'reseller:secret' })
  await simulator.call('PUT', '/api/service/5001', {
    body: { password: base64('hunter2'), update_list: 'true', token: null },
  })
  await simulator.call('GET', '/api/iplist/http-auth/txt/5001')
  const { json } = await simulator.admin<{ requests: { response: { body: unknown } }[] }>('GET', '/requests')
  const [list, update, wrong] = json.requests
  expect(wrong).toMatchObject({
    reason: 'wrong password or token for this login',
    response: { body: 'Unauthenticated' },
  })
  expect(update).toMatchObject({
    path: '/api/service/5001',
    request: { body: { password: '[redacted]', update_list: 'true', token: null } },
    response: { body: { password: { success: 'Password updated successfully' } } },
    change: { services: { 5001: { password: '[redacted]', list_version: 1 } } },
  })
  expect(list?.response.body).toMatch(/^(?:\d+\.\d+\.\d+\.\d+:8080:u5001:\[redacted\]\n){2}$/)
})

test('a parameter is redacted by its name, even if the password is a part of the name', async () => {
  const reseller = { ...small.accounts.reseller, password: 'secret' }
  const { call, admin } = await start({ scenario: { ...small, accounts: { reseller } } })
  for (const name of ['secret', 'client_secret']) await call('GET', `/api/clients?${name}=TOPS`)
  const { text } = await admin('GET', '/requests')
  expect(text).toContain('=[redacted]')
  expect(text).not.toContain('TOPS')
})
