import { readFileSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../../src/lab/calibration/calibrate.ts'
import type { Calibration } from '../../src/lab/calibration/Calibration.ts'
import { readRecordings } from '../../src/lab/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import {
  readBody,
  respondWithJson,
  listen,
  serveNaive,
  startRawService,
  startRealService,
  startRecording,
} from '../support/calibration/recorder.ts'
import { createCertificate } from '../support/certificate.ts'
import { formatRequest, sendRaw } from '../support/raw.ts'

const contract = await loadContract()
const { authorization } = new NaiveService()

async function calibrateFiles(...files: string[]): Promise<Calibration> {
  return (await calibrate(await readRecordings(files, contract), contract)).calibration
}

describe('the recorder passes on', () => {
  it('bytes, statuses and headers unchanged, in both directions', async () => {
    const received: { url: string; raw: string; body: Buffer }[] = []
    const packed = gzipSync('{"credit":12.5}')
    const target = await startRealService(async (asked, response) => {
      received.push({ url: asked.url ?? '', raw: asked.rawHeaders.join('\n'), body: await readBody(asked) })
      const headers = `X-Odd-Case One Set-Cookie a=1 Set-Cookie b=2 Content-Encoding gzip Content-Length ${packed.length}`
      response.writeHead(203, 'Mostly Fine', headers.split(' ')).end(packed)
    })
    const { call, entries } = await startRecording(`${target}/base`)
    const body = Buffer.from([0, 255, 1, 254, 123])
    const headers = { 'X-Client-Case': 'Two', Authorization: 'Basic c2hvcDpvcGVu' }
    const response = await call('/api/billing/credit?x=1%20', { method: 'POST', headers, body })
    expect(response).toMatchObject({ status: 203, message: 'Mostly Fine', body: packed })
    const text = response.headers.join('\n')
    for (const header of ['X-Odd-Case\nOne', 'Set-Cookie\na=1\nSet-Cookie\nb=2', 'Content-Encoding\ngzip'])
      expect(text).toContain(header)
    expect(received).toMatchObject([{ url: '/base/api/billing/credit?x=1%20', body }])
    expect(received[0]?.raw).toContain('X-Client-Case\nTwo')
    expect(received[0]?.raw).toContain('Authorization\nBasic c2hvcDpvcGVu')
    expect(entries()).toHaveLength(1)
  })

  it('paths unchanged, and the recording has them unchanged, too', async () => {
    const receivedPaths: string[] = []
    const target = await startRealService((asked, response) => {
      receivedPaths.push(asked.url ?? '')
      respondWithJson(422, '{"error":"Unprocessable Entity "}')(asked, response)
    })
    const { call, entries, output } = await startRecording(`${target}/base/`)
    const paths = ['/api/a/../b', '/api/%2e%2E/x', '/api/x?', '//api//x', '/api/sticky/rotate/5/../abc']
    for (const path of paths) await call(path)
    expect(receivedPaths).toEqual(paths.map((path) => `/base${path}`))
    expect(entries()[4]?.request.url).toMatch(/\/api\/sticky\/rotate\/5\/\.\.\/abc$/)
    expect(await calibrateFiles(output)).toMatchObject({ exchanges: { judged: 1 } })
  })

  it('nothing that the client did not send, except the length of an empty body', async () => {
    const receivedRequests: unknown[] = []
    const target = await startRealService((asked, response) => {
      const { method, headers } = asked
      receivedRequests.push([method, headers['content-length'], headers['transfer-encoding']])
      asked.resume().once('end', () => response.end())
    })
    const port = Number(new URL((await startRecording(target)).url).port)
    const none = ['GET', 'HEAD', 'DELETE', 'OPTIONS']
    const methods = [...none, 'POST', 'PUT', 'PATCH']
    for (const method of methods) await sendRaw(port, formatRequest(method, '/api/x', []))
    const chunked = ['Transfer-Encoding: chunked']
    await sendRaw(port, formatRequest('POST', '/api/x', chunked), '2\r\n{}\r\n0\r\n\r\n')
    expect(receivedRequests).toEqual([
      ...methods.map((method) => [method, none.includes(method) ? undefined : '0', undefined]),
      ['POST', undefined, 'chunked'],
    ])
  })

  it('requests to an HTTPS service, and checks its certificate', async () => {
    const target = await listen(createSecureServer(createCertificate()))
    const { call, failures } = await startRecording(target.replace('http:', 'https:'))
    // The recorder reached the service, and found that its certificate is self-signed.
    expect(await call('/api/clients', { headers: { authorization } })).toMatchObject({ status: 502 })
    expect(failures).toEqual([expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')])
  })

  it('no request from another site or to another host name', async () => {
    let asked = 0
    const { call, entries } = await startRecording(
      await startRealService((_, response) => void response.end(`${++asked}`)),
    )
    const answered = async (headers: Record<string, string>): Promise<number | undefined> =>
      (await call('/api/clients', { headers })).status
    expect(await answered({ host: 'rebound.example' })).toBe(421)
    expect(await answered({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect([asked, entries()]).toEqual([0, []])
    expect(await answered({ 'sec-fetch-site': 'none' })).toBe(200)
  })
})

describe('if the target fails, the recorder', () => {
  it.each([
    ['an unrequested 101', '101 Switching Protocols', 'switched protocols'],
    ['a status below 100', '099 Odd', 'ERR_HTTP_INVALID_STATUS_CODE'],
    ['an invalid reason phrase', '200 O\x01', 'ERR_INVALID_CHAR'],
    ['a response that isn’t HTTP', '', 'HPE_INVALID_STATUS'],
  ])('replaces %s with 502', async (_, status, code) => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: other'
    const bytes = `HTTP/1.1 ${status}\r\n${status.startsWith('101') ? upgrade : 'Content-Length: 0'}\r\n\r\n`
    const { call, entries } = await startRecording(await startRawService(bytes))
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const _error = `the target sent no complete response (${code})`
    expect(entries()).toMatchObject([{ response: { status: 0 }, _error }])
  })

  it('responds with 502 and a special header, records calls that may have been executed, and continues', async () => {
    let isBroken = true
    const { call, entries } = await startRecording(
      await startRealService((asked, response) => {
        if (isBroken) response.destroy()
        else respondWithJson(200, '[]')(asked, response)
      }),
    )
    const broken = await call('/api/clients')
    expect(broken.status).toBe(502)
    expect(broken.headers).toContain('proxysim-record-error')
    isBroken = false
    expect(await call('/api/clients')).toMatchObject({ status: 200 })
    const why = 'the target sent no complete response (ECONNRESET)'
    expect(entries().map(({ response, _error }) => [response.status, _error])).toEqual([
      [0, why],
      [200, undefined],
    ])
  })

  it('reports that it can’t be reached, records nothing, and reads large requests to the end', async () => {
    const { url, call, failures, entries } = await startRecording('http://127.0.0.1:1')
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const body = 'x'.repeat(5_000_000)
    expect(await fetch(`${url}/api/product/1`, { method: 'POST', body })).toMatchObject({ status: 502 })
    const why = "the target can't be reached (ECONNREFUSED)"
    expect([failures, entries()]).toEqual([[why, why], []])
  })

  it('reports that the target does not use TLS, and records nothing', async () => {
    const target = await startRealService(respondWithJson(200, '[]'))
    const { call, failures, entries } = await startRecording(target.replace('http', 'https'))
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const why = "the target can't be reached (EPROTO). It does not use TLS. Use http://"
    expect([failures, entries()]).toEqual([[why], []])
  })
})

describe('--read-first', () => {
  it('makes read-only calls once per login, before its first request, and records them', async () => {
    const asked: string[] = []
    const service = serveNaive(new NaiveService())
    const target = await startRealService((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      return service(request, response)
    })
    const lines: string[] = []
    const onRead = (line: string) => lines.push(line)
    const { call, output } = await startRecording(target, { readFirst: true, onRead })
    await call('/api/clients', { headers: { authorization: 'Basic bm86bm8=' } })
    expect(asked.splice(0)).toEqual(['GET /api/clients', 'GET /api/clients'])
    for (const path of ['billing/credit', 'services'])
      await call(`/api/${path}`, { headers: { authorization } })
    expect(asked.slice(-2)).toEqual(['GET /api/billing/credit', 'GET /api/services'])
    expect(asked).toContain('GET /api/sticky/list/803')
    expect(asked).not.toContainEqual(expect.stringMatching(/rotate|changettl|resetall|^P/))
    expect(lines).toEqual([
      "Didn't read the account first: /api/clients responded with 401.",
      `Read the account first: ${asked.length - 2} read-only calls.`,
    ])
    const { behaviour } = await calibrateFiles(output)
    expect(behaviour).toMatchObject({ differ: 0, undecidable: 0 })
  })

  it.each([429, 503])('stops if the service responds with %d', async (status) => {
    const service = serveNaive(new NaiveService())
    const target = await startRealService((asked, response) =>
      asked.url?.startsWith('/api/service/') === true
        ? respondWithJson(status, '{"error":"Too Many Requests"}')(asked, response)
        : service(asked, response),
    )
    const lines: string[] = []
    const { call, entries } = await startRecording(target, {
      readFirst: true,
      onRead: (line) => lines.push(line),
    })
    expect(await call('/api/billing/credit', { headers: { authorization } })).toMatchObject({ status: 200 })
    expect(lines).toEqual([
      expect.stringMatching(
        `^Stopped reading the account first: /api/service/\\d+ responded with ${status}.$`,
      ),
    ])
    expect(entries().filter(({ response }) => response.status === status)).toHaveLength(1)
  })
})

describe('a recorder for other machines', () => {
  it('requires a token at the beginning of all paths', async () => {
    const target = await startRealService(serveNaive(new NaiveService()))
    await expect(startRecording(target, { host: '0.0.0.0' })).rejects.toThrow('set a token')
    const { url, entries } = await startRecording(target, { host: '0.0.0.0', token: 'long-enough' })
    const asked = async (path: string) => (await fetch(`http://127.0.0.1:${new URL(url).port}${path}`)).status
    expect([await asked('/api/clients'), await asked('/long-enough/api/clients')]).toEqual([401, 401])
    expect(entries()).toMatchObject([{ request: { url: `${target}/api/clients` } }])
  })
})

describe('a recording', () => {
  it('omits a body that is too long, but forwards it', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x')
    const target = await startRealService(async (asked, response) => {
      const { length } = await readBody(asked)
      response.writeHead(200, { 'content-type': 'application/json', 'x-length': String(length) })
      for (let i = 0; i < 33; i++) response.write(part)
      response.end()
    })
    const { call, entries } = await startRecording(target)
    const body = Buffer.concat(Array.from({ length: 33 }, () => part))
    const answered = await call('/api/product/7', { method: 'POST', body })
    expect(answered.body).toHaveLength(33 * part.length)
    expect(answered.headers.join()).toContain(`x-length,${body.length}`)
    const [entry] = entries()
    expect([entry?.request.postData, entry?.response.content.text]).toEqual([undefined, undefined])
  })

  it('reports contract violations as they happen, on both sides', async () => {
    const service = new NaiveService()
    const target = await startRealService((asked, response) => {
      if (asked.url === '/api/billing/credit')
        respondWithJson(200, '{"credit":"7","more":1}')(asked, response)
      else serveNaive(service)(asked, response)
    })
    const { call, lines } = await startRecording(target)
    const headers = { authorization, 'content-type': 'application/json' }
    await call('/api/billing/credit', { headers })
    await call('/api/product/7', { method: 'POST', headers, body: '{"clientid":"CANARY"}' })
    expect(lines).toEqual([
      '#1 getCredit 200: response: more is not in the contract',
      '#1 getCredit 200: response: credit must be number, not "7"',
      expect.stringMatching(/^#2 orderService 422: request: (?!.*CANARY).*clientid/),
    ])
  })

  it('lists calls that are not in the contract', async () => {
    const { call, lines, counts } = await startRecording(
      await startRealService(serveNaive(new NaiveService())),
    )
    for (const path of ['/app.js', '/panel/api/widgets/7/Jane%20Doe']) await call(path)
    await call('/api/clients', { method: 'DELETE' })
    await call('/api/clients')
    expect(lines).toEqual([
      '#2 GET 401: request: a path that is not in the contract: /api/widgets/[text 3]/[text 4]',
      '#3 DELETE 401: request: a method that this path does not support: /api/clients',
    ])
    expect(counts).toEqual({ written: 4, unknown: 3, lost: 0 })
  })

  it('omits a body that can’t be decompressed, or is too large once decompressed', async () => {
    const part = gzipSync(Buffer.alloc(16 * 1024 * 1024))
    const bodies: Record<string, [encoding: string, body: Buffer]> = {
      '/api/clients': ['deflate', deflateSync('[]')],
      '/api/services': ['compress', Buffer.from([0x1f, 0x9d, 0x90, 0xff])],
      '/api/products': ['gzip', Buffer.concat(Array.from({ length: 3 }, () => part))],
    }
    const target = await startRealService((asked, response) => {
      const [encoding, body] = bodies[asked.url ?? ''] ?? ['', Buffer.alloc(0)]
      respondWithJson(200, body, { 'content-encoding': encoding })(asked, response)
    })
    const { call, entries, lines, output } = await startRecording(target)
    for (const [path, [, body]] of Object.entries(bodies)) expect((await call(path)).body).toEqual(body)
    expect(entries().map(({ response }) => response.content.text)).toEqual(['[]', undefined, undefined])
    expect(lines).toEqual([])
    const headers = { authorization, 'content-encoding': 'compress' }
    await call('/api/service/800', { method: 'PUT', headers, body: Buffer.from([0x1f, 0x9d]) })
    expect(entries()[3]?.request).not.toHaveProperty('postData')
    const reason = 'the request body was not recorded'
    expect((await calibrateFiles(output)).exchanges.skipped).toContainEqual({ exchange: 4, reason })
  })

  it('contains no secrets, and equal values stay equal', async () => {
    const service = new NaiveService()
    const [first] = service.services
    const { call, entries, output } = await startRecording(await startRealService(serveNaive(service)))
    const headers = {
      authorization,
      'content-type': 'application/json',
      cookie: 'sid=CANARY-cookie',
      'x-api-key': 'CANARY-key',
      'user-agent': 'CANARY-agent',
    }
    const password = Buffer.from('CANARY-new').toString('base64')
    for (const path of ['clients', 'service/800', 'iplist/http-auth/json/800?key=CANARY-query'])
      await call(`/api/${path}`, { headers })
    const body = JSON.stringify({ password, setip: '100.64.1.2' })
    await call('/api/service/800', { method: 'PUT', headers, body })
    await call('/api/service/800', { headers })
    await call('/elsewhere/CANARY-path', { headers })
    const text = readFileSync(output, 'utf8')
    const secrets = [
      service.login,
      'sesame',
      authorization.slice(6),
      'first@shop.test',
      'px800',
      'Pw,800',
      '100.64.1.2',
      'CANARY',
      password,
      ...(first?.ips ?? []),
    ]
    const isIn = (secret: string): boolean =>
      new RegExp(`(?<![\\w.])${secret.replace(/[.+]/g, String.raw`\$&`)}(?![\\w.])`).test(text)
    expect(secrets.filter(isIn)).toEqual([])
    const names = entries().flatMap((entry) => entry.request.headers.map(({ name }) => name))
    expect(names.filter((name) => /authorization|cookie|key/i.test(name))).toEqual([])
    const bodies = entries().map(
      ({ response }) => JSON.parse(response.content.text || 'null') as Record<string, string>,
    )
    const posted = JSON.parse(entries()[3]?.request.postData?.text ?? '{}') as Record<string, string>
    expect(Buffer.from(posted['password'] as string, 'base64').toString()).toBe(bodies[4]?.['password'])
    expect(bodies[4]?.['bindedip']).toBe(posted['setip'])
    expect(bodies[1]?.['password']).not.toBe(bodies[4]?.['password'])
    expect(await calibrateFiles(output)).toMatchObject({
      behaviour: { differences: [] },
      violations: [],
      exchanges: { judged: 5 },
    })
  })
})
