import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { UserError } from '../../src/lib/UserError.ts'
import { readReply, replyTo, sendRaw } from '../support/raw.ts'
import { start, startForAll, worldOf, type Started } from '../support/start.ts'

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

/** Every kind of route that there is. */
const routes = [
  '/',
  '/docs',
  '/openapi.yaml',
  '/nowhere',
  '/api',
  '/api/services',
  '/API/services',
  '/__admin/health',
  '/__admin/requests',
]

describe('the Host header (DNS rebinding)', () => {
  const sim = startForAll({ allowedHosts: ['Sim.Example'] })

  test.each(
    'evil.example|evil.example:4010|localhost.evil.example|127.0.0.1.evil.example|192.0.2.1|sim.example.evil'.split(
      '|',
    ),
  )('a route is not answered under the name %s', async (host) => {
    for (const path of routes) {
      const { status, body } = await ask(
        sim(),
        `GET ${path}`,
        `Host: ${host}`,
        `Authorization: ${sim().authorization()}`,
      )
      expect(status, path).toBe(421)
      expect(errorOf(body)).toContain('--allowed-host')
    }
  })

  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.0.0.1:4010',
    '[::1]:4010',
    '[0:0:0:0:0:0:0:1]',
    'localhost.',
    'sim.example',
    'SIM.example:80',
  ])('%s is one of its names', async (host) => {
    expect((await ask(sim(), 'GET /__admin/health', `Host: ${host}`)).status).toBe(200)
  })

  test.each([
    ['two', ['Host: localhost', 'Host: evil.example']],
    ['two that are the same', ['Host: localhost', 'host: localhost']],
    [
      'one behind ten thousand bytes of others',
      ['Host: localhost', ...Array.from({ length: 2500 }, () => 'a:'), 'Host: evil.example'],
    ],
    ['none', []],
    ['an empty one', ['Host:']],
    ['one with a login', ['Host: localhost@evil.example']],
    ['one with a path', ['Host: localhost/evil']],
    ['a list', ['Host: localhost, evil.example']],
  ])('a Host header is refused: %s', async (_what, lines) => {
    for (const path of routes) {
      const { status, body } = await ask(sim(), `GET ${path}`, ...lines)
      expect(status, path).toBe(400)
      expect(errorOf(body)).toMatch(/Host header/)
    }
  })

  test('a target that names another host is refused', async () => {
    const { status, body } = await askHere(sim(), 'GET http://evil.example/api/services')
    expect(status).toBe(400)
    expect(errorOf(body)).toContain('must be a path')
  })

  test.each(['example.com:443', 'localhost:80'])(
    'a client that takes it for a proxy: CONNECT %s',
    async (to) => {
      const { status, head, body } = await ask(
        sim(),
        `CONNECT ${to}`,
        `Host: ${to}`,
        'Content-Length: 5',
        '',
        'bytes',
      )
      expect(status).toBe(400)
      expect(errorOf(body)).toContain('is this address set as an HTTP proxy somewhere?')
      expect(head).toMatch(/^connection: close$/im)
    },
  )

  test('under /api, the refusal is explained like every other error, unless that is turned off', async () => {
    const { head } = await ask(sim(), 'GET /api/services', 'Host: evil.example')
    expect(head).toMatch(/^sim-case: host-not-allowed$/m)
    expect(head).toMatch(/^sim-reason: .*--allowed-host/m)
    const silent = await start({ explain: false })
    expect((await ask(silent, 'GET /api/services', 'Host: evil.example')).head).not.toContain('sim-')
  })

  test.each(['http://sim.example', 'sim.example/path', 'a b', ''])('the option refuses %j', async (name) => {
    await expect(start({ allowedHosts: [name] })).rejects.toThrow(UserError)
  })
})

describe('foreign pages and the control plane', () => {
  const sim = startForAll({ cors: ['http://app.example'] })
  const own = () => `Host: localhost:${sim().port}`

  test.each([
    'Origin: http://evil.example',
    'Origin: https://evil.example',
    'Origin: null',
    'Origin: http://192.0.2.1',
    'Origin: http://127.0.0.1',
    'Origin: http://localhost:3000',
    'Origin: http://app.example',
    'Origin: ',
    'Origin: file://',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-site',
    'Sec-Fetch-Site: ',
    'Sec-Fetch-Site: same-origin, cross-site',
  ])('%s is refused', async (line) => {
    for (const first of [
      'GET /__admin/health',
      'GET /__ADMIN/health',
      'POST /__admin/reset',
      'OPTIONS /__admin/health',
    ]) {
      const { status, head, body } = await ask(sim(), first, own(), line)
      expect(status, first).toBe(403)
      expect(errorOf(body)).toContain('Forbidden')
      expect(head).not.toContain('access-control')
    }
  })

  test('its own pages and programs are accepted', async () => {
    for (const lines of [
      [],
      [`Origin: http://localhost:${sim().port}`],
      [`Origin: https://localhost:${sim().port}`, 'Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: none'],
    ])
      expect((await ask(sim(), 'GET /__admin/health', own(), ...lines)).status, lines.join()).toBe(200)
  })
})

describe('foreign pages and /api', () => {
  const sim = startForAll({ cors: ['http://app.example'] })
  const sent = (...lines: string[]) =>
    askHere(sim(), 'GET /api/sticky/resetall/5101', `Authorization: ${sim().authorization()}`, ...lines)

  test.each(['cross-site', 'same-site'])(
    '%s is refused before the journal, and names the flag',
    async (site) => {
      for (const lines of [[], ['Origin: http://evil.example']]) {
        const { status, head, body } = await sent(`Sec-Fetch-Site: ${site}`, ...lines)
        expect(status).toBe(403)
        expect(errorOf(body)).toContain(`--cors ${lines.length ? 'http://evil.example' : 'ORIGIN'}`)
        expect(head).toMatch(/^sim-case: foreign-page$/m)
      }
      expect((await sim().call('GET', '/__admin/requests')).json).toMatchObject({ total: 0 })
    },
  )

  test('an origin that --cors names is let in, and so are programs and its own pages', async () => {
    for (const lines of [
      ['Sec-Fetch-Site: cross-site', 'Origin: http://app.example'],
      ['Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: none'],
      [],
    ])
      expect((await sent(...lines)).status).toBe(200)
  })
})

describe('the admin token', () => {
  const sim = startForAll({ adminToken: 's3cret-token' })

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
    for (const first of [
      'GET /__admin/requests',
      'GET /__ADMIN/requests',
      'GET /__admin/',
      'POST /__admin/reset',
      'POST /__admin/health',
      'GET /__admin/health/x',
    ]) {
      const { status, head, body } = await askHere(sim(), first, ...lines)
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
      expect((await askHere(sim(), 'GET /__admin/requests', line)).status).toBe(200)
  })

  test('the health check stays open, and reveals nothing else', async () => {
    const { status, body } = await askHere(sim(), 'GET /__admin/health')
    expect(status).toBe(200)
    expect(['status', 'version', 'scenario']).toEqual(
      expect.arrayContaining(Object.keys(JSON.parse(body) as object)),
    )
  })

  test.each(['', ' ', 'with space', 'line\nbreak', 'schlüssel'])(
    'the option refuses %j',
    async (adminToken) => {
      await expect(start({ adminToken })).rejects.toThrow(/--admin-token/)
    },
  )
})

describe('beyond loopback', () => {
  test.each(['0.0.0.0', '::', '::0', '::ffff:0.0.0.0'])(
    'refuses to start on %j without a token',
    async (host) => {
      await expect(start({ host })).rejects.toThrow(UserError)
      await expect(start({ host })).rejects.toThrow(/--admin-token/)
    },
  )

  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::ffff:127.0.0.1'])('%s is loopback', async (host) => {
    const { url } = await start({ host })
    expect(url).toContain(host)
  })

  test.each([
    ['::FFFF:127.0.0.1', '[::FFFF:127.0.0.1]'],
    ['::FFFF:127.0.0.1', '[::ffff:7f00:1]'],
    ['0:0:0:0:0:ffff:127.0.0.1', '[0:0:0:0:0:ffff:127.0.0.1]'],
    ['0:0:0:0:0:ffff:127.0.0.1', '[::ffff:7f00:1]'],
  ])('bound to %s, it also answers to %s', async (host, name) => {
    const sim = await start({ host })
    expect((await ask(sim, 'GET /__admin/health', `Host: ${name}:${sim.port}`)).status).toBe(200)
  })

  test.each(['', '[::1]', 'no-such-host.invalid'])('%j is not a host', async (host) => {
    await expect(start({ host })).rejects.toThrow(/^The host .*Use a name or an address/)
  })

  test('starts with a token, and still checks the Host header', async () => {
    const sim = await start({ host: '0.0.0.0', adminToken: 'x' })
    expect((await ask(sim, 'GET /api/services', 'Host: 192.0.2.7')).status).toBe(421)
    expect((await askHere(sim, 'GET /__admin/requests')).status).toBe(401)
  })
})

describe('CORS', () => {
  const sim = startForAll({ cors: ['http://app.example:3000', 'https://two.example/'] })
  const preflight = [
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization, content-type',
  ]

  test('a listed origin is allowed, after a preflight without credentials', async () => {
    const { status, head, body } = await askHere(
      sim(),
      'OPTIONS /api/product/101',
      'Origin: http://app.example:3000',
      ...preflight,
    )
    expect(status).toBe(204)
    expect(body).toBe('')
    expect(head).toMatch(/^access-control-allow-origin: http:\/\/app\.example:3000$/m)
    expect(head).toMatch(/^access-control-allow-methods: get, post, put$/m)
    expect(head).toMatch(/^access-control-allow-headers: authorization, content-type$/m)
    expect(head).toMatch(/^vary: origin$/m)
  })

  test('its pages can read responses, including errors', async () => {
    for (const [login, status] of [
      ['reseller', 200],
      [null, 401],
    ] as const) {
      const answer = await sim().call('GET', '/api/services', {
        login,
        headers: { origin: 'https://two.example' },
      })
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe('https://two.example')
      expect(answer.headers['access-control-expose-headers']).toContain('Sim-Case')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  test.each([
    'http://app.example',
    'http://app.example:3000.evil',
    'https://app.example:3000',
    'null',
    'http://evil.example',
    'http://127.0.0.1',
  ])('the origin %s gets nothing', async (origin) => {
    const asked = await sim().call('GET', '/api/services', { headers: { origin } })
    expect(asked.headers['access-control-allow-origin']).toBeUndefined()
    const { status, head } = await askHere(sim(), 'OPTIONS /api/services', `Origin: ${origin}`, ...preflight)
    expect(status).toBe(401) // it is handled like any other request
    expect(head).not.toContain('access-control-allow')
  })

  test('is off without the option', async () => {
    const plain = await start()
    const answer = await plain.call('OPTIONS', '/api/services', {
      headers: { origin: 'http://app.example:3000', 'access-control-request-method': 'GET' },
    })
    expect(answer.status).toBe(405)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test.each([
    '*',
    'null',
    'app.example',
    'http://app.example/path',
    'http://u:p@app.example',
    'file:///x',
    '',
  ])('the option refuses %j', async (origin) => {
    await expect(start({ cors: [origin] })).rejects.toThrow(/--cors/)
  })
})

describe('responses', () => {
  const sim = startForAll()

  test('everything except /api has strict security headers', async () => {
    for (const path of ['/', '/docs', '/openapi.yaml', '/nowhere', '/__admin/health', '/__admin/nowhere']) {
      const { head } = await askHere(sim(), `GET ${path}`)
      expect(head, path).toMatch(
        /^content-security-policy: default-src '(none|self)'.*frame-ancestors 'none'/m,
      )
      expect(head, path).toMatch(/^x-content-type-options: nosniff$/m)
      expect(head, path).toMatch(/^x-frame-options: deny$/m)
      expect(head, path).toMatch(/^referrer-policy: no-referrer$/m)
      expect(head, path).toMatch(/^cross-origin-resource-policy: same-origin$/m)
      expect(head, path).toMatch(/^cross-origin-opener-policy: same-origin$/m)
      expect(head, path).not.toContain('x-powered-by')
    }
  })

  test('/api only adds the reason to what the real service sends', async () => {
    const { head } = await askHere(sim(), 'GET /api/services')
    const names = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(':')[0])
    expect(names.filter((name) => /policy|x-(?!ratelimit)|referrer/.test(name ?? ''))).toEqual([])
  })

  test.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a control character in the target', 'GET /a\u0001b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET / HTTP/1.1\nHost: localhost\nX: a\r\rb\n\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\n x: y\r\n\r\n', 400],
    [
      'two lengths',
      'POST /api/product/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
      400,
    ],
    [
      'a length beside chunks',
      'POST /api/product/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['17 KB of headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(17 * 1024)}\r\n\r\n`, 431],
    ['a target of 17 KB', `GET /${'a'.repeat(17 * 1024)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ])('%s gets a short error, without HTML or a stack trace', async (_what, bytes, status) => {
    const reply = readReply(await sendRaw(sim().port, bytes))
    expect(reply.status).toBe(status)
    expect(reply.head).toMatch(/^content-type: application\/json$/im)
    expect(errorOf(reply.body)).toMatch(/^[A-Z][A-Za-z ]+$/)
  })

  test('an Expect header of anything but 100-continue is refused', async () => {
    const { status, body } = await askHere(sim(), 'GET /api/services', 'Expect: more')
    expect({ status, body }).toMatchObject({ status: 417, body: expect.stringMatching(/^(0\r\n\r\n)?$/) })
  })

  test.each([
    '/%zz',
    '/%00',
    '/__admin/accounts/%zz',
    '/__admin/scenarios/%ff/load',
    '/../../etc/passwd',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/__admin/%2e%2e/%2e%2e/etc/passwd',
  ])('%s gets a JSON error', async (path) => {
    const { status, head, body } = await askHere(sim(), `GET ${path}`)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
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

  const broken: [what: string, header: string, body: string, status: number][] = [
    ['a malformed chunk', chunked, 'zz\r\n', 400],
    ['a malformed chunk after a good one', chunked, '2\r\n{}\r\nzz\r\n', 400],
    ['a malformed trailer', chunked, '2\r\n{}\r\n0\r\nno trailer\r\n\r\n', 400],
    ['a chunk extension of 20 KB', chunked, `2;${'a'.repeat(20_000)}\r\n{}\r\n`, 413],
    ['a body that is shorter than its length', 'Content-Length: 50', '{"update_list"', 400],
    ['a compressed one', 'Content-Encoding: gzip\r\nContent-Length: 50', 'x', 400],
  ]

  test.each(broken)('%s, with its headers', async (_what, header, body, status) => {
    const made = await outcome((socket) => void socket.end(headers(header) + body))
    expect(made).toEqual({ status, error: STATUS_CODES[status], recorded: 0, changes: 0 })
  })

  test.each(broken)('%s, after its headers', async (_what, header, body, status) => {
    const made = await outcome((socket) => {
      socket.write(headers(header, 'Expect: 100-continue'))
      socket.once('data', () => socket.end(body))
    })
    expect(made).toEqual({ status, error: STATUS_CODES[status], recorded: 0, changes: 0 })
  })

  async function outcome(send: (socket: Socket) => void) {
    const reply = await replyTo(sim().port, send)
    const { status, body } = readReply(reply.replace('HTTP/1.1 100 Continue\r\n\r\n', ''))
    const { json } = await sim().call<{ total: number }>('GET', '/__admin/requests')
    const { version } = worldOf(sim())
    return { status, error: body && errorOf(body), recorded: json.total, changes: version }
  }

  test('is answered at most once, and not in place of an earlier one', async () => {
    const body = 'zz\r\n'
    const other = headers(chunked).replace('localhost', 'evil.example')
    const sent = await replyTo(sim().port, (socket) => void socket.end(other + body))
    expect(sent.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 421'])
    const earlier = headers('Content-Length: 0').replace('PUT', 'GET')
    const second = await replyTo(sim().port, (socket) => void socket.end(earlier + headers(chunked) + body))
    expect(second.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
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
