import type { Socket } from 'node:net'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { UserError } from '../../src/lib/UserError.ts'
import { parseResponse, sendAndRead, sendRaw } from '../support/raw.ts'
import { start, startForAll, getWorld, type TestSimulator } from '../support/start.ts'

/* Requests that are refused before routing, from known attacks on tools like this one. */

/** Sends a request line and header lines unchanged, followed by `Connection: close`. */
async function ask(sim: TestSimulator, first: string, ...lines: string[]) {
  const reply = await sendRaw(
    sim.port,
    [`${first} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'),
  )
  const { status, head, body } = parseResponse(reply)
  return { status, head: head.toLowerCase(), body }
}

/** Sends a request with an allowed Host. */
const askHere = (sim: TestSimulator, first: string, ...lines: string[]) =>
  ask(sim, first, 'Host: localhost', ...lines)

const parseError = (body: string): string => (JSON.parse(body) as { error: string }).error
const list = (text: string): string[] => text.split('|')

const origins = [
  'http://app.example:3000',
  'https://Two.example/',
  'HTTP://Bücher.example:80',
  'tauri://localhost',
  'capacitor://localhost/',
  'file://',
]
const allowedHosts = ['Sim.Example', '.Below.Example', 'bücher.example']
const open = startForAll({ allowedHosts, cors: origins })
const closed = startForAll({ adminToken: 's3cret-token', explain: false })

/** Requests by kind */
const requests: Record<string, string> = {
  any: 'GET /|GET /docs|GET /openapi.yaml|GET /nowhere|GET /api|GET /api/services|GET /API/services|GET /__admin/health/x|POST /__admin/health|POST /__admin/reset',
  admin: 'GET /__admin/health|GET /__ADMIN/health|POST /__admin/reset|OPTIONS /__admin/health',
  secret:
    'GET /__admin/requests|GET /__ADMIN/requests|GET /__admin/|POST /__admin/reset|POST /__admin/health|GET /__admin/health/x',
  health: 'GET /__admin/health',
  journal: 'GET /__admin/requests',
  api: 'GET /api/services',
  preflight: 'OPTIONS /api/services',
}

/**
 * SIMULATOR REQUESTS | HEADERS | STATUS, and a part of the response, or ! and a part that it must not contain. PORT and AUTH
 * are replaced by the simulator's port and credentials.
 */
const table = `
open any | Host: evil.example; AUTH | 421 --allowed-host evil.example
open any | Host: localhost.evil.example; AUTH | 421 --allowed-host
open any | Host: sim.example.evil; AUTH | 421 --allowed-host
open any | Host: localhost; Host: evil.example | 400 not a host name
open any | Host: | 400 not a host name
open any | Host: localhost@evil.example | 400 not a host name
open any | AUTH | 400
open GET http://evil.example/api/services | Host: localhost; AUTH | 421 is this address set as an http proxy somewhere?
open GET http://a:b@localhost/api/services | Host: localhost; AUTH | 400 request target is not a host name
open GET https://evil.example:4010/ | Host: localhost | 421 --allowed-host evil.example
open GET http://u:p@localhost/api/services | Host: localhost; AUTH | 400 not a host name
open GET ftp://localhost/api/services | Host: localhost; AUTH | 400 the request target must be a path
open GET * | Host: localhost | 400 the request target must be a path
open GET http://localhost/__admin/health | Host: evil.example | 200
open GET http://localhost:PORT/api/services | Host: evil.example; AUTH | 200
open GET HTTP://[::1]/api/services?x=1 | Host: [::1]; AUTH | 200
open GET http://localhost/openapi.yaml | Host: localhost | 200 openapi: 3
open health | Host: evil.example | 200
open health | Host: | 200
open health | Host: a b | 200
open HEAD /__admin/health | Host: evil.example | 200
open GET /__admin/health?account=reseller | Host: evil.example | 200
open api | Host: 10.244.0.5:4010; AUTH | 200
open api | Host: 203.0.113.7; AUTH | 200
open api | Host: [2001:db8::5]:4010; AUTH | 200
open api | Host: [fe80::1%25eth0]:4010; AUTH | 200
open journal | Host: 192.0.2.1 | 200
open api | Host: 192.0.2.1.evil.example; AUTH | 421 --allowed-host
open api | Host: below.example; AUTH | 200
open api | Host: A.Below.Example:80; AUTH | 200
open api | Host: a.b.below.example.; AUTH | 200
open api | Host: notbelow.example; AUTH | 421 --allowed-host
open api | Host: a.sim.example; AUTH | 421 --allowed-host
open api | Host: localhost; AUTH; Transfer-Encoding: gzip, chunked | 501 sim-case: transfer-encoding
open POST /__admin/reset | Host: localhost; Transfer-Encoding: gzip; Transfer-Encoding: chunked | 501 transfer-encoding gzip
open health | Host: LOCALHOST:1 | 200
open health | Host: 127.0.0.1:4010 | 200
open health | Host: [::1]:4010 | 200
open health | Host: localhost. | 200
open health | Host: sim.example | 200
open api | Host: xn--bcher-kva.example; AUTH | 200
open api | Host: evil.example | 421 sim-case: host-not-allowed
closed api | Host: evil.example | 421 !sim-

open admin | Host: localhost:PORT; Origin: http://evil.example | 403 forbidden
open admin | Host: localhost:PORT; Origin: null | 403 forbidden
open admin | Host: localhost:PORT; Origin: http://localhost:3000 | 403 forbidden
open admin | Host: localhost:PORT; Origin: http://app.example:3000 | 403 !access-control
open admin | Host: localhost:PORT; Origin: | 403 forbidden
open admin | Host: localhost:PORT; Sec-Fetch-Site: cross-site | 403 forbidden
open admin | Host: localhost:PORT; Sec-Fetch-Site: same-site | 403 forbidden
open admin | Host: localhost:PORT; Sec-Fetch-Site: | 403 forbidden
open admin | Host: localhost:PORT; Sec-Fetch-Site: same-origin, cross-site | 403 forbidden
open health | Host: localhost:PORT; Origin: http://localhost:PORT | 200
open health | Host: localhost:PORT; Origin: https://localhost:PORT; Sec-Fetch-Site: same-origin | 200
open health | Host: localhost:PORT; Sec-Fetch-Site: none | 200

open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site | 403 start the simulator with --cors origin
open api | Host: localhost; AUTH; Sec-Fetch-Site: same-site | 403 sim-case: foreign-page
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: http://evil.example | 403 --cors http://evil.example
open api | Host: sim.example; AUTH; Origin: http://evil.example | 403 --cors http://evil.example
open api | Host: sim.example; AUTH; Origin: null | 403 !--cors null
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: null | 403 it has no origin
open api | Host: localhost; AUTH; Origin: http://*.example | 403 !--cors http
open api | Host: localhost; AUTH; Origin: http://$(reboot) | 403 !--cors http
open api | Host: localhost; AUTH; Origin: http://localhost:3000/ | 403 --cors http://localhost:3000, and send that as the origin, as browsers do
open api | Host: localhost; AUTH; Origin: HTTP://Two.Example:80 | 403 --cors http://two.example, and send that as the origin
open api | Host: localhost; AUTH; Origin: http://bücher.example | 403 !--cors http
open api | Host: localhost; AUTH; Origin: app://other | 403 --cors app://other
open api | Host: localhost; AUTH; Origin: tauri://localhost:1 | 403 --cors tauri://localhost:1
open api | Host: localhost; AUTH; Origin: Tauri://localhost | 403 --cors tauri://localhost
open api | Host: sim.example:PORT; AUTH; Origin: http://sim.example:PORT | 200
open api | Host: sim.example:PORT; AUTH; Origin: http://sim.example:1 | 403 --cors
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: http://app.example:3000 | 200
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: http://xn--bcher-kva.example | 200
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: https://Two.example | 200
open api | Host: localhost; AUTH; Sec-Fetch-Site: cross-site; Origin: tauri://localhost | 200 access-control-allow-origin: tauri://localhost
open api | Host: localhost; AUTH; Origin: capacitor://localhost | 200 access-control-allow-origin: capacitor://localhost
open api | Host: localhost; AUTH; Origin: file:// | 200 access-control-allow-origin: file://
open api | Host: localhost; AUTH; Sec-Fetch-Site: same-origin | 200

open preflight | Host: localhost; Origin: http://app.example:3000; Access-Control-Request-Method: POST | 204 access-control-allow-methods: get, post, put
open preflight | Host: localhost; Origin: https://two.example; Access-Control-Request-Method: GET; Access-Control-Request-Headers: x-a, x-b | 204 access-control-allow-headers: x-a, x-b
open api | Host: localhost; AUTH; Origin: https://two.example | 200 access-control-allow-origin: https://two.example
open api | Host: localhost; Origin: https://two.example | 401 access-control-allow-origin: https://two.example
open api | Host: localhost; AUTH; Origin: https://two.example | 200 access-control-expose-headers: sim-case, sim-reason, date, retry-after
open api | Host: localhost; AUTH; Origin: https://two.example | 200 vary: origin
open api | Host: localhost; AUTH; Origin: https://two.example | 200 !access-control-allow-credentials
open api | Host: localhost; AUTH; Origin: http://app.example | 403 !access-control
open preflight | Host: localhost; Origin: tauri://localhost; Access-Control-Request-Method: POST | 204 access-control-allow-origin: tauri://localhost
open preflight | Host: localhost; Origin: http://app.example; Access-Control-Request-Method: GET | 403 --cors http://app.example
open preflight | Host: localhost; Origin: http://app.example:3000.evil; Access-Control-Request-Method: GET | 403 !access-control
open preflight | Host: localhost; Origin: https://app.example:3000; Access-Control-Request-Method: GET | 403 !access-control
closed preflight | Host: localhost; AUTH; Origin: http://app.example:3000; Access-Control-Request-Method: GET | 403 !access-control

closed secret | Host: localhost | 401 www-authenticate: bearer
closed secret | Host: localhost; X-Admin-Token: s3cret-toke | 401 !s3cret
closed secret | Host: localhost; X-Admin-Token: s3cret-token2 | 401 !s3cret
closed secret | Host: localhost; X-Admin-Token: s3cret-token; X-Admin-Token: wrong | 401 !s3cret
closed secret | Host: localhost; Authorization: Bearer wrong | 401 !s3cret
closed secret | Host: localhost; Authorization: Basic s3cret-token | 401 !s3cret
closed journal | Host: localhost; X-Admin-Token: s3cret-token | 200
closed journal | Host: localhost; Authorization: Bearer s3cret-token | 200
closed journal | Host: localhost; Authorization: bearer  s3cret-token | 200
closed health | Host: localhost | 200 "scenario":"default"}
`
  .split('\n')
  .filter((line) => line !== '')

test.each(table)('%s', async (row) => {
  const [, name, kind = '', headers = '', status, part = ''] =
    /^(open|closed) (.*?) \| (.*?) \| (\d+) ?(.*)$/.exec(row) ?? []
  const sim = name === 'open' ? open() : closed()
  const lines = headers
    .replaceAll('PORT', String(sim.port))
    .replace('AUTH', `Authorization: ${sim.authorization()}`)
  for (const requestLine of list(requests[kind] ?? kind)) {
    const first = requestLine.replace('PORT', String(sim.port))
    const { head, body, ...replied } = await ask(sim, first, ...lines.split('; '))
    const text = `${head}\r\n${body.toLowerCase()}`
    expect(replied.status, first).toBe(Number(status))
    expect(text.includes(part.replace('!', '')), text).toBe(!part.startsWith('!'))
  }
})

describe('beyond loopback', () => {
  test.each(['0.0.0.0', '::', '::0', '::ffff:0.0.0.0'])('%s requires a token', async (host) => {
    await expect(start({ host })).rejects.toThrow('set a token')
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
    expect((await ask(sim, 'GET /api/services', 'Host: evil.example')).status).toBe(421)
    expect((await askHere(sim, 'GET /__admin/requests')).status).toBe(401)
  })
})

test.each([
  ...list('http://sim.example|sim.example/path|a b||.|..|..a|*.sim.example').map((name) => [
    { allowedHosts: [name] },
    'The allowed host',
  ]),
  ...list('| |with space|line\nbreak|schlüssel').map((adminToken) => [
    { adminToken },
    'The admin token must',
  ]),
  ...list('|no-such-host.invalid').map((host) => [{ host }, 'The host ']),
  ...list(
    'null|app.example|http://app.example/path|http://u:p@app.example|file:///x||tauri:localhost|tauri://localhost/x|http://a b|http://$(x)|http:///',
  ).map((origin) => [{ cors: [origin] }, /^The CORS origin ".*only: http:\/\/localhost:3000/s]),
  ...list('*|http://localhost:*|https://*.example.com|tauri://*').map((origin) => [
    { cors: [origin] },
    'contains a *. Name each origin in full: http',
  ]),
] as [object, string][])('the simulator does not start with %j', async (options, message) => {
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
      expect(head).not.toMatch(/^(?:x-powered-by|set-cookie)/m)
    },
  )

  test('under /api have only the reason in addition to the real service’s headers', async () => {
    const { head } = await askHere(open(), 'GET /api/services')
    expect(head).not.toMatch(/^(?:[\w-]*policy|x-|referrer|set-cookie)/m)
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
    const reply = parseResponse(await sendRaw(open().port, bytes))
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
    expect(parseError(body)).not.toMatch(/node_modules|\.ts:|\n/)
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
    ['a compressed body that is too short', 'Content-Encoding: gzip\r\nContent-Length: 50', 'x', 400],
  ] as const)(
    '%s, together with the headers or after them, has no effect',
    async (_what, header, body, status) => {
      const together = (socket: Socket): void => void socket.end(headers(header) + body)
      const apart = (socket: Socket): void => {
        socket.write(headers(header, 'Expect: 100-continue'))
        socket.once('data', () => socket.end(body))
      }
      for (const send of [together, apart]) {
        const reply = await sendAndRead(sim().port, send)
        expect(parseResponse(reply.replace('HTTP/1.1 100 Continue\r\n\r\n', '')).status).toBe(status)
        expect((await sim().call('GET', '/__admin/requests')).json).toMatchObject({ total: 0 })
        expect(getWorld(sim()).version).toBe(0)
      }
    },
  )

  test('gets at most one response', async () => {
    const other = headers(chunked).replace('localhost', 'evil.example')
    const sent = await sendAndRead(sim().port, (socket) => void socket.end(`${other}zz\r\n`))
    expect(sent.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 421'])
    expect((await sim().call('GET', '/api/services')).status).toBe(200)
  })
})

test.each<[unknown, number, string]>([
  [new Error('at /home/me/secret.ts:1'), 500, 'Internal Server Error'],
  [Object.assign(new Error('too odd'), { status: 418 }), 418, 'too odd'],
  [Object.assign(new Error('hm'), { status: 200 }), 500, 'Internal Server Error'],
  ['a text', 500, 'Internal Server Error'],
])('a thrown value (%s) becomes a response without a stack trace', async (thrown, status, error) => {
  const { simulation } = await start()
  const fail = () => {
    throw thrown as Error
  }
  const { status: sent, body } = await request(await createApp(simulation, fail)).get('/anything')
  expect({ status: sent, body }).toEqual({ status, body: { error } })
})
