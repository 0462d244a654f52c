import { describe, expect, it } from 'vitest'
import { formatRequest, parseResponse, sendRaw } from '../support/raw.ts'
import { startForAll, getState } from '../support/start.ts'
import { scenarioWith } from '../support/scenario.ts'

const simulator = startForAll({ scenario: scenarioWith() })

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']

const list = (text: string): string[] => text.split('|')

describe('routes', () => {
  it.each([
    ...list('/api|/api/|/api/nothing|/api/services/|/api/services/5001|/api/service|/api/service/'),
    ...list('/api/service/5001/|/api/Services|/api/SERVICES|/api//services|/api/./services'),
    ...list('/api/%73ervices/x|/api/iplist/http-ip//5001|/api/openapi.yaml|/api/__admin/health'),
  ])('don’t include %s', async (path) => {
    const { status, headers, json } = await simulator().call('GET', path)
    expect(status).toBe(404)
    expect(json).toEqual({ error: expect.stringContaining('Not Found') })
    expect(headers['sim-case']).toBe('not-found')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it.each([
    ...list('/%61pi/clients|/ap%69/%63lients|/__%61dmin/accounts'),
    ...list('/api/%63lients|/api/bill%69ng/credit|/api/s%65rvice/%35001'),
  ])('include %s, whose letters are encoded', async (path) => {
    const { call, authorization } = simulator()
    const headers = { authorization: authorization() }
    expect((await call('GET', path, { headers })).status).toBe(200)
  })

  it.each([
    ['/api/services/', '/api/services'],
    ['/api//services', '/api/services'],
    ['/api/SERVICES', '/api/services'],
    ['/api/api/service/5001/', '/api/service/5001'],
    ['/services/', '/api/services'],
    ['/Service/5001', '/api/service/5001'],
    ['/api/servces', '/api/services'],
    ['/services/5001', '/api/service/5001'],
    ['/api/credit', '/api/billing/credit'],
    ['/api/orders', ''],
    ['/api/service', ''],
    ['/api', ''],
    ['/nowhere', ''],
  ])('are suggested for %s: %s', async (path, suggested) => {
    const { json } = await simulator().call<{ error: string }>('GET', path)
    expect(/Did you mean (\S+)\?/.exec(json.error)?.[1] ?? '').toBe(suggested)
  })

  it('return 405 and the allowed methods for other methods', async () => {
    const { call, simulation } = simulator()
    const before = JSON.stringify(getState({ simulation }))
    const paths = new Map<string, string[]>()
    for (const { path, method } of simulation.contract.operations)
      paths.set(path, [...(paths.get(path) ?? []), method])
    // HEAD isn't allowed for operations that change state, because clients use it to read.
    for (const { path, method, changesState } of simulation.contract.operations)
      if (method === 'GET' && !changesState) paths.get(path)?.push('HEAD')
    for (const [path, allowed] of paths)
      for (const method of methods.filter((one) => !allowed.includes(one))) {
        const { status, headers, text } = await call(method, path.replaceAll(/\{.+?\}/g, '5002'))
        expect({ path, method, status }).toEqual({ path, method, status: 405 })
        expect(headers.allow?.split(', ').toSorted()).toEqual(allowed.toSorted())
        expect(headers['sim-case']).toBe('method-not-allowed')
        expect(text).toMatch(method === 'HEAD' ? /^$/ : /^\{"error":"Method Not Allowed: .+"\}$/)
      }
    expect(JSON.stringify(getState({ simulation }))).toBe(before)
  })

  it('return the response of GET without its body for HEAD', async () => {
    const { call } = simulator()
    const get = await call('GET', '/api/services')
    const head = await call('HEAD', '/api/services')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(await call('HEAD', '/api/service/1')).toMatchObject({
      status: 422,
      headers: { 'sim-case': 'unprocessable' },
    })
  })

  it.each([
    ...list('http://127.0.0.1/api/services|/api/services#x|*|/api/service/ü|?|/api/service/\u0001'),
    ...list('/api/service/%zz|/api/service/%00|//api/services|/api\\services'),
  ])('don’t fail for %j', async (target) => {
    const { port, authorization } = simulator()
    const headers = [`Authorization: ${authorization()}`]
    const { status, head } = parseResponse(await sendRaw(port, formatRequest('GET', target, headers)))
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
    expect(head).not.toContain('text/html')
  })

  it('never return 304, even if the client has cached responses', async () => {
    const { headers, status } = await simulator().call('GET', '/api/services', {
      headers: { 'if-none-match': '*', 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
    })
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('etag')
  })
})
