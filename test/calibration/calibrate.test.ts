import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proxysim, refusal } from '../cli/proxysim.ts'
import { folder, start } from '../support/start.ts'
import { NaiveService } from './support/NaiveService.ts'
import { Tape } from './support/Tape.ts'
import { fullTour } from './support/tours.ts'

const other = {
  productSort: 'desc',
  orderedInvoice: 'Pending',
  geo: 'object',
  updateListInterval: 600,
  stickyAuth: 'open',
} as const

function file(text: string, name = 'a.har'): string {
  const made = join(folder(), name)
  writeFileSync(made, text)
  return made
}

describe('proxysim calibrate', () => {
  it('prints the calibration as JSON', async () => {
    const { code, stdout } = await proxysim(['calibrate', '--json', fullTour(new NaiveService(other)).file()])
    expect(code).toBe(0)
    const found = JSON.parse(stdout) as Record<string, unknown>
    expect(Object.keys(found)).toEqual(['exchanges', 'assumptions', 'drift', 'behaviour'])
    expect(found).toMatchObject({
      exchanges: { read: 66, judged: 66, skipped: [] },
      drift: [],
      behaviour: { differ: 0, undecidable: 0, fidelity: 100, differences: [] },
    })
    expect((found['assumptions'] as object[])[0]).toEqual({
      id: 'productSort',
      verdict: 'other',
      reading: 'desc',
      default: 'asc',
      evidence: [8, 9, 10],
      needs: [],
    })
  })

  it('reads more exchanges than a call can have arguments', { timeout: 240_000 }, async () => {
    const response = { status: 200, content: { text: '[]', mimeType: 'application/json' } }
    const entry = { request: { method: 'GET', url: 'https://real.example/api/clients' }, response }
    const entries = Array.from({ length: 130_000 }, () => entry)
    const { code, stdout } = await proxysim([
      'calibrate',
      '--json',
      file(JSON.stringify({ log: { entries } })),
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ exchanges: { judged: 130_000 }, behaviour: { differ: 0 } })
  })

  it('writes a scenario that check accepts and that responds as the recording does', async () => {
    const recorded = fullTour(new NaiveService(other))
    const scenario = join(folder(), 'real.yaml')
    // Kept fields can be compared; the others have stand-ins.
    const keep = ['--keep', 'ip', 'email', 'username', 'password']
    expect(await proxysim(['calibrate', recorded.file(), '--write', scenario, ...keep])).toMatchObject({
      code: 0,
    })
    expect(await proxysim(['check', scenario])).toMatchObject({ code: 0, stdout: `${scenario}: ok\n` })
    const sim = await start({ scenario })
    const ids = { service: /^\/api\/service\/(\d+)$/ }
    let [same, compared] = [0, 0]
    for (const { at, request, answer } of recorded.taped) {
      await sim.call('PUT', '/__admin/clock', {
        body: { now: new Date(Math.floor(at / 1000) * 1000).toISOString() },
      })
      const mine =
        request.authorization === recorded.service.authorization ? { login: 'recorded' } : { login: null }
      const ours = await sim.call(request.method, request.path, {
        ...mine,
        ...(request.body !== undefined && { raw: request.body }),
        ...(request.authorization !== undefined &&
          mine.login === null && { headers: { authorization: request.authorization } }),
      })
      expect([request.path, ours.status]).toEqual([request.path, answer.status])
      // Only generated values may differ: names and addresses of what was ordered or renewed meanwhile.
      if (
        answer.type !== 'application/json' ||
        ids.service.test(request.path) ||
        request.path.includes('iplist')
      )
        continue
      compared++
      if (JSON.stringify(sorted(ours.json)) === JSON.stringify(sorted(JSON.parse(answer.body)))) same++
    }
    expect(compared).toBeGreaterThan(35)
    expect(compared - same).toBeLessThanOrEqual(8)
  })

  it('writes no address for a service that has none', async () => {
    const recorded = new Tape(new NaiveService())
    expect(recorded.get('/api/service/800').body).toContain('bindedip')
    expect(recorded.get('/api/service/806').body).not.toContain('bindedip')
    const scenario = join(folder(), 'real.yaml')
    await proxysim(['calibrate', recorded.file(), '--write', scenario])
    const sim = await start({ scenario })
    expect((await sim.call('GET', '/api/service/800', { login: 'recorded' })).json).toHaveProperty('bindedip')
    expect((await sim.call('GET', '/api/service/806', { login: 'recorded' })).json).not.toHaveProperty(
      'bindedip',
    )
  })

  const refusedWithoutFunds: [string, string, object][] = [['POST', '/api/product/7', { clientid: 31 }]]
  const update = { update_list: 'true' }

  it.each<[string, [method: string, path: string, body?: object][]]>([
    [
      'sessions after a change of their TTL',
      [
        ['GET', '/api/sticky/changettl/803/5'],
        ['GET', '/api/sticky/list/803'],
      ],
    ],
    [
      'a session that is rotated after a change of its TTL',
      [
        ['GET', '/api/sticky/changettl/803/5'],
        ['GET', '/api/sticky/rotate/803/ams1/s-a'],
      ],
    ],
    [
      'addresses after an update',
      [
        ['PUT', '/api/service/800', update],
        ['GET', '/api/iplist/http-ip/txt/800'],
      ],
    ],
    [
      'the status of a service that is not updated',
      [
        ['GET', '/api/networkstatus/inactive/806'],
        ['PUT', '/api/service/806', update],
      ],
    ],
    [
      'the status of a service without a TTL',
      [
        ['GET', '/api/sticky/changettl/806/5'],
        ['PUT', '/api/service/806', { password: 'bmV3' }],
      ],
    ],
    [
      'the status of a service without a list',
      [
        ['GET', '/api/stats/809'],
        ['GET', '/api/iplist/ppr-http/txt/809'],
      ],
    ],
    [
      'the type of a service without a list',
      [
        ['GET', '/api/networkstatus/errors/803'],
        ['PUT', '/api/service/803', { password: 'bmV3' }],
        ['GET', '/api/iplist/http-ip/txt/803'],
      ],
    ],
    ['the price of a product that is too expensive', refusedWithoutFunds],
    [
      'the price of a product that is too expensive after another',
      [['POST', '/api/product/13', { clientid: 31 }], ...refusedWithoutFunds],
    ],
  ])('the scenario has %s', async (_, calls) => {
    const service = new NaiveService()
    service.cents = 100
    const recorded = new Tape(service)
    for (const [method, path, body] of calls) recorded.call(method, path, body && { body })
    const scenario = join(folder(), 'real.yaml')
    await proxysim(['calibrate', recorded.file(), '--write', scenario, '--keep', 'ip'])
    const sim = await start({ scenario })
    for (const { request, answer } of recorded.taped) {
      const ours = await sim.call(request.method, request.path, {
        login: 'recorded',
        ...(request.body !== undefined && { raw: request.body }),
      })
      expect([request.path, ours.status, sizeOf(ours.text)]).toEqual([
        request.path,
        answer.status,
        sizeOf(answer.body),
      ])
    }
  })

  it('writes reports by their extension', async () => {
    const made = folder()
    const reports = ['har', 'md', 'json', 'xml', 'sarif'].map((extension) =>
      join(made, `report.${extension}`),
    )
    const recorded = fullTour(new NaiveService(other))
    expect(await proxysim(['calibrate', recorded.file(), '--report', ...reports])).toMatchObject({ code: 0 })
    const [har = '', md = '', json = '', xml = '', sarif = ''] = reports.map((report) =>
      readFileSync(report, 'utf8'),
    )
    expect(md).toContain('| `productSort` | 🔁 other | desc | asc | #8, #9, #10 |')
    expect(JSON.parse(json)).toMatchObject({ behaviour: { fidelity: 100 } })
    expect(xml).toMatch(/^<\?xml[^]*<testsuite name="assumptions" tests="1[2-9]" failures="0"/)
    expect(JSON.parse(sarif)).toMatchObject({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'proxysim calibrate' } } }],
    })
    // The archive with stand-ins says the same.
    const again = await proxysim(['calibrate', '--json', file(har)])
    const readings = (text: string): unknown =>
      (
        JSON.parse(text) as { assumptions: { id: string; verdict: string; reading: unknown }[] }
      ).assumptions.map(({ id, verdict, reading }) => [id, verdict, reading])
    expect(readings(again.stdout)).toEqual(readings(json))
    expect(JSON.parse(again.stdout)).toMatchObject({ behaviour: { differ: 0 }, drift: [] })
  })

  it('says of a long body how long it is, and shows the parts that differ', async () => {
    const service = new NaiveService()
    service.clients = Array.from({ length: 600 }, (_, i) => ({ id: 1000 + i, email: `c${i}@shop.test` }))
    const recorded = new Tape(service)
    recorded.get('/api/clients')
    service.clients.pop()
    recorded.get('/api/clients')
    const { stdout } = await proxysim(['calibrate', recorded.file(), '--json'])
    const note = expect.stringMatching(/^\(\d{5} characters; see the parts that differ\)$/) as string
    expect(JSON.parse(stdout)).toMatchObject({
      behaviour: {
        differences: [
          {
            real: { status: 200, body: note },
            ours: { status: 200, body: note },
            parts: [{ path: '[id=1599]', real: null }],
          },
        ],
      },
    })
  })

  it('exits with 1 and says why if the result falls short of what a flag requires', async () => {
    const recorded = new Tape(new NaiveService())
    recorded.get('/api/products')
    recorded.get('/api/products/orderby/price')
    recorded.alter = ({ body, ...answer }) => ({
      ...answer,
      body: body.replaceAll('"price":15', '"price":16,"colour":"red"'),
    })
    recorded.get('/api/products')
    ;(recorded.service.readings as { productSort: string }).productSort = 'desc'
    recorded.get('/api/products/orderby/price')
    const tape = recorded.file()
    expect(await proxysim(['calibrate', tape])).toMatchObject({ code: 0 })
    expect(
      await proxysim(['calibrate', tape, '--fail-on', 'drift,contradiction', '--min-fidelity', '95']),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /below 95 %[^]*breaks the contract in 2 ways[^]*no reading agrees for productSort/,
      ) as string,
    })
    expect(await proxysim(['calibrate', tape, '--fail-on', 'difference'])).toMatchObject({ code: 1 })
  })

  it.each([
    ['95.83', 0],
    ['95.84', 1],
  ])('compares the exact fidelity with --min-fidelity %s', async (percent, code) => {
    const recorded = new Tape(new NaiveService())
    for (let i = 0; i < 25; i++) {
      if (i === 24) recorded.service.cents++
      recorded.get('/api/billing/credit')
    }
    const ended = await proxysim(['calibrate', recorded.file(), '--json', '--min-fidelity', percent])
    expect(JSON.parse(ended.stdout)).toMatchObject({ behaviour: { same: 23, differ: 1, fidelity: 95.8 } })
    expect(ended).toMatchObject({ code })
  })

  it.each([
    ['empty', '', 'is empty'],
    ['no JSON', 'GET /api/clients 200', 'is not an HTTP archive'],
    ['truncated', '{"log":{"version":"1.2","entries":[{"request":{"url":"https://CANARY', 'is truncated'],
    ['of another kind', '{"entries":[]}', 'it has no log.entries'],
    [
      'without a call of this API',
      '{"log":{"entries":[{"request":{"method":"GET","url":"https://cdn.example/x.js"},"response":{"status":200}}]}}',
      'no calls to this API',
    ],
  ])('refuses a file that is %s with one line', async (_, text, message) => {
    const ended = await proxysim(['calibrate', file(text)])
    expect(ended).toEqual({ ...refusal(message), signal: null })
    expect(ended.stderr).not.toContain('CANARY')
  })

  it('takes an archive after a flag with several values for a recording, and never overwrites one', async () => {
    const [one, two] = [fullTour(new NaiveService()).file(), fullTour(new NaiveService()).file()]
    const report = join(folder(), 'r.md')
    const before = readFileSync(two, 'utf8')
    const { code, stdout } = await proxysim([
      'calibrate',
      '--json',
      '--keep',
      'email',
      one,
      '--report',
      report,
      two,
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ exchanges: { read: 132 } })
    expect(readFileSync(two, 'utf8')).toBe(before)
  })

  it('writes a report that an archive is again, and doesn’t take it for a recording', async () => {
    const recorded = fullTour(new NaiveService()).file()
    const report = join(folder(), 'judged.har')
    for (const flags of [
      ['--report', report],
      [`--report=${report}`],
      ['--report=x.md', `--report=${report}`],
    ]) {
      writeFileSync(report, readFileSync(recorded))
      const cwd = folder()
      const { code, stdout } = await proxysim(['calibrate', '--json', recorded, ...flags], { cwd })
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ exchanges: { read: 66 } })
      expect(readFileSync(report)).not.toEqual(readFileSync(recorded))
    }
    const behind = ['calibrate', recorded, '--report', 'x.md', 'y.har']
    const cwd = folder()
    expect(await proxysim(behind, { cwd })).toMatchObject({ code: 0 })
    const written = readFileSync(join(cwd, 'y.har'), 'utf8')
    expect(await proxysim(behind, { cwd })).toMatchObject(refusal('--report=y.har'))
    expect(readFileSync(join(cwd, 'y.har'), 'utf8')).toBe(written)
  })

  it('does not write over the recording that it judges', async () => {
    const recorded = fullTour(new NaiveService()).file()
    const cwd = folder()
    const text = readFileSync(recorded, 'utf8')
    writeFileSync(join(cwd, 'real.json'), text)
    symlinkSync('real.json', join(cwd, 'symbolic.json'))
    linkSync(join(cwd, 'real.json'), join(cwd, 'hard.json'))
    for (const [name, ...flags] of [
      ['real.json', '--write', 'real.json'],
      ['real.json', '--report', join(cwd, 'real.json')],
      ['symbolic.json', '--report', 'real.json'],
      ['real.json', '--report', 'x.md', 'hard.json'],
    ] as const) {
      expect(await proxysim(['calibrate', name, ...flags], { cwd })).toMatchObject(
        refusal('is the recording to judge'),
      )
      expect(readFileSync(join(cwd, 'real.json'), 'utf8')).toBe(text)
    }
  })

  it('refuses flags that make no sense', async () => {
    expect(await proxysim(['calibrate', '--json'])).toMatchObject(refusal('Name a recording'))
    const tape = fullTour(new NaiveService()).file()
    expect(await proxysim(['calibrate', tape, '--fail-on', 'everything'])).toMatchObject(
      refusal('drift, contradiction, difference'),
    )
    expect(await proxysim(['calibrate', tape, '--report', 'x.pdf'])).toMatchObject(refusal('.sarif'))
    expect(await proxysim(['calibrate', '/nowhere.har'])).toMatchObject(refusal('ENOENT'))
    expect(await proxysim(['calibrate', tape, '--login', 'nobody'])).toMatchObject(
      refusal('It has: account-1'),
    )
  })

  it('never prints or writes a secret, or a value that is not in the contract', async () => {
    const service = new NaiveService(other)
    const recorded = new Tape(service)
    const canaries = [
      'CANARY-pass',
      'CANARY-user',
      'canary@hidden.test',
      '100.64.7.7',
      '100.64.9.9',
      'CANARY-unknown',
      'CANARY-text',
      'CANARY-query',
      'CANARY-new',
      'sesame',
      'shop',
    ]
    const first = service.services[0] as NaiveService['services'][number]
    Object.assign(first, {
      user: 'CANARY-user',
      pass: 'CANARY-pass',
      bound: '100.64.7.7',
      ips: ['100.64.9.9', '100.64.9.10'],
    })
    service.clients[0] = { id: 31, email: 'canary@hidden.test' }
    for (const path of [
      'clients',
      'services',
      'service/800',
      'iplist/http-auth/txt/800',
      'iplist/http-auth/json/800',
      'networkstatus/errors/800',
    ])
      recorded.get(`/api/${path}`)
    recorded.alter = ({ body, ...answer }) => ({
      ...answer,
      body: body.replace(/^\{/, '{"secret_field":{"CANARY-unknown":"CANARY-unknown"},'),
    })
    recorded.get('/api/service/800')
    recorded.get('/api/billing/credit?token=CANARY-query')
    recorded.alter = () => ({
      status: 422,
      type: 'application/json',
      body: '{"error":"CANARY-text of CANARY-user at 100.64.7.7"}',
    })
    recorded.get('/api/service/803')
    recorded.alter = (answer) => answer
    recorded.call('PUT', '/api/service/800', {
      body: { password: Buffer.from('CANARY-new').toString('base64') },
    })
    recorded.call('PUT', '/api/service/803', { body: { setip: '100.64.7.7' } })
    first.user = 'CANARY-user-too'
    recorded.get('/api/service/800')
    recorded.get('/api/iplist/http-auth/txt/800')
    const made = folder()
    const files = ['har', 'md', 'json', 'xml', 'sarif', 'yaml'].map((extension) =>
      join(made, `out.${extension}`),
    )
    const { code, stdout, stderr } = await proxysim([
      'calibrate',
      recorded.file(),
      '--report',
      ...files.slice(0, 5),
      '--write',
      files[5] as string,
    ])
    expect(code).toBe(0)
    const json = await proxysim(['calibrate', recorded.file(), '--json'])
    const outputs = [stdout, stderr, json.stdout, ...files.map((one) => readFileSync(one, 'utf8'))]
    const encoded = canaries.map((canary) =>
      Buffer.from(canary).toString('base64').replace(/=+$/, '').slice(0, -1),
    )
    for (const output of outputs) {
      const found = [...canaries, ...encoded].filter((canary) =>
        new RegExp(`(?<![a-z])${canary.replaceAll('.', '\\.')}`).test(output),
      )
      expect(found).toEqual([])
    }
    // It still says where the response differs.
    expect(JSON.parse(json.stdout)).toMatchObject({ behaviour: { differ: expect.any(Number) as number } })
    const kept = await proxysim(['calibrate', recorded.file(), '--json', '--keep', 'username'])
    expect(kept.stdout).toContain('CANARY-user-too')
    expect(kept.stdout).not.toContain('CANARY-pass')
  })
})

/** Lines of a text, items of JSON */
function sizeOf(body: string): number {
  return body.startsWith('[') ? (JSON.parse(body) as unknown[]).length : body.trim().split('\n').length
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value
}
