import type { Socket } from 'node:net'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { UserError } from '../../src/lib/UserError.ts'
import { readReply, replyTo, sendRaw } from '../support/raw.ts'
import { start, startForAll, type Started } from '../support/start.ts'

/* What is refused before any route, by each attack that is known of tools like this one. */

/** Sends header lines as they are given, `Connection: close` added. */
async function ask(sim: Started, first: string, ...lines: string[]) {
  const reply = await sendRaw(
    sim.port,
    [`${first} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'),
  )
  const { status, head, body } = readReply(reply)
  return { status, head: head.toLowerCase(), body }
}

/** The same, to a name of ours. */
const askHere = (sim: Started, first: string, ...lines: string[]) =>
  ask(sim, first, 'Host: localhost', ...lines)

const errorOf = (body: string): string => (JSON.parse(body) as { error: string }).error
const list = (text: string): string[] => text.split('|')

const origins = ['http://app.example:3000', 'https://two.example/']
const open = startForAll({ allowedHosts: ['Sim.Example'], cors: origins })
const closed = startForAll({ adminToken: 's3cret-token', explain: false })

const everyRoute = list(
  'GET /|GET /docs|GET /openapi.yaml|GET /nowhere|GET /api|GET /api/services|GET /API/services|GET /__admin/health|POST /__admin/reset',
)
const controlPlane = list(
  'GET /__admin/health|GET /__ADMIN/health|POST /__admin/reset|OPTIONS /__admin/health',
)
const withToken = list(
  'GET /__admin/requests|GET /__ADMIN/requests|GET /__admin/|POST /__admin/reset|POST /__admin/health|GET /__admin/health/x',
)

describe('a name that is not ours (DNS rebinding)', () => {
  test.each([
    ...list('evil.example|evil.example:4010|localhost.evil.example|127.0.0.1.evil.example|192.0.2.1').map(
      (host) => [host, 421, '--allowed-host'] as const,
    ),
    ['sim.example.evil', 421, '--allowed-host sim.example.evil'],
    ['localhost\r\nHost: evil.example', 400, 'not a host name'],
    ['localhost\r\nhost: localhost', 400, 'not a host name'],
    ['', 400, 'not a host name'],
    ['localhost@evil.example', 400, 'not a host name'],
    ['localhost/evil', 400, 'not a host name'],
    ['localhost, evil.example', 400, 'not a host name'],
  ] as const)('%j is refused on every route', async (host, status, reason) => {
    const headers = [`Host: ${host}`, `Authorization: ${open().authorization()}`]
    for (const first of everyRoute) {
      const refused = await ask(open(), first, ...headers)
      expect(refused.status, first).toBe(status)
      expect(errorOf(refused.body)).toContain(reason)
    }
  })

  test('so is no name, and a target that names another host, as clients of a proxy send it', async () => {
    expect((await ask(open(), 'GET /api/services')).status).toBe(400)
    for (const target of ['http://evil.example/api/services', 'http://localhost/__admin/health']) {
      const { status, body } = await askHere(open(), `GET ${target}`)
      expect({ status, error: errorOf(body) }).toEqual({
        status: 400,
        error: expect.stringContaining('is this address set as an HTTP proxy somewhere?') as string,
      })
    }
  })

  test.each(
    list(
      'localhost|LOCALHOST:1|127.0.0.1|127.0.0.1:4010|[::1]:4010|[0:0:0:0:0:0:0:1]|localhost.|sim.example|SIM.example:80',
    ),
  )('%s is one of its names', async (host) => {
    expect((await ask(open(), 'GET /__admin/health', `Host: ${host}`)).status).toBe(200)
  })

  test('under /api, the refusal is explained like every other error, unless that is turned off', async () => {
    const { head } = await ask(open(), 'GET /api/services', 'Host: evil.example')
    expect(head).toMatch(/^sim-case: host-not-allowed$/m)
    expect(head).toMatch(/^sim-reason: .*--allowed-host/m)
    expect((await ask(closed(), 'GET /api/services', 'Host: evil.example')).head).not.toContain('sim-')
  })
})

describe('foreign pages', () => {
  const own = () => `Host: localhost:${open().port}`
  const sent = (...lines: string[]) =>
    ask(open(), 'GET /api/services', own(), `Authorization: ${open().authorization()}`, ...lines)

  test.each([
    ...list('http://evil.example|https://evil.example|null|http://192.0.2.1|http://127.0.0.1|').map(
      (origin) => `Origin: ${origin}`,
    ),
    ...list('http://localhost:3000|http://app.example:3000|file://').map((origin) => `Origin: ${origin}`),
    ...list('cross-site|same-site||same-origin, cross-site').map((site) => `Sec-Fetch-Site: ${site}`),
  ])('%s may not use the control plane', async (line) => {
    for (const first of controlPlane) {
      const { status, head, body } = await ask(open(), first, own(), line)
      expect(status, first).toBe(403)
      expect(errorOf(body)).toContain('Forbidden')
      expect(head).not.toContain('access-control')
    }
  })

  test('its own pages and programs may', async () => {
    for (const lines of [
      [],
      [`Origin: http://localhost:${open().port}`],
      [`Origin: https://localhost:${open().port}`, 'Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: none'],
    ])
      expect((await ask(open(), 'GET /__admin/health', own(), ...lines)).status, lines.join()).toBe(200)
  })

  test.each(['cross-site', 'same-site'])('%s may not use /api, and is told the flag', async (site) => {
    for (const [line, flag] of [
      ['X: y', '--cors ORIGIN'],
      ['Origin: http://evil.example', '--cors http://evil.example'],
    ] as const) {
      const { status, head, body } = await sent(`Sec-Fetch-Site: ${site}`, line)
      expect(status).toBe(403)
      expect(errorOf(body)).toContain(flag)
      expect(head).toMatch(/^sim-case: foreign-page$/m)
    }
    expect((await open().call('GET', '/__admin/requests?status=403')).json).toMatchObject({ total: 0 })
  })

  test('those of an origin that --cors names may, as programs and its own pages', async () => {
    for (const lines of [
      ['Sec-Fetch-Site: cross-site', 'Origin: http://app.example:3000'],
      ['Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: none'],
      [],
    ])
      expect((await sent(...lines)).status).toBe(200)
  })
})

describe('CORS', () => {
  const preflight = list(
    'Access-Control-Request-Method: POST|Access-Control-Request-Headers: authorization, content-type',
  )
  const granted = (head: string): string[] => head.split('\r\n').filter((line) => /^access-|^vary/.test(line))

  test('a listed origin is allowed, after a preflight without credentials, to read every response', async () => {
    const origin = 'Origin: http://app.example:3000'
    const { status, head, body } = await askHere(open(), 'OPTIONS /api/product/101', origin, ...preflight)
    expect({ status, body }).toEqual({ status: 204, body: '' })
    const read = await askHere(open(), 'GET /api/services', origin)
    expect(read.status).toBe(401)
    const both = [
      'vary: origin',
      'access-control-allow-origin: http://app.example:3000',
      'access-control-expose-headers: sim-case, sim-reason, date',
    ]
    expect(granted(read.head)).toEqual(both)
    expect(granted(head)).toEqual([
      ...both,
      'access-control-allow-methods: get, post, put',
      'access-control-allow-headers: authorization, content-type',
      'access-control-max-age: 600',
    ])
    expect((await askHere(open(), 'GET /api/services', 'Origin: https://two.example')).head).toContain(
      'access-control-allow-origin: https://two.example',
    )
  })

  test.each([
    ...list('http://app.example|http://app.example:3000.evil|https://app.example:3000|null').map(
      (origin) => [origin, open] as const,
    ),
    ['http://evil.example', open],
    ['http://app.example:3000', closed],
  ] as const)('the origin %s gets nothing, nor any without the option', async (origin, sim) => {
    for (const first of ['GET /api/services', 'OPTIONS /api/services']) {
      const { status, head } = await askHere(sim(), first, `Origin: ${origin}`, ...preflight)
      expect(status).toBe(401) // it is handled like any other request
      expect(head).not.toContain('access-control')
    }
  })
})

describe('the admin token', () => {
  test.each([
    [],
    ['X-Admin-Token: s3cret-toke'],
    ['X-Admin-Token: s3cret-token2'],
    ['X-Admin-Token: '],
    ['X-Admin-Token: s3cret-token', 'X-Admin-Token: wrong'],
    ['Authorization: Bearer wrong'],
    ['Authorization: Basic s3cret-token'],
    ['Authorization: s3cret-token'],
    ['Authorization: Basic cmVzZWxsZXI6c2VjcmV0'],
  ])('requests without it are refused (%s)', async (...lines) => {
    for (const first of withToken) {
      const { status, head, body } = await askHere(closed(), first, ...lines)
      expect(status, first).toBe(401)
      expect(head).toMatch(/^www-authenticate: bearer$/m)
      expect(body).not.toContain('s3cret')
    }
  })

  test('is accepted in either header', async () => {
    for (const line of [
      'X-Admin-Token: s3cret-token',
      'Authorization: Bearer s3cret-token',
      'Authorization: bearer  s3cret-token',
    ])
      expect((await askHere(closed(), 'GET /__admin/requests', line)).status).toBe(200)
  })

  test('the health check stays open, and reveals nothing else', async () => {
    const { status, body } = await askHere(closed(), 'GET /__admin/health')
    expect(status).toBe(200)
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['status', 'version', 'scenario'])
  })
})

describe('beyond loopback', () => {
  test.each(['0.0.0.0', '::', '::0', '::ffff:0.0.0.0'])('%s requires a token', async (host) => {
    await expect(start({ host })).rejects.toThrow(/--admin-token/)
  })

  test.each(list('127.0.0.1|127.1.2.3|localhost|::ffff:127.0.0.1'))('%s does not', async (host) => {
    expect((await start({ host })).url).toContain(host)
  })

  test.each([
    ['::FFFF:127.0.0.1', '[::ffff:7f00:1]'],
    ['::FFFF:127.0.0.1', '[::FFFF:127.0.0.1]'],
    ['0:0:0:0:0:ffff:127.0.0.1', '[0:0:0:0:0:ffff:127.0.0.1]'],
  ])('bound to %s, it answers to %s', async (host, name) => {
    const sim = await start({ host })
    expect((await ask(sim, 'GET /__admin/health', `Host: ${name}:${sim.port}`)).status).toBe(200)
  })

  test('with a token, it still checks the Host header', async () => {
    const sim = await start({ host: '0.0.0.0', adminToken: 'x' })
    expect((await ask(sim, 'GET /api/services', 'Host: 192.0.2.7')).status).toBe(421)
    expect((await askHere(sim, 'GET /__admin/requests')).status).toBe(401)
  })
})

test.each([
  ...list('http://sim.example|sim.example/path|a b|').map((name) => [
    { allowedHosts: [name] },
    '--allowed-host',
  ]),
  ...list('| |with space|line\nbreak|schlüssel').map((adminToken) => [{ adminToken }, '--admin-token']),
  ...list('|[::1]|no-such-host.invalid').map((host) => [{ host }, 'The host ']),
  ...list('*|null|app.example|http://app.example/path|http://u:p@app.example|file:///x|').map((origin) => [
    { cors: [origin] },
    '--cors',
  ]),
] as [object, string][])('it does not start with %j', async (options, message) => {
  const started = start(options)
  await expect(started).rejects.toThrow(message)
  await expect(started).rejects.toThrow(UserError)
})

describe('responses', () => {
  test.each(list('/|/docs|/openapi.yaml|/nowhere|/__admin/health|/__admin/nowhere'))(
    '%s has strict security headers',
    async (path) => {
      const { head } = await askHere(open(), `GET ${path}`)
      expect(head).toMatch(/^content-security-policy: default-src '(none|self)'.*frame-ancestors 'none'/m)
      for (const line of [
        'x-content-type-options: nosniff',
        'x-frame-options: deny',
        'referrer-policy: no-referrer',
        'cross-origin-resource-policy: same-origin',
        'cross-origin-opener-policy: same-origin',
      ])
        expect(head.split('\r\n')).toContain(line)
      expect(head).not.toContain('x-powered-by')
    },
  )

  test('/api only adds the reason to what the real service sends', async () => {
    const { head } = await askHere(open(), 'GET /api/services')
    expect(head).not.toMatch(/^(?:[\w-]*policy|x-|referrer)/m)
  })

  const target = 'a'.repeat(17 * 1024)
  const post = 'POST /api/product/1 HTTP/1.1\r\nHost: localhost\r\n'
  test.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a control character in the target', 'GET /a\u0001b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET / HTTP/1.1\nHost: localhost\nX: a\r\rb\n\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\n x: y\r\n\r\n', 400],
    ['two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, 400],
    [
      'a length beside chunks',
      `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['17 KB of headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${target}\r\n\r\n`, 431],
    ['a target of 17 KB', `GET /${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    ['an odd Expect header', `${post}Expect: more\r\nConnection: close\r\n\r\n`, 417],
  ])('%s is refused, without HTML or a stack trace', async (_what, bytes, status) => {
    const reply = readReply(await sendRaw(open().port, bytes))
    expect(reply).toMatchObject({ status, body: expect.stringMatching(/^(0\r\n\r\n)?$/) as string })
  })

  test.each(
    list(
      '/%zz|/%00|/__admin/accounts/%zz|/__admin/scenarios/%ff/load|/../../etc/passwd|/docs/%2e%2e/%2e%2e/package.json|/docs/guide/%2e%2e/package.json|/__admin/%2e%2e/%2e%2e/etc/passwd',
    ),
  )('%s gets a JSON error', async (path) => {
    const { status, head, body } = await askHere(open(), `GET ${path}`)
    expect(String(status)).toMatch(/^4/)
    expect(head).toMatch(/^content-type: application\/json/m)
    expect(errorOf(body)).not.toMatch(/node_modules|\.ts:|\n/)
  })
})

describe('a request that breaks while its body arrives', () => {
  const sim = startForAll()
  const chunked = 'Transfer-Encoding: chunked'
  const headers = (...lines: string[]) =>
    [
      'PUT /api/service/5001 HTTP/1.1',
      'Host: localhost',
      `Authorization: ${sim().authorization()}`,
      ...lines,
      '',
      '',
    ].join('\r\n')

  test.each([
    ['a malformed chunk', chunked, 'zz\r\n', 400],
    ['a malformed chunk after a good one', chunked, '2\r\n{}\r\nzz\r\n', 400],
    ['a malformed trailer', chunked, '2\r\n{}\r\n0\r\nno trailer\r\n\r\n', 400],
    ['a chunk extension of 20 KB', chunked, `2;${'a'.repeat(20_000)}\r\n{}\r\n`, 413],
    ['a body that is shorter than its length', 'Content-Length: 50', '{"update_list"', 400],
    ['a compressed one', 'Content-Encoding: gzip\r\nContent-Length: 50', 'x', 400],
  ] as const)('%s, with its headers or after them, does nothing', async (_what, header, body, status) => {
    const together = (socket: Socket): void => void socket.end(headers(header) + body)
    const apart = (socket: Socket): void => {
      socket.write(headers(header, 'Expect: 100-continue'))
      socket.once('data', () => socket.end(body))
    }
    for (const send of [together, apart]) {
      const reply = await replyTo(sim().port, send)
      expect(readReply(reply.replace('HTTP/1.1 100 Continue\r\n\r\n', '')).status).toBe(status)
      expect((await sim().call('GET', '/__admin/requests')).json).toMatchObject({ total: 0 })
      expect(sim().simulation.store.peek('reseller')?.version).toBe(0)
    }
  })

  test('is answered at most once', async () => {
    const other = headers(chunked).replace('localhost', 'evil.example')
    const sent = await replyTo(sim().port, (socket) => void socket.end(`${other}zz\r\n`))
    expect(sent.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 421'])
    expect((await sim().call('GET', '/api/services')).status).toBe(200)
  })
})

test.each<[unknown, number, string]>([
  [new Error('at /home/me/secret.ts:1'), 500, 'Internal Server Error'],
  [Object.assign(new Error('too odd'), { status: 418 }), 418, 'too odd'],
  [Object.assign(new Error('hm'), { status: 200 }), 500, 'Internal Server Error'],
  ['a text', 500, 'Internal Server Error'],
])('what is thrown (%s) becomes a response without a stack trace', async (thrown, status, error) => {
  const { simulation } = await start()
  const fail = () => {
    throw thrown as Error
  }
  const { status: sent, body } = await request(createApp(simulation, () => true, fail)).get('/anything')
  expect({ status: sent, body }).toEqual({ status, body: { error } })
})
