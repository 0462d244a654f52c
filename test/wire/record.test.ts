import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../../src/calibration/calibrate.ts'
import type { Calibration } from '../../src/calibration/Calibration.ts'
import { readRecordings } from '../../src/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import {
  bodyOf,
  json,
  listening,
  naive,
  rawService,
  realService,
  recording,
} from '../support/calibration/recorder.ts'
import { Tape } from '../support/calibration/Tape.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'
import { folder } from '../support/start.ts'

const contract = await loadContract()
const { authorization } = new NaiveService()

async function calibrated(...files: string[]): Promise<Calibration> {
  return (await calibrate(await readRecordings(files, contract), contract)).calibration
}

describe('the recorder passes on', () => {
  it('bytes, statuses and headers unchanged, in both directions', async () => {
    const seen: { url: string; raw: string; body: Buffer }[] = []
    const packed = gzipSync('{"credit":12.5}')
    const target = await realService(async (asked, response) => {
      seen.push({ url: asked.url ?? '', raw: asked.rawHeaders.join('\n'), body: await bodyOf(asked) })
      const headers = `X-Odd-Case One Set-Cookie a=1 Set-Cookie b=2 Content-Encoding gzip Content-Length ${packed.length}`
      response.writeHead(203, 'Mostly Fine', headers.split(' ')).end(packed)
    })
    const { call, entries } = await recording(`${target}/base`)
    const body = Buffer.from([0, 255, 1, 254, 123])
    const headers = { 'X-Client-Case': 'Two', Authorization: 'Basic c2hvcDpvcGVu' }
    const answered = await call('/api/billing/credit?x=1%20', { method: 'POST', headers, body })
    expect(answered).toMatchObject({ status: 203, message: 'Mostly Fine', body: packed })
    const text = answered.headers.join('\n')
    for (const header of ['X-Odd-Case\nOne', 'Set-Cookie\na=1\nSet-Cookie\nb=2', 'Content-Encoding\ngzip'])
      expect(text).toContain(header)
    expect(seen).toMatchObject([{ url: '/base/api/billing/credit?x=1%20', body }])
    expect(seen[0]?.raw).toContain('X-Client-Case\nTwo')
    expect(seen[0]?.raw).toContain('Authorization\nBasic c2hvcDpvcGVu')
    expect(entries()).toHaveLength(1)
  })

  it('paths as they were written, also to those who read the recording', async () => {
    const seen: string[] = []
    const target = await realService((asked, response) => {
      seen.push(asked.url ?? '')
      json(422, '{"error":"Unprocessable Entity "}')(asked, response)
    })
    const { call, entries, output } = await recording(`${target}/base/`)
    const paths = ['/api/a/../b', '/api/%2e%2E/x', '/api/x?', '//api//x', '/api/sticky/rotate/5/../abc']
    for (const path of paths) await call(path)
    expect(seen).toEqual(paths.map((path) => `/base${path}`))
    expect(entries()[4]?.request.url).toMatch(/\/api\/sticky\/rotate\/5\/\.\.\/abc$/)
    expect(await calibrated(output)).toMatchObject({ exchanges: { judged: 1 } })
  })

  it('nothing that the client did not send, except the length of an empty body', async () => {
    const seen: unknown[] = []
    const target = await realService((asked, response) => {
      const { method, headers } = asked
      seen.push([method, headers['content-length'], headers['transfer-encoding']])
      asked.resume().once('end', () => response.end())
    })
    const port = Number(new URL((await recording(target)).url).port)
    const none = ['GET', 'HEAD', 'DELETE', 'OPTIONS']
    const methods = [...none, 'POST', 'PUT', 'PATCH']
    for (const method of methods) await sendRaw(port, rawRequest(method, '/api/x', []))
    const chunked = ['Transfer-Encoding: chunked']
    await sendRaw(port, rawRequest('POST', '/api/x', chunked), '2\r\n{}\r\n0\r\n\r\n')
    expect(seen).toEqual([
      ...methods.map((method) => [method, none.includes(method) ? undefined : '0', undefined]),
      ['POST', undefined, 'chunked'],
    ])
  })

  it('responses of an HTTPS service', async () => {
    const made = folder()
    const [key, cert] = [join(made, 'key.pem'), join(made, 'cert.pem')]
    const flags = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 2 -subj /CN=localhost`
    execFileSync('openssl', flags.split(' '), { stdio: 'ignore' })
    const tls = { key: readFileSync(key), cert: readFileSync(cert) }
    const target = await listening(createSecureServer(tls))
    const { call, failures } = await recording(target.replace('http:', 'https:'))
    // Nobody signed the certificate: it got as far as to see that.
    expect(await call('/api/clients', { headers: { authorization } })).toMatchObject({ status: 502 })
    expect(failures).toEqual([expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')])
  })

  it('no request of another site, or to another name', async () => {
    let asked = 0
    const { call, entries } = await recording(
      await realService((_, response) => void response.end(`${++asked}`)),
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
    ['a 101 that nobody asked for', '101 Switching Protocols', 'switched protocols'],
    ['a status below 100', '099 Odd', 'ERR_HTTP_INVALID_STATUS_CODE'],
    ['a reason that is no text', '200 O\x01', 'ERR_INVALID_CHAR'],
    ['what is not HTTP', '', 'HPE_INVALID_STATUS'],
  ])('answers %s with 502', async (_, status, code) => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: other'
    const bytes = `HTTP/1.1 ${status}\r\n${status.startsWith('101') ? upgrade : 'Content-Length: 0'}\r\n\r\n`
    const { call, entries } = await recording(await rawService(bytes))
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const _error = `the target sent no complete response (${code})`
    expect(entries()).toMatchObject([{ response: { status: 0 }, _error }])
  })

  it('responds with 502 and a special header, records calls that may have been executed, and goes on', async () => {
    let isBroken = true
    const { call, entries } = await recording(
      await realService((asked, response) => {
        if (isBroken) response.destroy()
        else json(200, '[]')(asked, response)
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
    const gone = createServer()
    const { url, call, failures, entries } = await recording(await listening(gone))
    gone.close() // only now, or the recorder could get its port
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const body = 'x'.repeat(20_000_000)
    expect(await fetch(`${url}/api/product/1`, { method: 'POST', body })).toMatchObject({ status: 502 })
    const why = "the target can't be reached (ECONNREFUSED)"
    expect([failures, entries()]).toEqual([[why, why], []])
  })

  it('reports that the target does not use TLS, and records nothing', async () => {
    const target = await realService(json(200, '[]'))
    const { call, failures, entries } = await recording(target.replace('http', 'https'))
    expect(await call('/api/clients')).toMatchObject({ status: 502 })
    const why = "the target can't be reached (EPROTO). It does not use TLS. Use http://"
    expect([failures, entries()]).toEqual([[why], []])
  })
})

describe('--read-first', () => {
  it('makes the read-only calls of a login once, before its first request, and records them', async () => {
    const asked: string[] = []
    const service = naive(new NaiveService())
    const target = await realService((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      return service(request, response)
    })
    const said: string[] = []
    const onRead = (line: string) => said.push(line)
    const { call, output } = await recording(target, { readFirst: true, onRead })
    await call('/api/clients', { headers: { authorization: 'Basic bm86bm8=' } })
    expect(asked.splice(0)).toEqual(['GET /api/clients', 'GET /api/clients'])
    for (const path of ['billing/credit', 'services'])
      await call(`/api/${path}`, { headers: { authorization } })
    expect(asked.slice(-2)).toEqual(['GET /api/billing/credit', 'GET /api/services'])
    expect(asked).toContain('GET /api/sticky/list/803')
    expect(asked).not.toContainEqual(expect.stringMatching(/rotate|changettl|resetall|^P/))
    expect(said).toEqual([
      "Didn't read the account first: /api/clients responded with 401.",
      `Read the account first: ${asked.length - 2} read-only calls.`,
    ])
    const { behaviour } = await calibrated(output)
    expect(behaviour).toMatchObject({ differ: 0, undecidable: 0 })
  })
})

describe('a recorder for other machines', () => {
  it('needs a token, which all paths begin with', async () => {
    const target = await realService(naive(new NaiveService()))
    await expect(recording(target, { host: '0.0.0.0' })).rejects.toThrow('Set a token with --token')
    const { url, entries } = await recording(target, { host: '0.0.0.0', token: 'long-enough' })
    const asked = async (path: string) => (await fetch(`http://127.0.0.1:${new URL(url).port}${path}`)).status
    expect([await asked('/api/clients'), await asked('/long-enough/api/clients')]).toEqual([401, 401])
    expect(entries()).toMatchObject([{ request: { url: `${target}/api/clients` } }])
  })
})

describe('a recording', () => {
  it('omits a body that is too long, but forwards it', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x')
    const target = await realService(async (asked, response) => {
      const { length } = await bodyOf(asked)
      response.writeHead(200, { 'content-type': 'application/json', 'x-length': String(length) })
      for (let i = 0; i < 40; i++) response.write(part)
      response.end()
    })
    const { call, entries } = await recording(target)
    const body = Buffer.concat(Array.from({ length: 36 }, () => part))
    const answered = await call('/api/product/7', { method: 'POST', body })
    expect(answered.body).toHaveLength(40 * part.length)
    expect(answered.headers.join()).toContain(`x-length,${body.length}`)
    const [entry] = entries()
    expect([entry?.request.postData, entry?.response.content.text]).toEqual([undefined, undefined])
  })

  it('reports contract violations as they happen, on both sides', async () => {
    const service = new NaiveService()
    const target = await realService((asked, response) => {
      if (asked.url === '/api/billing/credit') json(200, '{"credit":"7","more":1}')(asked, response)
      else naive(service)(asked, response)
    })
    const { call, lines } = await recording(target)
    const headers = { authorization, 'content-type': 'application/json' }
    await call('/api/billing/credit', { headers })
    await call('/api/product/7', { method: 'POST', headers, body: '{"clientid":"CANARY"}' })
    expect(lines).toEqual([
      '#1 getCredit 200: response: credit must be number, not string',
      '#1 getCredit 200: response: more is not in the contract',
      expect.stringMatching(/^#2 orderService 422: request: (?!.*CANARY).*clientid/),
    ])
  })

  it('lists calls that are not in the contract', async () => {
    const { call, lines, counts } = await recording(await realService(naive(new NaiveService())))
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
    const target = await realService((asked, response) => {
      const [encoding, body] = bodies[asked.url ?? ''] ?? ['', Buffer.alloc(0)]
      json(200, body, { 'content-encoding': encoding })(asked, response)
    })
    const { call, entries, lines, output } = await recording(target)
    for (const [path, [, body]] of Object.entries(bodies)) expect((await call(path)).body).toEqual(body)
    expect(entries().map(({ response }) => response.content.text)).toEqual(['[]', undefined, undefined])
    expect(lines).toEqual([])
    const headers = { authorization, 'content-encoding': 'compress' }
    await call('/api/service/800', { method: 'PUT', headers, body: Buffer.from([0x1f, 0x9d]) })
    expect(entries()[3]?.request).not.toHaveProperty('postData')
    const reason = 'the recorder did not keep the request body'
    expect((await calibrated(output)).exchanges.skipped).toContainEqual({ exchange: 4, reason })
  })

  it('contains no secrets, and equal values stay equal', async () => {
    const service = new NaiveService()
    const [first] = service.services
    if (first) first.product = 'Proxies of px800 for open:sesame'
    const { call, entries, output } = await recording(await realService(naive(service)))
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
    expect(bodies[1]?.['product_name']).toBe(`Proxies of ${bodies[1]?.['username']} for password2`)
    const posted = JSON.parse(entries()[3]?.request.postData?.text ?? '{}') as Record<string, string>
    expect(Buffer.from(posted['password'] as string, 'base64').toString()).toBe(bodies[4]?.['password'])
    expect(bodies[4]?.['bindedip']).toBe(posted['setip'])
    expect(bodies[1]?.['password']).not.toBe(bodies[4]?.['password'])
    expect(await calibrated(output)).toMatchObject({
      behaviour: { differences: [] },
      violations: [],
      exchanges: { judged: 5 },
    })
  })

  it('is replayed from its own initial state, even if other recordings reuse its placeholders', async () => {
    const files: string[] = []
    for (const cents of [500, 700]) {
      const service = new NaiveService()
      service.cents = cents
      const { call, output } = await recording(await realService(naive(service)))
      for (const path of ['service/800', 'billing/credit', 'service/800', 'billing/credit'])
        await call(`/api/${path}`, { headers: { authorization } })
      files.push(output)
    }
    const other = new Tape(new NaiveService())
    other.get('/api/service/800')
    expect(await calibrated(...files, other.file())).toMatchObject({
      exchanges: { judged: 9, skipped: [] },
      behaviour: { same: 4, firstObservation: 5, fidelity: 100 },
      violations: [],
    })
  })
})
