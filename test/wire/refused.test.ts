import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { RequestPage } from '../../src/contract/shapes.ts'
import { sendAndRead, sendRaw } from '../support/raw.ts'
import { start, startForAll, type TestSimulator } from '../support/start.ts'

/* Requests that never reach the API are counted and shown, but aren't in the journal. */

const simulator = startForAll()

const journal = async ({ admin }: TestSimulator): Promise<RequestPage> =>
  (await admin<RequestPage>('GET', '/requests')).json

const line = (first: string, ...headers: string[]): string =>
  [`${first} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n')
const local = 'Host: localhost'
const post = 'POST /api/product/101 HTTP/1.1\r\nHost: localhost\r\nAuthorization: AUTH\r\n'

test.each<[bytes: string | Buffer, last: object, reason: string]>([
  [
    line('GET /api/billing/credit', 'Host: host.docker.internal'),
    { path: '/api/billing/credit', host: 'host.docker.internal', status: 421 },
    '--allowed-host host.docker.internal',
  ],
  [
    line('GET //api/billing/credit', local),
    { path: '//api/billing/credit', status: 404 },
    'begin with /api. Did you mean /api/billing/credit?',
  ],
  [
    line('GET /billing/credit?page=2', local),
    { path: '/billing/credit?page=2', status: 404 },
    'Did you mean /api/billing/credit?',
  ],
  [
    line('PUT /v1/service/1', local),
    { method: 'PUT', path: '/v1/service/1', status: 404 },
    'Paths of the API begin with /api.',
  ],
  [line('GET /%zz', local), { path: '/%zz', status: 404 }, ''],
  [
    line('GET /api/clients', local, 'Origin: http://evil.example'),
    { status: 403 },
    '--cors http://evil.example',
  ],
  [
    line('POST /__admin/reset', local, 'Sec-Fetch-Site: cross-site'),
    { path: '/__admin/reset', status: 403 },
    'another site',
  ],
  [
    line('GET http://real.example/api/clients', local),
    { path: '/api/clients', host: 'real.example', status: 421 },
    'HTTP proxy',
  ],
  [
    line('GET http://ana:pass@real.example/api/clients', local),
    { path: '/api/clients', host: '[redacted]@real.example', status: 400 },
    'not a host name',
  ],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', { method: 'PRI', path: '*', status: 400 }, 'HTTP/2 was sent'],
  [
    line('get /api/clients', local),
    { method: 'get', path: '/api/clients', status: 400 },
    'Invalid method encountered',
  ],
  [
    line('CONNECT real.example:443', 'Host: real.example:443'),
    { method: 'CONNECT', status: 405 },
    'HTTP proxy',
  ],
  [
    line('CONNECT ana:pass@real.example:443', 'Host: real.example:443'),
    { method: 'CONNECT', path: '[redacted]@real.example:443', status: 405 },
    'HTTP proxy',
  ],
  [line('GET /api/clients'), { path: '/api/clients', host: null, status: 400 }, 'no Host header'],
  [line('GET /api/clients', local, 'Transfer-Encoding: gzip, chunked'), { status: 501 }, 'Transfer-Encoding'],
  [line('GET /api/clients', local, 'Expect: more'), { path: '/api/clients', status: 417 }, 'Expect: more'],
  ['GARBAGE\r\n\r\n', { method: null, path: null, host: null, status: 400 }, 'Bad Request'],
  [
    Buffer.from([22, 3, 1, 0, 200, 1, 0, 0]),
    { method: null, status: 400 },
    'TLS was sent to a server without it',
  ],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', { status: 400 }, 'Bad Request'],
  [line('GET /api/a\u0001b', 'Host: one'), { method: 'GET', host: 'one', status: 400 }, 'Bad Request'],
  [
    line('GET /api/clients', local, `X: ${'a'.repeat(70_000)}`),
    { method: 'GET', path: '/api/clients', host: 'localhost', status: 431 },
    '16384 bytes',
  ],
  [
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    { method: 'POST', path: '/api/product/101', status: 400 },
    'Bad Request',
  ],
])('%j', async (bytes, last, reason) => {
  const sim = simulator()
  await sim.admin('DELETE', '/requests')
  const sent = typeof bytes === 'string' ? bytes.replace('AUTH', sim.authorization()) : bytes
  await sendAndRead(sim.port, (socket) => void socket.end(sent))
  const { refused, total } = await journal(sim)
  expect(refused).toMatchObject({
    count: 1,
    last: [{ time: expect.stringMatching(/^20.*Z$/) as string, ...last }],
  })
  expect(refused.last[0]?.reason).toContain(reason)
  expect(total).toBe(0)
})

test('the last ten are shown, newest first, until the journal is cleared or a scenario is loaded', async () => {
  const sim = await start()
  for (const end of [
    () => sim.admin('DELETE', '/requests'),
    () => sim.admin('POST', '/reset'),
    () => sim.admin('POST', '/scenarios/low-funds/load'),
  ]) {
    for (let i = 1; i <= 12; i++) await sim.call('GET', `/nowhere/${i}`)
    const { refused } = await journal(sim)
    expect([refused.count, ...refused.last.map(({ path }) => path)]).toEqual([
      12,
      ...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((i) => `/nowhere/${i}`),
    ])
    await sim.admin('DELETE', '/requests?account=reseller')
    await sim.admin('POST', '/reset?account=reseller')
    expect((await journal(sim)).refused.count).toBe(12)
    await end()
    expect((await journal(sim)).refused).toEqual({ count: 0, last: [] })
  }
})

test.each([
  ['/nowhere?token=abc123&x=http://u:p4ss@real.example', {}],
  ['/nowhere/password=abc123', {}],
  ['/v1/x;token=abc123', {}],
  ['/n%6fwhere/p%61ssword=abc123', {}],
  ['/api/clients', { Origin: 'http://u:p4ss@real.example' }],
])('what is hidden in the path is hidden in the reason, too: %s', async (path, headers) => {
  const sim = simulator()
  await sim.call('GET', path, { headers })
  expect(JSON.stringify((await journal(sim)).refused)).not.toMatch(/abc123|p4ss/)
})

test('they don’t displace journal entries, and requests refused by the API aren’t among them', async () => {
  const sim = await start({ journal: 2 })
  await sim.call('GET', '/api/nowhere')
  await sim.call('GET', '/api/clients', { login: null })
  for (let i = 0; i < 5; i++) await sim.call('GET', '/nowhere')
  expect(await journal(sim)).toMatchObject({ total: 2, dropped: 0, refused: { count: 5 } })
})

test('connections that send nothing, or break, don’t count', async () => {
  const sim = await start()
  for (const end of ['end', 'destroy', 'resetAndDestroy'] as const)
    await new Promise((resolve) => {
      const socket = connect(sim.port, '127.0.0.1', () => socket[end]())
      socket
        .on('error', () => {})
        .on('close', resolve)
        .resume()
    })
  expect(await sendRaw(sim.port, line('GET /api/clients', local))).toContain('401')
  expect((await journal(sim)).refused.count).toBe(0)
})
