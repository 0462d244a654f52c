import * as fc from 'fast-check'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { effort } from '../support/effort.ts'
import { start, type Started } from '../support/start.ts'

/** Inputs of each kind; PROXYSIM_INPUTS=20000 for the long trial. */
const inputs = Number(process.env['PROXYSIM_INPUTS'] ?? 400)
/** Milliseconds of work that an answer may cost */
const hang = 1000

const timeout = 60_000 + inputs * 50

/** Everything that comes back until the other side ends. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.setEncoding('latin1').on('data', (piece: string) => {
      reply += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(reply))
  })
}

async function inTime(port: number, bytes: Buffer): Promise<string> {
  const began = effort()
  const reply = await exchange(port, bytes)
  expect(effort() - began).toBeLessThan(hang)
  return reply
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Bytes in use, after what is not in use was thrown away */
function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Megabytes that the second half of the trials may add to what the first half left */
const growth = 8

/** The trials in two halves, so that what is compiled and kept once counts for neither. */
async function twice(sim: Started, property: fc.IAsyncProperty<never[]>): Promise<void> {
  await fc.assert(property, { numRuns: inputs / 2 })
  const between = heap()
  await fc.assert(property, { numRuns: inputs / 2 })
  expect((heap() - between) / 2 ** 20, 'MB more').toBeLessThan(growth)
  expect((await sim.call('GET', '/__admin/health')).status).toBe(200)
}

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    '__admin',
    'product',
    'service',
    '101',
    '5001',
    'sticky',
    'rotate',
    'changettl',
    'iplist',
    'http-ip',
    'csv',
    'stats',
    'products',
    'orderby',
    'price',
    'accounts',
    'reseller',
    'requests',
  ),
  fc.constantFrom(
    '%00',
    '%2e%2e',
    '..',
    '%2F',
    '%0d%0aX:1',
    '%zz',
    '%',
    '%ff%fe',
    '\u00ff',
    '',
    ';',
    '__proto__',
    'constructor',
    '{id}',
    ':id',
    '*',
    '0x10',
    '1e3',
    '-1',
    '99999999999999999999',
    'a'.repeat(3000),
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }).map((text) => text.replace(/[\s\r\n]/g, '')),
)
const path = fc.oneof(
  { weight: 3, arbitrary: fc.array(segment, { maxLength: 7 }).map((parts) => `/${parts.join('/')}`) },
  { weight: 3, arbitrary: fc.array(segment, { maxLength: 5 }).map((parts) => `/api/${parts.join('/')}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '*',
      '',
      '//',
      '/?',
      '/api?',
      '/api/services?a[__proto__]=1',
      'http://localhost/api/services',
      '/api/services#x',
      '/\\..\\..',
    ),
  },
)
const method = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('GET', 'POST', 'PUT') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'HEAD',
      'OPTIONS',
      'DELETE',
      'PATCH',
      'TRACE',
      'PROPFIND',
      'M-SEARCH',
      'get',
      'X',
    ),
  },
)
const authorization = fc.oneof(
  { weight: 4, arbitrary: fc.constant('Basic cmVzZWxsZXI6c2VjcmV0') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Basic',
      'Basic ',
      'Basic =',
      'Basic Og==',
      'Basic cmVzZWxsZXI=',
      'Bearer x',
      'Basic X19wcm90b19fOng=',
      `Basic ${'A'.repeat(9000)}`,
    ),
  },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 40 }).map((text) => `Basic ${text}`) },
)
const header = fc.tuple(
  fc.constantFrom(
    'Content-Type',
    'Accept',
    'X-Odd',
    'Expect',
    'Connection',
    'Upgrade',
    'Transfer-Encoding',
    'Content-Encoding',
    'If-None-Match',
    'Range',
    'Cookie',
    'Host',
    'Origin',
    'Sec-Fetch-Site',
    'X-Admin-Token',
    '__proto__',
    'TE',
    'Trailer',
  ),
  fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      'multipart/form-data; boundary=x',
      'gzip',
      'chunked',
      '100-continue',
      'h2c',
      'close',
      '*',
      'null',
      '',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, '')),
  ),
)
/** Each character is a byte. */
const body = fc.oneof(
  fc.json(),
  fc
    .record(
      {
        clientid: fc.oneof(fc.constant(11), fc.jsonValue()),
        setip: fc.oneof(fc.ipV4(), fc.jsonValue()),
        password: fc.oneof(fc.base64String(), fc.jsonValue()),
        update_list: fc.oneof(fc.constant('true'), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom(10, 1000, 100_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constantFrom(10, 1000, 50_000).map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)),
  fc.constant('{"clientid":11,"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}'),
  fc.constant(`{"clientid":${'9'.repeat(100_000)}}`),
)

test(`${inputs} requests of any shape are answered or refused promptly, without lasting effects`, {
  timeout,
}, async () => {
  const sim = await start()
  const property = fc.asyncProperty(
    method,
    path,
    authorization,
    fc.array(header, { maxLength: 5 }),
    body,
    async (verb, target, login, headers, content) => {
      const lines = [
        `${verb} ${target} HTTP/1.1`,
        'Host: localhost',
        `Authorization: ${login}`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${content.length}`,
        '',
        '',
      ]
      const reply = await inTime(sim.port, Buffer.from(lines.join('\r\n') + content, 'latin1'))
      expect(reply).toMatch(/^(?:HTTP\/1\.1 [1-4]\d\d |$)/)
      expect(reply).not.toMatch(/<pre|node_modules|\.ts:\d/)
    },
  )
  await twice(sim, property as never)
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

test(`${inputs} streams of bytes that aren't HTTP don't affect other connections`, { timeout }, async () => {
  const sim = await start()
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc
      .string({ unit: 'binary-ascii', maxLength: 200 })
      .map((text) => Buffer.from(`GET /api/services HTTP/1.1\r\nHost: localhost\r\n${text}\r\n\r\n`)),
    fc
      .string({ unit: 'binary-ascii', maxLength: 50 })
      .map((text) =>
        Buffer.from(
          `GET /api/services HTTP/1.1\r\nHost: localhost\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n${text}`,
        ),
      ),
    fc
      .string({ unit: 'binary-ascii', maxLength: 100 })
      .map((text) =>
        Buffer.from(
          `POST /api/product/101 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${text}\r\n0\r\n\r\n`,
        ),
      ),
  )
  const property = fc.asyncProperty(bytes, async (sent) => {
    expect(await inTime(sim.port, Buffer.from(sent))).not.toMatch(/HTTP\/1\.1 5|<pre|node_modules/)
  })
  await twice(sim, property as never)
})

test(`${inputs} content types leave nothing behind`, { timeout }, async () => {
  const sim = await start()
  let n = 0
  const property = fc.asyncProperty(fc.constant(0), async () => {
    const { status } = await sim.call('POST', '/api/product/101', {
      body: { clientid: 99 },
      headers: { 'content-type': `application/json; x=${n++}` },
    })
    expect(status).toBe(422)
  })
  await twice(sim, property as never)
})

const adminCalls = fc.constantFrom(
  ['PATCH', '/accounts/reseller'],
  ['POST', '/faults'],
  ['PUT', '/clock'],
  ['POST', '/clock/advance'],
  ['POST', '/accounts'],
  ['POST', '/scenarios/default/load'],
  ['POST', '/reset'],
  ['PUT', '/scenario'],
  ['POST', '/snapshots'],
  ['DELETE', '/faults/x'],
  ['POST', '/snapshots/x/restore'],
)
const odd = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    1e308,
    -1,
    '',
    '__proto__',
    'P9999999Y',
    'PT1S',
    '2026-02-30T00:00:00Z',
    'x'.repeat(5000),
  ),
)
const adminBody = fc.oneof(
  odd,
  fc.dictionary(
    fc.constantFrom(
      'credit',
      'clients',
      'products',
      'services',
      'invoices',
      'limits',
      'assumptions',
      'faults',
      'clock',
      'next',
      'tokens',
      'password',
      'seed',
    ),
    odd,
    { maxKeys: 3 },
  ),
  fc.dictionary(
    fc.constantFrom(
      'operation',
      'phase',
      'respond',
      'delay',
      'drop',
      'after',
      'times',
      'probability',
      'match',
    ),
    odd,
    { maxKeys: 4 },
  ),
  fc.dictionary(fc.constantFrom('by', 'now', 'frozen', 'login', 'scenario', 'timeout', 'count'), odd, {
    maxKeys: 3,
  }),
  fc.record({
    services: fc.dictionary(
      fc.constantFrom('5001', '5002', '0', 'x', '__proto__'),
      fc.oneof(
        odd,
        fc.dictionary(
          fc.constantFrom(
            'status',
            'bindedip',
            'price',
            'ips',
            'sticky',
            'usage',
            'client',
            'product',
            'ip_count',
            'nextduedate',
          ),
          odd,
        ),
      ),
    ),
  }),
)

test(`${inputs} calls of the control plane with any body leave a usable world`, { timeout }, async () => {
  const sim = await start()
  const property = fc.asyncProperty(adminCalls, adminBody, async ([verb = '', target = ''], content) => {
    const { status, text } = await sim.call(verb, `/__admin${target}`, { body: content })
    expect(status, text).toBeLessThan(500)
    for (const asked of [
      '/api/services',
      '/api/billing/credit',
      '/api/billing/invoices',
      '/api/products',
      '/api/service/5001',
    ])
      expect(
        (await sim.call('GET', asked, { login: Object.keys(sim.simulation.store.state.accounts)[0] ?? null }))
          .status,
        `${asked} after ${JSON.stringify(content)}`,
      ).toBeLessThan(500)
    if (status < 300) await sim.simulation.load(await sim.simulation.library.load('default'))
  })
  await twice(sim, property as never)
})
