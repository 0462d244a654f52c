import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, launch, proxysim, refusal, served, type Launched } from '../cli/proxysim.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'
import { folder, start } from '../support/start.ts'
import { NaiveService } from './support/NaiveService.ts'
import { Tape } from './support/Tape.ts'
import { fullTour } from './support/tours.ts'

interface Answered {
  status: number
  message: string
  headers: string[]
  body: Buffer
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function listening<S extends Server>(server: S): Promise<S> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

type Answering = (asked: IncomingMessage, response: ServerResponse) => unknown

/** The real service, as the recorder sees it. */
async function realService(answer: Answering): Promise<string> {
  return `http://127.0.0.1:${portOf(await listening(createServer((asked, response) => void answer(asked, response))))}`
}

/** One that answers each connection with these bytes. */
async function rawService(bytes: string): Promise<string> {
  const service = createNetServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(bytes, 'latin1'))
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void service.close())
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`
}

function cantPass(what: string): string {
  return `the target's response can't be passed on (ERR_${what})`
}

/** The naive service, over HTTP. */
function naive(service: NaiveService): Answering {
  return async (asked, response) => {
    const answer = service.handle(
      {
        method: asked.method ?? '',
        path: (asked.url ?? '').split('?', 1)[0] ?? '',
        authorization: asked.headers.authorization,
        body: (await bodyOf(asked)).toString(),
      },
      Date.now(),
    )
    response.writeHead(answer.status, answer.type === undefined ? {} : { 'content-type': answer.type })
    response.end(answer.body)
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function call(
  url: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = request(url + path, { method, headers, agent: false }, (response) => {
      bodyOf(response).then(
        (bytes) =>
          resolve({
            status: response.statusCode ?? 0,
            message: response.statusMessage ?? '',
            headers: response.rawHeaders,
            body: bytes,
          }),
        reject,
      )
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

/** With the path to the letter */
function callRaw(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, path, headers, agent: false }, (response) => {
      response.resume().once('end', resolve)
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

async function record(
  target: string,
  ...flags: string[]
): Promise<{ url: string; output: string; launched: Launched }> {
  const output = join(folder(), 'real.har')
  const launched = launch(['record', '--target', target, '--port', '0', '--output', output, ...flags])
  return { url: await served(launched), output, launched }
}

interface HarFile {
  log: {
    entries: {
      request: { url: string; headers: { name: string }[]; bodySize: number; postData?: { text: string } }
      response: { status: number; content: { text?: string } }
      _error?: string
    }[]
  }
}

function harOf(file: string): HarFile['log']['entries'] {
  return (JSON.parse(readFileSync(file, 'utf8')) as HarFile).log.entries
}

describe('proxysim record', () => {
  it('passes bytes, statuses and headers on unchanged, in both directions', async () => {
    const seen: { url: string; raw: string[]; body: Buffer }[] = []
    const packed = gzipSync('{"credit":12.5}')
    const target = await realService(async (asked, response) => {
      seen.push({ url: asked.url ?? '', raw: asked.rawHeaders, body: await bodyOf(asked) })
      const headers = `X-Odd-Case One Set-Cookie a=1 Set-Cookie b=2 Content-Encoding gzip Content-Type application/json Content-Length ${packed.length}`
      response.writeHead(203, 'Mostly Fine', headers.split(' '))
      response.end(packed)
    })
    const { url, output } = await record(`${target}/base`)
    const body = Buffer.from([0, 255, 1, 254, 123])
    const answered = await call(url, '/api/billing/credit?x=1%20', {
      method: 'POST',
      headers: {
        'X-Client-Case': 'Two',
        Authorization: 'Basic c2hvcDpvcGVu',
        'Content-Type': 'application/octet-stream',
      },
      body,
    })
    expect(answered).toMatchObject({ status: 203, message: 'Mostly Fine', body: packed })
    const text = answered.headers.join('\n')
    for (const header of ['X-Odd-Case\nOne', 'Set-Cookie\na=1\nSet-Cookie\nb=2', 'Content-Encoding\ngzip'])
      expect(text).toContain(header)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ url: '/base/api/billing/credit?x=1%20', body })
    expect(seen[0]?.raw.join('\n')).toContain('X-Client-Case\nTwo')
    expect(seen[0]?.raw.join('\n')).toContain('Authorization\nBasic c2hvcDpvcGVu')
    expect(harOf(output).map((entry) => entry.request.url)).toEqual([
      expect.stringMatching(/^http:\/\/[^/]+\/text-\d\//) as string,
    ])
  })

  it('passes paths on as they were written', async () => {
    const seen: string[] = []
    const target = await realService((asked, response) => {
      seen.push(asked.url ?? '')
      response.writeHead(422, { 'content-type': 'application/json' })
      response.end('{"error":"Unprocessable Entity "}')
    })
    const { url, output } = await record(`${target}/base/`)
    const paths = ['/api/a/../b', '/api/%2e%2E/x', '/api/x?', '//api//x', '/api/sticky/rotate/5/../abc']
    for (const path of paths) await callRaw(url, 'GET', path)
    await callRaw(url, 'POST', '/api/../x', { expect: '100-continue', 'content-length': '2' }, '{}')
    const whole = ['/api/billing/credit', '', '?x=1'].map((path) => `http://real.example${path}`)
    for (const path of whole) await callRaw(url, 'GET', path)
    await callRaw(url, 'OPTIONS', '*')
    expect(seen).toEqual([
      ...[...paths, '/api/../x', '/api/billing/credit', '/', '/?x=1'].map((path) => `/base${path}`),
      '*',
    ])
    expect(harOf(output)[6]).toMatchObject({
      request: { url: expect.stringMatching(/\d\/text-\d\/api\/billing\/credit$/) as string },
      response: { content: { text: expect.stringContaining('error') as string } },
    })
    const rotated = harOf(output)[4]
    expect(rotated?.request.url).toMatch(/\/api\/sticky\/rotate\/5\/\.\.\/abc$/)
    // It is the same call to those who read it.
    const { stdout } = await proxysim(['calibrate', '--json', output])
    expect(JSON.parse(stdout)).toMatchObject({ exchanges: { judged: 2 } })
  })

  it('lets the target judge what a client expects', async () => {
    const target = createServer()
    target.on('checkExpectation', (asked: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200).end(asked.headers.expect),
    )
    const { url } = await record(`http://127.0.0.1:${portOf(await listening(target))}`)
    const answered = await call(url, '/api/clients', { headers: { expect: '200-ok' } })
    expect([answered.status, answered.body.toString()]).toEqual([200, '200-ok'])
  })

  it('adds nothing to a request but the length of a body that is not there', async () => {
    const seen: Record<string, string>[] = []
    const target = await realService((asked, response) => {
      const { method = '', headers } = asked
      const kept = ['content-length', 'transfer-encoding', 'x-first'].filter((name) => name in headers)
      seen.push({ method, ...Object.fromEntries(kept.map((name) => [name, String(headers[name])])) })
      asked.resume().once('end', () => response.end())
    })
    const { url } = await record(target)
    const port = Number(new URL(url).port)
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
    for (const method of methods) await sendRaw(port, rawRequest(method, '/api/x', ['X-First: 1']))
    const chunked = ['Transfer-Encoding: chunked']
    for (const method of ['GET', 'POST', 'DELETE'])
      await sendRaw(port, rawRequest(method, '/api/x', chunked), '2\r\n{}\r\n0\r\n\r\n')
    await sendRaw(port, rawRequest('GET', '/api/x', ['Content-Length: 2']), '{}')
    const noLength = ['GET', 'HEAD', 'DELETE', 'OPTIONS']
    expect(seen).toEqual([
      ...methods.map((method) => ({
        method,
        'x-first': '1',
        ...(!noLength.includes(method) && { 'content-length': '0' }),
      })),
      ...['GET', 'POST', 'DELETE'].map((method) => ({ method, 'transfer-encoding': 'chunked' })),
      { method: 'GET', 'content-length': '2' },
    ])
  })

  it('takes a target by its IPv6 address', async (context) => {
    const server = createServer((asked, response) => void response.end(asked.headers.host))
    onTestFinished(() => void server.close())
    const isThere = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true))
    })
    if (!isThere) return context.skip()
    const { url } = await record(`http://[::1]:${portOf(server)}`)
    expect((await call(url, '/api/x')).body.toString()).toBe(`[::1]:${portOf(server)}`)
  })

  it('streams: the first bytes arrive before the last are sent', async () => {
    let end = (): void => {}
    const target = await realService((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('first')
      end = () => response.end('last')
    })
    const { url } = await record(target)
    const first = await new Promise<string>((resolve, reject) => {
      const asking = request(`${url}/api/iplist/http-ip/txt/1`, { agent: false }, (response) => {
        response.once('data', (chunk: Buffer) => {
          resolve(chunk.toString())
          end()
        })
      })
      asking.on('error', reject)
      asking.end()
    })
    expect(first).toBe('first')
  })

  it('records each exchange before its response ends: a kill loses none that was completed', async () => {
    const target = await realService(naive(new NaiveService()))
    const { url, output, launched } = await record(target)
    const authorization = new NaiveService().authorization
    for (let i = 1; i <= 5; i++) {
      await call(url, '/api/clients', { headers: { authorization } })
      expect(harOf(output)).toHaveLength(i)
    }
    launched.child.kill('SIGKILL')
    await launched.ended
    expect(harOf(output).map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200])
  })

  it('reports contract violations as they happen, on both sides', async () => {
    const service = new NaiveService()
    const target = await realService((asked, response) => {
      if (asked.url === '/api/billing/credit')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"credit":"7","more":1}')
      else naive(service)(asked, response)
    })
    const { url, launched } = await record(target)
    const headers = { authorization: service.authorization, 'content-type': 'application/json' }
    await call(url, '/api/billing/credit', { headers })
    await call(url, '/api/product/7', { method: 'POST', headers, body: '{"clientid":"CANARY"}' })
    await launched.printed(/#2 orderService 422: request: .*clientid/)
    launched.child.kill('SIGTERM')
    const { stdout, code } = await launched.ended
    expect(code).toBe(0)
    expect(stdout).toContain('#1 getCredit 200: response: credit must be number')
    expect(stdout).toContain('#1 getCredit 200: response: more is not in the contract')
    expect(stdout).toMatch(/2 exchanges in /)
    expect(stdout).not.toContain('CANARY')
  })

  it('shows no name that is not in the contract unless it looks like one, nor does calibrate', async () => {
    const names = ['Jane Doe +49 555 1234', 'tok_live_4eC39HqLyjWD', 'colour_2']
    const body = JSON.stringify({ credit: 7, ...Object.fromEntries(names.map((name) => [name, 1])) })
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    const { url, output, launched } = await record(target)
    await call(url, '/api/billing/credit')
    const asked = JSON.stringify({ clientid: 7, 'Jim Doe +49 555 1234': 1, setip: { x: 'Jim' } })
    const headers = { 'content-type': 'application/json' }
    await call(url, '/api/product/7', { method: 'POST', headers, body: asked })
    launched.child.kill('SIGTERM')
    const { stdout } = await launched.ended
    const own = await proxysim(['calibrate', output])
    const tape = new Tape(new NaiveService())
    tape.alter = (answer) => ({ ...answer, body })
    tape.get('/api/billing/credit')
    const foreign = await proxysim(['calibrate', tape.file()])
    for (const text of [stdout, own.stdout, foreign.stdout]) {
      expect(text).not.toMatch(/Doe|555|Jim|tok_live/)
      expect(text).toContain('colour_2 is not in the contract')
    }
    for (const text of [stdout, own.stdout, foreign.stdout]) {
      expect(text).toContain('[text 1] is not in the contract')
      expect(text).toContain('[text 2] is not in the contract')
    }
    expect(stdout).toContain('#2 orderService 200: request: setip must be string')
  })

  it('keeps no body that it can’t decompress, and does not judge it', async () => {
    const bodies = [
      deflateRawSync('[]'),
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 0x10, 0, 0, 0x5b, 0x5d]),
    ]
    const target = await realService((asked, response) => {
      const [encoding, body] =
        asked.url === '/api/clients'
          ? ['deflate', bodies[0]]
          : asked.url === '/api/services'
            ? ['zstd', bodies[1]]
            : ['deflate', deflateRawSync('')]
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    })
    const { url, output, launched } = await record(target)
    expect((await call(url, '/api/clients')).body).toEqual(bodies[0])
    expect((await call(url, '/api/services')).body).toEqual(bodies[1]) // an invalid frame
    await call(url, '/api/sticky/changettl/5003/10')
    launched.child.kill('SIGTERM')
    expect((await launched.ended).stdout).not.toContain('response:')
    expect(harOf(output).map(({ response }) => response.content.text)).toEqual(['[]', undefined, ''])
  })

  it('a body that is huge once decompressed is not kept, whosever call it is', async () => {
    const part = gzipSync(Buffer.alloc(16 * 1024 * 1024))
    const bomb = Buffer.concat(Array.from({ length: 40 }, () => part)) // 640 MB
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    )
    const { url, output, launched } = await record(target)
    for (const path of ['/elsewhere', '/api/clients', '/api/clients'])
      expect((await call(url, path)).body.length).toBe(bomb.length)
    launched.child.kill('SIGTERM')
    expect(await launched.ended).toMatchObject({ code: 0, stderr: '' })
    expect(harOf(output).map(({ response }) => response.content.text)).toEqual(['', undefined, undefined])
  })

  it('checks the request also if the response is too long to be kept', async () => {
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(40 * 1024 * 1024)),
    )
    const { url, launched } = await record(target)
    const headers = { 'content-type': 'application/json' }
    await call(url, '/api/product/7', { method: 'POST', headers, body: '{bad' })
    launched.child.kill('SIGTERM')
    const lines = (await launched.ended).stdout.split('\n').filter((line) => line.startsWith('#'))
    expect(lines).toEqual(['#1 orderService 200: request: the body is not valid JSON'])
  })

  it('a request body that can’t be kept, or was answered before it ended, is neither checked nor judged', async () => {
    const service = new NaiveService()
    const target = await realService((asked, response) => {
      if (asked.method === 'GET') return naive(service)(asked, response)
      const answer = (): unknown =>
        response
          .writeHead(422, { 'content-type': 'application/json' })
          .end('{"error":"Unprocessable Entity "}')
      asked.resume()
      return asked.once(asked.headers['x-early'] ? 'data' : 'end', answer)
    })
    const { url, output, launched } = await record(target)
    const { authorization } = service
    await call(url, '/api/clients', { headers: { authorization } })
    const packed = Buffer.from([0x1f, 0x9d, 0x90, 0x7b, 0xff])
    const long = Buffer.concat([Buffer.from('{}'), Buffer.alloc(33 * 1024 * 1024, ' ')])
    const method = 'PUT'
    for (const [encoding, body] of [['compress', packed] as const, ['identity', long] as const])
      for (const framing of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
        const headers = { authorization, 'content-encoding': encoding, ...framing }
        expect(await call(url, '/api/service/800', { method, headers, body })).toMatchObject({ status: 422 })
      }
    for (const framing of [{ 'content-length': '22' }, { 'transfer-encoding': 'chunked' }])
      await new Promise((resolve, reject) => {
        const headers = { authorization, 'x-early': '1', ...framing }
        const asking = request(`${url}/api/service/800`, { method, headers, agent: false }, (response) => {
          asking.end('_list":"true"}')
          response.resume().once('end', resolve)
        })
        asking.on('error', reject).write('{"update')
      })
    launched.child.kill('SIGTERM')
    expect((await launched.ended).stdout).not.toContain('request:')
    const puts = harOf(output)
      .slice(1)
      .map(({ request: { bodySize, postData } }) => [bodySize, postData])
    expect(puts).toEqual(Array.from({ length: 6 }, () => [-1, undefined]))
    const { stdout } = await proxysim(['calibrate', '--json', output])
    const reason = 'the recorder did not keep the request body'
    expect(JSON.parse(stdout)).toMatchObject({
      exchanges: { judged: 1, skipped: [2, 3, 4, 5, 6, 7].map((exchange) => ({ exchange, reason })) },
    })
  })

  it('takes the rest of a request that was answered early', async () => {
    const { url } = await record(await rawService('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}'))
    const body = Buffer.alloc(8 * 1024 * 1024)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const sent = new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.write(`PUT /api/service/800 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.write(body, () => resolve())
    })
    await sent
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /)
  })

  it('finds the API below any prefix, as calibrate does, and keeps a stand-in for it', async () => {
    const service = new NaiveService()
    const target = await realService((asked, response) => {
      asked.url = asked.url?.replace(/^.*(?=\/api\/)/, '') ?? ''
      naive(service)(asked, response)
    })
    const headers = { authorization: service.authorization }
    for (const [prefix, kept] of [
      ['/panel/v2', '/text-1/text-2'],
      ['/', '/'],
      ['/tok-live-4eC39HqLyjWD', '/text-1'],
    ]) {
      const { url, output } = await record(target)
      for (const path of ['/api/clients', '/api/services']) await call(url, prefix + path, { headers })
      expect(harOf(output).map(({ request: { url: one } }) => one)).toEqual([
        `${target}${kept}/api/clients`,
        `${target}${kept}/api/services`,
      ])
      const { stdout } = await proxysim(['calibrate', '--json', output])
      expect(JSON.parse(stdout)).toMatchObject({ exchanges: { judged: 2, skipped: [] }, drift: [] })
    }
  })

  it('says which calls the contract does not have, and at the end how many were not of this API', async () => {
    const { url, output, launched } = await record(await realService(naive(new NaiveService())))
    for (const path of ['/app.js', '/panel/api/widgets/7/Jane%20Doe', '/api/clients'])
      await call(url, path, { method: path === '/api/clients' ? 'DELETE' : 'GET' })
    await call(url, '/api/clients', { method: 'OPTIONS' })
    await call(url, '/api/clients')
    launched.child.kill('SIGTERM')
    const { stdout } = await launched.ended
    expect(stdout.split('\n').slice(1)).toEqual([
      '#2 GET 401: request: a path that is not in the contract: /api/widgets/[text 2]/[text 3]',
      '#3 DELETE 401: request: a method that this path does not support: /api/clients',
      `5 exchanges in ${output}, 4 not of this API`,
      '',
    ])
  })

  it.each([[[]], [['--keep', 'error']]])('shows no login or password as a name, with %j', async (flags) => {
    const body = '{"credit":7,"hunter2":1,"alice":2,"ab3":3,"colour":4}'
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    const { url, output, launched } = await record(target, ...flags)
    const callAs = (path: string, login: string): Promise<Answered> =>
      call(url, path, { headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } })
    await callAs('/hunter2/api/billing/credit', 'alice:hunter2')
    for (const name of ['hunter2', 'alice', 'my-hunter2', 'ab3', 'login'])
      await callAs(`/api/login/${name}`, 'alice:ab3')
    launched.child.kill('SIGTERM')
    const { stdout } = await launched.ended
    for (const text of [stdout, readFileSync(output, 'utf8')]) expect(text).not.toMatch(/hunter2|alice/)
    expect(stdout).not.toMatch(/login\/ab3/)
    expect(stdout).toContain('colour is not in the contract')
    expect(stdout).toContain('not in the contract: /api/login/login\n')
    expect(harOf(output)[0]?.request.url).toMatch(/\/(?:text-\d+|password\d+)\/api\/billing\/credit$/)
  })

  it('leaves content types of the contract as they are, if a password is a word of one', async () => {
    const service = new NaiveService()
    const { url, output, launched } = await record(await realService(naive(service)))
    const tape = new Tape(service)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      authorization: service.authorization,
    }
    for (const password of ['plain', 'json', 'application']) {
      const body = JSON.stringify({ password })
      await call(url, '/api/service/800', { method: 'PUT', headers, body })
      tape.call('PUT', '/api/service/800', { body: { password } })
    }
    await call(url, '/api/clients')
    tape.get('/api/clients', { authorization: null })
    launched.child.kill('SIGTERM')
    expect((await launched.ended).stdout).not.toContain('response:')
    for (const file of [output, tape.file()]) {
      const { stdout } = await proxysim(['calibrate', '--json', file])
      expect(JSON.parse(stdout)).toMatchObject({ drift: [], behaviour: { differ: 0 } })
    }
  })

  it('reports nothing with --quiet', async () => {
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    )
    const { url, launched } = await record(target, '--quiet')
    await call(url, '/api/billing/credit')
    launched.child.kill('SIGINT')
    expect((await launched.ended).stdout).not.toContain('getCredit')
  })

  it('responds with 502 and a header of its own if the target fails, and goes on', async () => {
    let isBroken = true
    const target = await realService((_, response) => {
      if (isBroken) response.destroy()
      else response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    const { url, output } = await record(target)
    const broken = await call(url, '/api/clients')
    expect(broken.status).toBe(502)
    expect(broken.headers.map((one) => one.toLowerCase())).toContain('proxysim-record-error')
    isBroken = false
    expect(await call(url, '/api/clients')).toMatchObject({ status: 200 })
    // It got the request, so it may have carried it out.
    expect(harOf(output).map(({ response, _error }) => [response.status, _error])).toEqual([
      [0, 'the target broke off without a response (ECONNRESET)'],
      [200, undefined],
    ])
  })

  it.each([
    ['a 204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc', 204, 204, undefined],
    ['a 304 with a body', 'HTTP/1.1 304 Not Modified\r\n\r\nabc', 304, 304, undefined],
    [
      'a 101 that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      502,
      0,
      'the target switched protocols, though nobody asked (101)',
    ],
    [
      'a trailer of an answer that is not chunked',
      'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\n[]',
      200,
      200,
      undefined,
    ],
    [
      'a status below 100',
      'HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n[]',
      502,
      0,
      cantPass('HTTP_INVALID_STATUS_CODE'),
    ],
    [
      'a reason that is no text',
      'HTTP/1.1 200 O\x01\r\nContent-Length: 2\r\n\r\n[]',
      502,
      0,
      cantPass('INVALID_CHAR'),
    ],
    ['such a reason of a 204', 'HTTP/1.1 204 O\x7f\r\n\r\n', 502, 0, cantPass('INVALID_CHAR')],
    [
      'a header that is no text',
      'HTTP/1.1 200 OK\r\nX: \x7f\r\nContent-Length: 2\r\n\r\n[]',
      502,
      0,
      "the target's response can't be read (HPE_INVALID_HEADER_TOKEN)",
    ],
  ])('%s ends in an answer', async (_, bytes, status, recorded, error) => {
    const { url, output } = await record(await rawService(bytes))
    const answered = await call(url, '/api/clients')
    expect(answered.status).toBe(status)
    expect(answered.body.toString()).not.toContain('abc')
    expect(harOf(output).map(({ response, _error }) => [response.status, _error])).toEqual([
      [recorded, error],
    ])
  })

  it('leaves trailers out, with their announcement', async () => {
    const bytes =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\n[]\r\n0\r\nX-Sum: a\r\n\r\n'
    const { url, output } = await record(await rawService(bytes))
    const requests = ['GET', 'HEAD', 'POST'].map((method) =>
      rawRequest(method, '/api/clients', ['Trailer: X-Sum']),
    )
    for (const asked of [...requests, 'GET /api/clients HTTP/1.0\r\n\r\n']) {
      const reply = await sendRaw(Number(new URL(url).port), asked)
      expect(reply).toMatch(/^HTTP\/1.1 200 OK\r\n/)
      expect(reply).not.toContain('X-Sum')
    }
    expect(harOf(output)).toHaveLength(4)
  })

  it('sends nothing on a connection that the target may be about to close', async () => {
    const used = new WeakSet()
    const target = await realService((asked, response) => {
      if (used.has(asked.socket)) return asked.socket.destroy()
      used.add(asked.socket)
      return response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    const { url } = await record(target)
    for (let i = 0; i < 3; i++) expect(await call(url, '/api/clients')).toMatchObject({ status: 200 })
  })

  it('keeps an exchange that was in progress when it was stopped, and says so', async () => {
    const { url, output, launched } = await record(await realService(() => launched.child.kill('SIGTERM')))
    await expect(call(url, '/api/product/1', { method: 'POST', body: '{}' })).rejects.toThrow(
      'socket hang up',
    )
    const why = 'the recorder was stopped before the response was complete'
    const { stdout, stderr, code } = await launched.ended
    expect([stderr, code]).toEqual([`proxysim: ${why}\n`, 0])
    expect(stdout).toContain('1 exchange in ')
    expect(harOf(output)).toMatchObject([{ response: { status: 0 }, _error: why }])
  })

  it('passes a pipelined request on once the one before it is answered, and not if the client has left', async () => {
    const arrived: string[] = []
    const target = await realService(({ url: path = '' }, response) => {
      arrived.push(path)
      if (arrived.length < 3) response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    const { url, output, launched } = await record(target)
    const pipe = ['/api/clients', '/api/services', '/api/products', '/api/billing/credit']
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(pipe.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    await expect.poll(() => arrived).toEqual(pipe.slice(0, 3))
    socket.destroy()
    await expect.poll(() => harOf(output)).toHaveLength(3)
    launched.child.kill('SIGINT')
    expect(await launched.ended).toMatchObject({ code: 0 })
    expect(arrived).toEqual(pipe.slice(0, 3))
  })

  it('lets a client that keeps its connection finish a large request that it refuses', async () => {
    const gone = await listening(createServer())
    const target = `http://127.0.0.1:${portOf(gone)}`
    await new Promise((resolve) => gone.close(resolve))
    const { url } = await record(target, '--quiet')
    const body = 'x'.repeat(20_000_000)
    for (let i = 0; i < 3; i++)
      expect(await fetch(`${url}/api/product/1`, { method: 'POST', body })).toMatchObject({ status: 502 })
  })

  it('says once that the target can’t be reached, and records nothing of it', async () => {
    const gone = await listening(createServer())
    const target = `http://127.0.0.1:${portOf(gone)}`
    await new Promise((resolve) => gone.close(resolve))
    const { url, output, launched } = await record(target, '--quiet')
    for (const path of ['/api/clients', '/api/billing/credit'])
      expect(await call(url, path)).toMatchObject({ status: 502 })
    launched.child.kill('SIGTERM')
    const { stdout, stderr } = await launched.ended
    expect(stderr).toBe("proxysim: the target can't be reached (ECONNREFUSED)\n")
    expect(stdout).toContain('0 exchanges in ')
    expect(harOf(output)).toEqual([])
  })

  it('goes on if the disk is full: the archive stays whole, and what is missing is said', async () => {
    const target = await realService((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":7}]'),
    )
    const output = join(folder(), 'real.har')
    const args = ['record', '--target', target, '--port', '0', '--output', output]
    const launched = launch([process.execPath, cli, ...args], {
      program: ['sh', '-c', 'ulimit -f 4; exec "$@"', 'sh'],
    })
    const url = await served(launched)
    for (let i = 0; i < 12; i++) expect(await call(url, '/api/clients')).toMatchObject({ status: 200 })
    launched.child.kill('SIGTERM')
    const { stdout, stderr, code } = await launched.ended
    const kept = harOf(output).length
    expect(kept).toBeGreaterThan(0)
    expect(stderr).toBe(
      `proxysim: the archive can't be written (EFBIG)\nproxysim: ${12 - kept} exchanges could not be recorded\n`,
    )
    expect([code, stdout.match(/^#\d+ /gm)?.length, stdout.match(/^not recorded: /gm)?.length]).toEqual([
      1,
      kept,
      12 - kept,
    ])
    expect(stdout).toContain(`\n${kept} exchanges in `)
  })

  it('keeps no secrets, and equal values stay equal', async () => {
    const service = new NaiveService()
    const [first] = service.services
    if (first) first.product = 'Proxies of px800'
    const target = await realService(naive(service))
    const { url, output } = await record(target)
    const headers = {
      authorization: service.authorization,
      'content-type': 'application/json',
      cookie: 'sid=CANARY-cookie',
      'x-api-key': 'CANARY-key',
      'user-agent': 'CANARY-agent',
    }
    await call(url, '/api/clients', { headers })
    await call(url, '/api/service/800', { headers })
    await call(url, '/api/iplist/http-auth/json/800?key=CANARY-query', { headers })
    await call(url, '/api/service/800', {
      method: 'PUT',
      headers,
      body: JSON.stringify({ password: Buffer.from('CANARY-new').toString('base64'), setip: '100.64.1.2' }),
    })
    await call(url, '/api/service/800', { headers })
    await call(url, '/elsewhere/CANARY-path', { headers })
    const text = readFileSync(output, 'utf8')
    const secrets = [
      service.login,
      'sesame',
      service.authorization.slice(6),
      'first@shop.test',
      'px800',
      'Pw,800',
      '100.64.1.2',
      'CANARY',
      Buffer.from('CANARY-new').toString('base64'),
      ...(service.services[0]?.ips ?? []),
    ]
    expect(
      secrets.filter((secret) =>
        new RegExp(`(?<![\\w.])${secret.replaceAll('.', '\\.').replaceAll('+', '\\+')}(?![\\w.])`).test(text),
      ),
    ).toEqual([])
    const entries = harOf(output)
    expect(
      entries
        .flatMap((entry) => entry.request.headers)
        .filter(({ name }) => /authorization|cookie|key/i.test(name)),
    ).toEqual([])
    const bodies = entries.map(
      ({ response }) => JSON.parse(response.content.text || 'null') as Record<string, string>,
    )
    // It stands before the user name that it contains.
    expect(bodies[1]?.['product_name']).toBe(`Proxies of ${bodies[1]?.['username']}`)
    const posted = JSON.parse(entries[3]?.request.postData?.text ?? '{}') as Record<string, string>
    expect(Buffer.from(posted['password'] as string, 'base64').toString()).toBe(bodies[4]?.['password'])
    expect(bodies[4]?.['bindedip']).toBe(posted['setip'])
    expect(bodies[1]?.['username']).toBe(bodies[4]?.['username'])
    expect(bodies[1]?.['password']).not.toBe(bodies[4]?.['password'])
    // It can still be used for calibration.
    const { code, stdout } = await proxysim(['calibrate', '--json', output])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      behaviour: { differences: [] },
      drift: [],
      exchanges: { judged: 5 },
    })
  })

  it('records a service that speaks HTTPS', async () => {
    const made = folder()
    const [key, cert] = [join(made, 'key.pem'), join(made, 'cert.pem')]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
      ],
      { stdio: 'ignore' },
    )
    const service = new NaiveService()
    const server = await listening(
      createSecureServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (asked, response) => void naive(service)(asked, response),
      ),
    )
    const output = join(made, 'real.har')
    const launched = launch(
      ['record', '--target', `https://127.0.0.1:${portOf(server)}`, '--port', '0', '--output', output],
      { env: { NODE_EXTRA_CA_CERTS: cert } },
    )
    const url = await served(launched)
    expect(
      await call(url, '/api/clients', { headers: { authorization: service.authorization } }),
    ).toMatchObject({ status: 200 })
    expect(harOf(output)).toHaveLength(1)
  })

  it('refuses what it can’t do in one line', async () => {
    const made = folder()
    const output = join(made, 'there.har')
    writeFileSync(output, 'mine')
    const target = ['record', '--target', 'http://127.0.0.1:9', '--output']
    expect(await proxysim([...target, output, '--port', '0'])).toMatchObject(refusal('already exists'))
    expect(readFileSync(output, 'utf8')).toBe('mine')
    const free = join(made, 'free.har')
    const taken = String(portOf(await listening(createServer())))
    expect(await proxysim([...target, free, '--port', taken])).toMatchObject(refusal('is taken'))
    expect(existsSync(free)).toBe(false)
    expect(await proxysim([...target, '/dev/full', '--port', '0'])).toMatchObject(
      refusal("/dev/full can't be written (ENOSPC)."),
    )
    expect(await proxysim(['record', '--target', 'nowhere', '--output', free])).toMatchObject(
      refusal('not a URL'),
    )
    expect(
      await proxysim(['record', '--target', 'https://me:secret@real.example', '--output', free]),
    ).toMatchObject(refusal('must not contain credentials'))
    expect(
      await proxysim(['record', '--target', 'https://real.example/a?key=1', '--output', free]),
    ).toMatchObject(refusal('must not contain a query'))
    expect(await proxysim(['record', '--output', free])).toMatchObject(
      refusal('record` needs --target <url>.'),
    )
    expect(await proxysim(['record', '--target', 'https://real.example'])).toMatchObject(
      refusal('record` needs --output <file>.'),
    )
  })
})

describe('calibrate, with several archives of record,', () => {
  /** Reads these paths, each twice. */
  async function recorded(target: string, authorization: string, ...paths: string[]): Promise<string> {
    const { url, output } = await record(target)
    for (const path of [...paths, ...paths]) {
      const [, method = 'GET', way = ''] = /^(PUT)? ?(.*)$/.exec(path) ?? []
      const put = {
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"update_list":"true"}',
      }
      await call(url, way, method === 'PUT' ? { method, ...put } : { headers: { authorization } })
    }
    return output
  }

  it('does not mix their stand-ins, and judges them all', async () => {
    const sim = await start()
    const [first, second] = [
      await recorded(sim.url, sim.authorization(), '/api/service/5002', '/api/service/5001'),
      await recorded(sim.url, sim.authorization(), '/api/service/5001', '/api/service/5002'),
    ]
    const har = join(folder(), 'report.har')
    for (const args of [[first, second, '--report', har], [har]]) {
      const { stdout, stderr } = await proxysim(['calibrate', '--json', ...args])
      expect(JSON.parse(stdout)).toMatchObject({
        exchanges: { read: 8, judged: 8, skipped: [] },
        behaviour: { same: 4, firstSight: 4, fidelity: 100 },
        drift: [],
      })
      expect(stderr).toBe('')
    }
    // Nor are they mixed with those of other recorders.
    const tape = fullTour(new NaiveService()).file()
    const mixed = await proxysim(['calibrate', '--json', first, tape])
    expect(JSON.parse(mixed.stdout)).toMatchObject({
      exchanges: { judged: 70 },
      behaviour: { differences: [], fidelity: 100 },
    })
  })

  it('judges two accounts, whose services may have the same ids', async () => {
    const account = {
      password: 'secret',
      clients: { 11: { email: 'ana@example.com' } },
      services: { 5001: { client: 11, product: 101, bindedip: '192.0.2.10' } },
    }
    const sim = await start({
      scenario: { description: 'x', fixtures: ['catalog'], accounts: { alice: account, bob: account } },
    })
    const files: string[] = []
    for (const login of ['alice', 'bob'])
      files.push(
        await recorded(
          sim.url,
          sim.authorization(login),
          '/api/service/5001',
          '/api/billing/credit',
          'PUT /api/service/5001',
        ),
      )
    for (const flags of [[], ['--login', 'account-1']]) {
      const { stdout } = await proxysim(['calibrate', '--json', ...files, ...flags])
      expect(JSON.parse(stdout)).toMatchObject({
        exchanges: { judged: 12, skipped: [] },
        behaviour: { fidelity: 100, undecidable: 0 },
        drift: [],
      })
      expect(stdout).not.toContain('contradicts')
    }
    expect(await proxysim(['calibrate', ...files, '--login', 'account-2'])).toMatchObject(
      refusal('It has: account-1.'),
    )
  })

  it('counts exchanges over all of them, and finds what is in the smaller one', async () => {
    const service = new NaiveService()
    const target = await realService(naive(service))
    const tiny = await recorded(target, service.authorization, '/api/clients')
    const large = await recorded(
      target,
      service.authorization,
      '/api/products',
      '/api/service/800',
      '/api/services',
    )
    const other = new NaiveService({ productSort: 'desc' })
    const drifting = await realService((asked, response) => {
      if (asked.url === '/api/billing/credit')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"credit":"7"}')
      else naive(other)(asked, response)
    })
    const [byPrice, credit] = ['/api/products/orderby/price', '/api/billing/credit']
    const small = await recorded(drifting, other.authorization, byPrice, credit)
    const scenario = join(folder(), 'real.yaml')
    const { code, stdout, stderr } = await proxysim([
      'calibrate',
      tiny,
      large,
      small,
      '--json',
      '--fail-on',
      'drift',
      '--write',
      scenario,
    ])
    expect(code).toBe(1)
    expect(stderr).toContain(`proxysim: ${scenario} has the world of ${large}, which has the most calls\n`)
    expect(readFileSync(scenario, 'utf8')).toContain('"800":')
    const drift = [{ operation: 'getCredit', exchanges: [10, 12] }]
    const assumption = { id: 'productSort', verdict: 'other', evidence: [9, 11] }
    expect(JSON.parse(stdout)).toMatchObject({
      exchanges: { judged: 12 },
      assumptions: expect.arrayContaining([expect.objectContaining(assumption)]) as unknown,
      drift,
      behaviour: { differ: 0 },
    })
  })
})

/** Runs a probe script against a service, through the recorder. @returns the archive */
async function probed(service: NaiveService, script: string, env: Record<string, string>): Promise<string> {
  const { url, output, launched } = await record(await realService(naive(service)))
  const file = join(folder(), 'probe.sh')
  writeFileSync(file, script)
  const ended = await new Promise<number | null>((resolve) => {
    spawn('sh', [file], {
      env: {
        PATH: process.env['PATH'],
        PROXYSIM_URL: url,
        PROXYSIM_LOGIN: service.login,
        PROXYSIM_PASSWORD: service.password,
        ...env,
      },
      stdio: 'ignore',
    }).once('close', resolve)
  })
  expect(ended).toBe(0)
  launched.child.kill('SIGTERM')
  await launched.ended
  return output
}

describe('proxysim probe', () => {
  it('prints a script that, run through record, settles everything that can be settled', {
    timeout: 120_000,
  }, async () => {
    const readings = {
      productSort: 'desc',
      orderedService: 'Pending',
      orderedInvoice: 'Unpaid',
      updateResult: 'all',
      updateListInterval: 900,
      stickyAuth: 'open',
      ipListJson: 'objects',
      rebindOwn: 'refused',
    } as const
    const service = new NaiveService(readings)
    const { code, stdout } = await proxysim(['probe'])
    expect(code).toBe(0)
    const output = await probed(service, stdout, { HIDDEN: '13' })
    const found = join(folder(), 'found.json')
    const calibrated = await proxysim(['calibrate', '--json', output])
    writeFileSync(found, calibrated.stdout)
    const { assumptions, behaviour, drift } = JSON.parse(calibrated.stdout) as {
      assumptions: { id: string; verdict: string; reading: unknown }[]
      behaviour: { differ: number }
      drift: unknown[]
    }
    const known = assumptions.filter(({ id }) => id in service.readings)
    expect(Object.fromEntries(known.map(({ id, reading }) => [id, reading]))).toEqual(service.readings)
    expect([behaviour.differ, drift]).toEqual([0, []])
    // After that, none of these are needed any more.
    const rest = await proxysim(['probe', '--after', found])
    expect(rest.stdout).not.toMatch(/settles .*(?:productSort|orderedService|geo|rebindOwn)/)
    expect(rest.stdout).not.toContain('costs money')
  })

  it('settles a single assumption by itself, and may be run without the id that it needs', async () => {
    const service = new NaiveService({ hiddenProducts: 'listed' })
    const found = join(folder(), 'found.json')
    writeFileSync(found, JSON.stringify({ assumptions: [{ id: 'hiddenProducts', verdict: 'undecided' }] }))
    const { stdout } = await proxysim(['probe', '--after', found])
    const output = await probed(service, stdout, { HIDDEN: '13' })
    const calibrated = await proxysim(['calibrate', '--json', output])
    const { assumptions } = JSON.parse(calibrated.stdout) as { assumptions: { id: string }[] }
    expect(assumptions.find(({ id }) => id === 'hiddenProducts')).toMatchObject({ reading: 'listed' })
    await probed(service, stdout, {})
  })

  it('labels its calls and groups them, the cheapest first', async () => {
    const { stdout } = await proxysim(['probe'])
    const labels = [...stdout.matchAll(/^# (reads|changes state|costs money): settles (.*?)(?:\.|$)/gm)].map(
      ([, effect, settles]) => [effect, settles],
    )
    const effects = labels.map(([effect]) => effect)
    expect(effects).toEqual(
      effects.toSorted(
        (a, b) =>
          ['reads', 'changes state', 'costs money'].indexOf(a ?? '') -
          ['reads', 'changes state', 'costs money'].indexOf(b ?? ''),
      ),
    )
    expect(labels.filter(([effect]) => effect === 'costs money')).toEqual([
      ['costs money', 'orderedService, orderedInvoice'],
    ])
  })

  it('refuses a file that calibrate did not write', async () => {
    const file = join(folder(), 'x.json')
    writeFileSync(file, '[]')
    expect(await proxysim(['probe', '--after', file])).toMatchObject(refusal('is not what'))
  })
})
