import { get } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import { Redactor } from '../../src/journal/redaction/Redactor.ts'
import { adminOf, small } from '../support/admin.ts'
import { start, type CallOptions, type Started } from '../support/start.ts'

const odd = 'p"w\\ü,:;%\'1'

const scenario = {
  ...small,
  accounts: {
    reseller: {
      ...small.accounts.reseller,
      services: {
        5001: { ...small.accounts.reseller.services[5001], password: odd, username: 'user-of-5001' },
        5002: small.accounts.reseller.services[5002],
      },
    },
  },
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** All that is told of requests, in every way. */
async function everything(simulator: Started): Promise<string> {
  const admin = adminOf(() => simulator)
  const parts = await Promise.all(
    ['/requests', '/requests.har', '/findings', '/coverage'].map((path) => admin('GET', path)),
  )
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

/** However a secret is written, it is not there. */
function expectNone(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      base64(secret),
      secret.replaceAll('"', '""'),
    ]
    const twice = forms.map((form) => JSON.stringify(form).slice(1, -1))
    for (const form of [...forms, ...twice])
      expect(text.includes(form), `${form} in ${text.slice(0, 3000)}`).toBe(false)
  }
}

type Asked = [method: string, path: string, options?: CallOptions]

const shows: [name: string, requests: Asked[], secrets: string[]][] = [
  [
    'the Authorization header',
    [
      ['GET', '/api/clients'],
      ['GET', '/api/clients', { headers: { authorization: `Basic ${base64('reseller:tok_first')}` } }],
      ['GET', '/api/clients', { headers: { authorization: 'Bearer wrong-hunter2' } }],
      ['GET', '/api/clients', { headers: { authorization: `basic ${base64('reseller:wrong-hunter2')}` } }],
    ],
    ['correct horse', 'tok_first', 'wrong-hunter2', 'reseller:correct horse', 'reseller:tok_first'],
  ],
  [
    'other headers that carry credentials',
    [
      [
        'GET',
        '/api/clients',
        {
          headers: {
            cookie: 'sid=hunter2-a',
            'x-api-key': 'hunter2-b',
            'x-auth-token': 'hunter2-c',
            'proxy-authorization': 'Basic hunter2-d',
            'x-copy': 'of correct horse',
          },
        },
      ],
    ],
    ['hunter2-a', 'hunter2-b', 'hunter2-c', 'hunter2-d', 'correct horse'],
  ],
  [
    'a shown password',
    [
      ['GET', '/api/service/5001'],
      ['GET', '/api/service/5002'],
    ],
    [odd, 'pw-of-5002'],
  ],
  [
    'IP lists in every type and format',
    ['http-auth', 'ppr-http', 'ppr-socks'].flatMap((type) =>
      ['csv', 'txt', 'json'].map(
        (format): Asked => ['GET', `/api/iplist/${type}/${format}/${type === 'http-auth' ? 5001 : 5002}`],
      ),
    ),
    [odd, 'pw-of-5002'],
  ],
  [
    'a posted password',
    [
      ['PUT', '/api/service/5001', { body: { password: base64('new hunter2!') } }],
      ['GET', '/api/service/5001'],
    ],
    ['new hunter2!'],
  ],
  [
    'a posted password that is no base64',
    [['PUT', '/api/service/5001', { body: { password: 'plain hunter2' } }]],
    ['plain hunter2'],
  ],
  [
    'a password that is no text',
    [
      ['PUT', '/api/service/5001', { body: { password: { success: 'hunter2', other: 'hunter2' } } }],
      ['PUT', '/api/service/5001', { body: { password: { success: 'hunter2' } } }],
      ['PUT', '/api/service/5001', { body: { password: ['hunter2', 20_771] } }],
    ],
    ['hunter2', '20771'],
  ],
  [
    'names that are escaped',
    [['PUT', '/api/service/5001', { raw: String.raw`{"pass\u0077ord":"\u0068unter2-x"}` }]],
    ['hunter2-x', String.raw`\u0068unter2-x`],
  ],
  [
    'names that repeat: the first value is searched for too',
    [['PUT', '/api/service/5001?q=hunter2-x', { raw: '{"password":"hunter2-x","password":"b"}' }]],
    ['hunter2-x'],
  ],
  [
    'nested values of JSON that is broken or long',
    [
      ['PUT', '/api/service/5001', { raw: '{"cookie":{"a":["hunter2-x"]}' }],
      ['PUT', '/api/service/5001?q=hunter2-x', { raw: '{"password":{"a":"hunter2-x"}' }],
      ['PUT', '/api/service/5001', { body: { jwt: { a: 'hunter2-x' }, filler: 'x'.repeat(40_000) } }],
    ],
    ['hunter2-x'],
  ],
  [
    'broken JSON',
    [
      ['PUT', '/api/service/5001', { raw: '{"password":"hunter2-x"' }],
      ['PUT', '/api/service/5001', { raw: String.raw`{"pass\u0077ord":"hunter2-x"` }],
      [
        'POST',
        '/api/product/101',
        {
          raw: 'password=hunter2-x&clientid=11',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ],
      ['PUT', '/api/service/5001', { raw: Buffer.from('{"password":"hunter2-x"}', 'utf16le') }],
    ],
    ['hunter2-x', 'hunter2-x'.split('').join('\u0000')],
  ],
  [
    'long bodies',
    [
      ['PUT', '/api/service/5001', { body: { filler: 'x'.repeat(40_000), password: 'hunter2-x' } }],
      ['PUT', '/api/service/5001', { body: { password: `hunter2-x${'y'.repeat(40_000)}`, setip: 'x' } }],
      ['PUT', '/api/service/5001', { raw: `{"password":"hunter2-x","filler":"${'x'.repeat(40_000)}` }],
      ['POST', '/api/product/101', { body: { filler: `${'x'.repeat(32_740)}correct horse`, clientid: 11 } }],
    ],
    ['hunter2-x', 'correct horse', 'correct h'],
  ],
  [
    'secrets in other places of a body',
    [
      [
        'POST',
        '/api/product/101',
        {
          body: {
            clientid: 11,
            note: 'my password is correct horse',
            nested: [{ api_key: 'hunter2-x', Token: 'hunter2-y', authorization: ['hunter2-z'] }],
          },
        },
      ],
    ],
    ['correct horse', 'hunter2-x', 'hunter2-y', 'hunter2-z'],
  ],
  [
    'the path and the query',
    [
      ['GET', `/api/sticky/rotate/5002/us1/${encodeURIComponent('correct horse')}`],
      ['GET', '/api/clients?password=hunter2-x&a=1&api_key=hunter2-y&access_token=hunter2-z'],
      ['GET', '/api/clients?pass%77ord=hunter2-x'],
      ['GET', '/api/nothing/tok_first'],
    ],
    ['correct horse', 'hunter2-x', 'hunter2-y', 'hunter2-z', 'tok_first'],
  ],
  [
    'half a character',
    [['PUT', '/api/service/5001', { raw: String.raw`{"password":"\ud800hunter2-x"}` }]],
    ['hunter2-x'],
  ],
]

describe('is nowhere in the journal, the archive, the events and the findings:', () => {
  test.each(shows)('%s', async (_name, requests, secrets) => {
    const simulator = await start({ scenario })
    const told = await follow(simulator)
    for (const [method, path, options] of requests) {
      const { status } = await simulator.call(method, path, options)
      expect(status).toBeLessThan(500)
    }
    // events that come together are written together, so the last may still be on its way
    await expect.poll(() => told().match(/event: request/g)).toHaveLength(requests.length)
    const text = (await everything(simulator)) + told()
    expect(text).toContain('[redacted]')
    expectNone(text, secrets)
  })

  test('a generated token, and what the control plane sets', async () => {
    const simulator = await start({ scenario })
    const admin = adminOf(() => simulator)
    const told = await follow(simulator)
    const { json } = await admin<{ token: string }>('POST', '/accounts/reseller/tokens')
    await admin('PATCH', '/accounts/reseller', {
      password: 'hunter2-x',
      services: { 5001: { password: 'hunter2-y' } },
    })
    const created = await admin<{ token: string; authorization: string }>('POST', '/accounts', {
      login: 'new',
    })
    await simulator.call('GET', '/api/clients', { headers: { authorization: created.json.authorization } })
    await simulator.call('GET', '/api/clients', {
      headers: { authorization: `Basic ${base64(`reseller:${json.token}`)}` },
    })
    expect(told()).toContain('event: change')
    expectNone((await everything(simulator)) + told(), [
      json.token,
      created.json.token,
      created.json.authorization,
      'hunter2-x',
      'hunter2-y',
    ])
  })

  test('a list that was sent after its password had changed', async () => {
    const simulator = await start({ scenario })
    const admin = adminOf(() => simulator)
    await admin('POST', '/faults', { operation: 'getIpList', phase: 'after', delay: 50 })
    const struck = new Promise<void>((resolve) => {
      simulator.simulation.store.on(({ type }) => type === 'change' && resolve())
    })
    const answered = simulator.call('GET', '/api/iplist/http-auth/json/5001')
    await struck
    await admin('PATCH', '/accounts/reseller', { services: { 5001: { password: 'another' } } })
    expect((await answered).text).toContain(JSON.stringify(odd).slice(1, -1))
    expectNone(await everything(simulator), [odd])
  })
})

test('the rest stays readable', async () => {
  const simulator = await start({ scenario })
  const admin = adminOf(() => simulator)
  await simulator.call('PUT', '/api/service/5001', {
    body: { password: base64('hunter2'), update_list: 'true' },
  })
  await simulator.call('GET', '/api/iplist/http-auth/txt/5001')
  await simulator.call('GET', '/api/clients', { login: null })
  await simulator.call('GET', '/api/clients', { headers: { authorization: 'x' } })
  const { json } = await admin<{ requests: { request: { body: unknown }; response: { body: unknown } }[] }>(
    'GET',
    '/requests',
  )
  const [malformed, missing, list, update] = json.requests
  expect(update).toMatchObject({
    request: { body: { password: '[redacted]', update_list: 'true' } },
    response: {
      body: {
        password: { success: 'Password updated successfully' },
        update_list: { success: 'IP list updated successfully' },
      },
    },
    change: { services: { 5001: { password: '[redacted]', list_version: 1 } } },
  })
  expect(list?.response.body).toMatch(/^(?:\d+\.\d+\.\d+\.\d+:8080:\[redacted\]\n){2}$/)
  expect(missing?.response.body).toBe('Unauthenticated')
  expect(malformed?.response.body).toBe('Invalid Authorization header')
})

test('a one-letter password does not redact the whole journal', async () => {
  const account = { ...small.accounts.reseller, password: 'e', tokens: [] }
  const simulator = await start({ scenario: { ...small, accounts: { reseller: account } } })
  await simulator.call('GET', '/api/clients')
  const { json } = await adminOf(() => simulator)<{ requests: object[] }>('GET', '/requests')
  expect(json.requests).toMatchObject([
    { path: '/api/clients', response: { body: [{ email: 'ana@example.com' }] } },
  ])
})

test("the contract's own texts and those of an ordinary client stay as they are", async () => {
  const { source } = await loadContract()
  const redactor = new Redactor(['correct horse', ['tok_first']])
  for (const line of source.split('\n')) expect(redactor.text(line, true)).toBe(line)
  const sent = [
    'application/json, text/plain;q=0.9, */*',
    'gzip, deflate, br',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    'http://127.0.0.1:4010/docs?operation=listProducts#try-it',
    '"Chromium";v="130", "Not?A_Brand";v="99"',
    'ana@example.com',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '2026-01-15T12:00:00.000Z',
    '198.18.4.1:8080',
  ]
  for (const text of sent) expect(redactor.text(text)).toBe(text)
})

test.each([
  ['/api//bob:Hunter2@host', '/api//[redacted]@host'],
  ['/api/x;password=Hunter2', '/api/x;password=[redacted]'],
  ['/api/nothing?pass=a&b=c', '/api/nothing?pass=[redacted]&b=c'],
  ['/api/nothing?q=http%3a%2f%2fbob:Hunter2%40host', '/api/nothing?q=http%3a%2f%2f[redacted]%40host'],
])('a path that is not there says so of %s', async (path, shown) => {
  const simulator = await start({ scenario: small })
  await simulator.call('GET', path)
  const { json } = await adminOf(() => simulator)<{ requests: object[] }>('GET', '/requests')
  const reason = `there is no path ${shown.split('?')[0]} in the contract`
  expect(json.requests).toMatchObject([
    {
      path: shown,
      reason,
      response: { headers: { 'sim-reason': reason }, body: { error: `Not Found: ${reason}` } },
    },
  ])
})

test('an unauthenticated request keeps only values that identify no person', async () => {
  const simulator = await start({ scenario: small })
  await simulator.call('GET', '/api/product/101/Hunter2?orderby=price', {
    login: null,
    headers: { 'x-anything': 'Hunter2', 'user-agent': 'shop/1.0' },
  })
  const { json } = await adminOf(() => simulator)<{ requests: object[] }>('GET', '/requests')
  expect(json.requests).toMatchObject([
    {
      path: '/api/product/101/[redacted]?orderby=[redacted]',
      request: {
        headers: { 'x-anything': '[redacted]', 'user-agent': 'shop/1.0', accept: 'application/json' },
      },
    },
  ])
})
