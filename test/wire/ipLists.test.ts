import { describe, expect, it } from 'vitest'
import { start, startForAll } from '../support/start.ts'
import { assuming, reseller, scenarioWith } from '../support/scenario.ts'

const login = { username: 'u5001', password: 'p,5"0:01' }
const gateway = { username: 'u5002', password: 'p5002' }

/** Type, service, and what a proxy client needs to know of each entry. */
const lists = [
  ['http-ip', 5001, ['198.51.100.1', '198.51.100.2'], 8080, undefined],
  ['socks-ip', 5001, ['198.51.100.1', '198.51.100.2'], 1080, undefined],
  ['http-auth', 5001, ['198.51.100.1', '198.51.100.2'], 8080, login],
  ['ppr-http', 5002, ['198.51.100.9'], 8080, gateway],
  ['ppr-socks', 5002, ['198.51.100.9'], 1080, gateway],
] as const

const simulator = startForAll({ scenario: scenarioWith() })

async function get(path: string, type: string): Promise<string> {
  const { status, headers, text } = await simulator().call('GET', path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe(`${type}; charset=utf-8`)
  return text
}

/** RFC 4180, quotes and all. */
function parseCsv(text: string): Record<string, string>[] {
  const rows = [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\n]*)(?:,|\n))/g)].map(([field]) => field)
  const table: string[][] = [[]]
  for (const field of rows) {
    const value = field.slice(0, -1)
    table.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (field.endsWith('\n')) table.push([])
  }
  const [header = [], ...records] = table.slice(0, -1)
  return records.map((record) => Object.fromEntries(header.map((name, i) => [name, record[i] ?? ''])))
}

describe.each(lists)('a list of type %s', (type, id, ips, port, auth) => {
  it('as txt has a line for each entry, which a client can parse', async () => {
    const text = await get(`/api/iplist/${type}/txt/${id}`, 'text/plain')
    expect(text.endsWith('\n')).toBe(true)
    const entries = text
      .trimEnd()
      .split('\n')
      // the password is the last field: it may hold colons
      .map((line) => /^([\d.]+):(\d+)(?::([^:]+):(.*))?$/.exec(line)?.slice(1))
    expect(entries).toEqual(ips.map((ip) => [ip, String(port), auth?.username, auth?.password]))
  })

  it('as csv has a header and quoted fields', async () => {
    const records = parseCsv(await get(`/api/iplist/${type}/csv/${id}`, 'text/csv'))
    expect(records).toEqual(ips.map((ip) => ({ ip, port: String(port), ...auth })))
  })

  it('as json is an array of the lines', async () => {
    const text = await get(`/api/iplist/${type}/json/${id}`, 'application/json')
    const tail = auth ? `:${auth.username}:${auth.password}` : ''
    expect(JSON.parse(text)).toEqual(ips.map((ip) => `${ip}:${port}${tail}`))
  })
})

describe('assumption ipListJson', () => {
  it.each(lists)('objects: %s is an array of objects', async (type, id, ips, port, auth) => {
    const { call } = await start({ scenario: assuming({ ipListJson: 'objects' }) })
    const { json } = await call('GET', `/api/iplist/${type}/json/${id}`)
    expect(json).toEqual(ips.map((ip) => ({ ip, port, ...auth })))
  })
})

describe('an IP list', () => {
  it('is the same whatever the Accept header says', async () => {
    const { call } = simulator()
    const { headers } = await call('GET', '/api/iplist/http-ip/csv/5001', {
      headers: { accept: 'application/json' },
    })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  })

  it('may be empty', async () => {
    const services = { 5001: { ...reseller.services[5001], ips: [], errors: [], inactive: [] } }
    const { call } = await start({ scenario: scenarioWith({ services }) })
    expect((await call('GET', '/api/iplist/http-ip/txt/5001')).text).toBe('')
    expect((await call('GET', '/api/iplist/http-ip/csv/5001')).text).toBe('ip,port\n')
    expect((await call('GET', '/api/iplist/http-ip/json/5001')).json).toEqual([])
  })

  it("that is generated has the service's number of distinct addresses, in the range reserved for benchmarks", async () => {
    const services = { 5001: { client: 11, product: 101, ip_count: 5000 } }
    const { call } = await start({ scenario: scenarioWith({ services }) })
    const lines = (await call('GET', '/api/iplist/http-ip/txt/5001')).text.trimEnd().split('\n')
    expect(new Set(lines).size).toBe(5000)
    expect(lines.filter((line) => !/^198\.18\.\d+\.\d+:8080$/.test(line))).toEqual([])
  })
})
