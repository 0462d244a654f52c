import { describe, expect, it } from 'vitest'
import { reseller, scenarioWith } from '../support/scenario.ts'
import { start, startForAll } from '../support/start.ts'

const fixed = ['198.51.100.1', '198.51.100.2']
const gateways = ['198.51.100.9']

/** Type, service, addresses, port and login of each list, and the login in CSV (RFC 4180) */
const lists = [
  ['http-ip', 5001, fixed, 8080, {}, ''],
  ['socks-ip', 5001, fixed, 1080, {}, ''],
  ['http-auth', 5001, fixed, 8080, { username: 'u5001', password: 'p,5"0:01' }, ',u5001,"p,5""0:01"'],
  ['ppr-http', 5002, gateways, 8080, { username: 'u5002', password: 'p5002' }, ',u5002,p5002'],
  ['ppr-socks', 5002, gateways, 1080, { username: 'u5002', password: 'p5002' }, ',u5002,p5002'],
] as const

const simulator = startForAll({ scenario: scenarioWith() })

describe.each(lists)('a list of type %s', (type, id, ips, port, login, quoted) => {
  const lines = ips.map((ip) => [ip, port, ...Object.values(login)].join(':'))
  const header = ['ip', 'port', ...Object.keys(login)].join(',')

  it.each([
    ['txt', 'text/plain', lines.map((line) => `${line}\n`).join('')],
    ['csv', 'text/csv', [header, ...ips.map((ip) => `${ip},${port}${quoted}`), ''].join('\n')],
    ['json', 'application/json', JSON.stringify(lines)],
  ])('is available as %s, regardless of the Accept header', async (format, contentType, text) => {
    for (const accept of ['application/json', '*/*']) {
      const path = `/api/iplist/${type}/${format}/${id}`
      const response = await simulator().call('GET', path, { headers: { accept } })
      expect(response).toMatchObject({ status: 200, text })
      expect(response.headers['content-type']).toBe(`${contentType}; charset=utf-8`)
    }
  })

  it('is an array of objects under that interpretation', async () => {
    const { call } = await start({ scenario: scenarioWith({ assumptions: { ipListJson: 'objects' } }) })
    const { json } = await call('GET', `/api/iplist/${type}/json/${id}`)
    expect(json).toEqual(ips.map((ip) => ({ ip, port, ...login })))
  })
})

it('a list may be empty', async () => {
  const services = { 5001: { ...reseller.services[5001], ips: [], errors: [], inactive: [] } }
  const { call } = await start({ scenario: scenarioWith({ services }) })
  for (const [format, text] of Object.entries({ txt: '', csv: 'ip,port\n', json: '[]' }))
    expect((await call('GET', `/api/iplist/http-ip/${format}/5001`)).text).toBe(text)
})

it("a generated list has the service's number of distinct addresses, in the range reserved for benchmarks", async () => {
  const services = { 5001: { client: 11, product: 101, ip_count: 5000 } }
  const { call } = await start({ scenario: scenarioWith({ services }) })
  const lines = (await call('GET', '/api/iplist/http-ip/txt/5001')).text.trimEnd().split('\n')
  expect(new Set(lines).size).toBe(5000)
  expect(lines.filter((line) => !/^198\.18\.\d+\.\d+:8080$/.test(line))).toEqual([])
})
