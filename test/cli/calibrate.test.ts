import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { Tape } from '../support/calibration/Tape.ts'
import { recordFullTour } from '../support/calibration/tours.ts'
import { createFolder, start } from '../support/start.ts'
import { cli, usageError } from './inProcess.ts'

const other = {
  productSort: 'desc',
  orderedInvoice: 'Pending',
  geo: 'object',
  updateListInterval: 600,
} as const

function writeFile(text: string | Buffer, name = 'a.har'): string {
  const path = join(createFolder(), name)
  writeFileSync(path, text)
  return path
}

it('prints the calibration as JSON, and writes reports by their extension', async () => {
  const [md, json] = ['md', 'json'].map((extension) => join(createFolder(), `report.${extension}`))
  const recorded = recordFullTour(new NaiveService(other))
  const calls = recorded.exchanges.length
  const { code, stdout } = await cli(['calibrate', recorded.file(), '--json', '--report', `${md},${json}`])
  expect(code).toBe(0)
  const found = JSON.parse(stdout) as Record<string, unknown>
  expect(Object.keys(found)).toEqual(['exchanges', 'assumptions', 'violations', 'behaviour'])
  expect(found).toMatchObject({
    exchanges: { read: calls, judged: calls, skipped: [] },
    violations: [],
    behaviour: { differ: 0, undecidable: 0, fidelity: 100, differences: [] },
  })
  const decided = {
    verdict: 'other',
    interpretation: 'desc',
    default: 'asc',
    evidence: [8, 9, 10],
    needs: [],
  }
  expect((found['assumptions'] as object[])[0]).toEqual({ id: 'productSort', ...decided })
  expect(readFileSync(String(md), 'utf8')).toMatch(/productSort.*other.*desc.*asc.*#8, #9, #10/)
  const { $comment: _, ...written } = JSON.parse(readFileSync(String(json), 'utf8')) as Record<
    string,
    unknown
  >
  expect(written).toEqual(found)
})

/** Sends the calls of a recording to a simulator with the scenario that `calibrate` writes. */
async function replay(recorded: Tape, ...keep: string[]) {
  const scenario = join(createFolder(), 'real.yaml')
  const flags = keep.length > 0 ? ['--keep', keep.join(',')] : []
  expect(await cli(['calibrate', recorded.file(), '--write', scenario, ...flags])).toMatchObject({ code: 0 })
  expect(await cli(['check', scenario])).toMatchObject({ code: 0 })
  const sim = await start({ scenario })
  const responses = []
  for (const { at, request, answer } of recorded.exchanges) {
    const now = new Date(Math.floor(at / 1000) * 1000).toISOString()
    await sim.call('PUT', '/__admin/clock', { body: { now } })
    const isOwn = request.authorization === recorded.service.authorization
    const { authorization } = request
    const ours = await sim.call(request.method, request.path, {
      login: isOwn ? 'recorded' : null,
      ...(request.body !== undefined && { raw: request.body }),
      ...(!isOwn && authorization !== undefined && { headers: { authorization } }),
    })
    responses.push({ path: request.path, answer, ours })
  }
  return responses
}

it('writes a scenario that check accepts and that gives the recorded responses', async () => {
  const responses = await replay(
    recordFullTour(new NaiveService(other)),
    'ip',
    'email',
    'username',
    'password',
  )
  for (const { path, ours, answer } of responses) expect([path, ours.status]).toEqual([path, answer.status])
  // Only generated values may differ: usernames and addresses of services ordered or renewed during the recording.
  const compared = responses.filter(
    ({ path, answer }) => answer.type === 'application/json' && !/^\/api\/service\/\d+$|iplist/.test(path),
  )
  const same = compared.filter(
    ({ ours, answer }) =>
      JSON.stringify(sortItems(ours.json)) === JSON.stringify(sortItems(JSON.parse(answer.body))),
  )
  expect(compared.length).toBeGreaterThan(35)
  expect(compared.length - same.length).toBeLessThanOrEqual(8)
})

it('--override applies overrides, whose responses don’t reveal the state', async () => {
  const service = new NaiveService()
  new Tape(service).call('POST', '/api/product/7', { body: { clientid: 31 } }) // before the recording
  const recorded = new Tape(service)
  const inCents = (body: string): string =>
    body.replace(/"amount":([\d.]+)/g, (_, amount) => `"amount":${Number(amount) * 100}`)
  const read = (path: string): void => {
    recorded.alter = ({ body, ...answer }) => ({ ...answer, body: inCents(body) })
    recorded.get(path)
    recorded.alter = (answer) => answer
  }
  for (const path of ['clients', 'products', 'billing/credit']) recorded.get(`/api/${path}`)
  read('/api/billing/invoices')
  const { json } = recorded.call('POST', '/api/product/7', { body: { clientid: 31 } })
  read(`/api/billing/invoice/${(json as { invoiceId: number }).invoiceId}`)
  const overrides = join(createFolder(), 'cents.mjs')
  writeFileSync(
    overrides,
    `const cents = (_call, original) => {
      const { body, ...response } = original()
      return { ...response, body: body.map((one) => ({ ...one, amount: one.amount * 100 })) }
    }
    export { cents as listInvoices, cents as getInvoice }`,
  )
  const judged = async (...flags: string[]): Promise<object> => {
    const { stdout } = await cli(['calibrate', recorded.file(), '--json', ...flags])
    return (JSON.parse(stdout) as { behaviour: object }).behaviour
  }
  expect(await judged()).toMatchObject({ differ: 1, undecidable: 0, differences: [{ exchange: 6 }] })
  expect(await judged('--override', overrides)).toMatchObject({ differ: 0, undecidable: 2, fidelity: 100 })
  expect(await cli(['calibrate', recorded.file(), '--override', '/nowhere.mjs'])).toEqual(
    usageError('does not exist'),
  )
})

it('exits with 1 and the reason if the result misses a required minimum', async () => {
  const recorded = new Tape(new NaiveService())
  recorded.get('/api/products')
  recorded.get('/api/products/orderby/price')
  recorded.alter = ({ body, ...answer }) => ({
    ...answer,
    body: body.replaceAll('"price":15', '"price":16,"colour":"red"'),
  })
  recorded.get('/api/products')
  ;(recorded.service.interpretations as { productSort: string }).productSort = 'desc'
  recorded.get('/api/products/orderby/price')
  const tape = recorded.file()
  expect(await cli(['calibrate', tape])).toMatchObject({ code: 0 })
  const failing = ['--fail-on', 'violation,contradiction,difference', '--min-fidelity', '95']
  const { code, stderr } = await cli(['calibrate', tape, ...failing])
  expect(code).toBe(1)
  for (const reason of ['below 95 %', 'contract in 2 ways', 'productSort', 'differently in 2 exchanges'])
    expect(stderr).toContain(reason)
})

it.each<[string, string | Buffer, string]>([
  ['not JSON', 'GET /api/clients 200', 'is not an HTTP archive (HAR): it is not valid JSON.'],
  [
    'truncated',
    '{"log":{"version":"1.2","entries":[{"request":{"url":"https://CANARY',
    'it is not valid JSON.',
  ],
  ['of another kind', '{"entries":[]}', '`log.entries` is missing'],
  [
    'without a call of this API',
    '{"log":{"entries":[{"request":{"method":"GET","url":"https://cdn.example/x.js"},"response":{"status":200}}]}}',
    'No calls to this API can be judged',
  ],
])('refuses a file that is %s in one line', async (_, text, message) => {
  const ended = await cli(['calibrate', writeFile(text)])
  expect(ended).toEqual(usageError(message))
  expect(ended.stderr).not.toContain('CANARY')
})

it('does not overwrite its recording', async () => {
  const folder = createFolder()
  const names = ['real.json', 'symbolic.json', 'hard.json'].map((name) => join(folder, name))
  const [real, symbolic, hard] = names as [string, string, string]
  const text = readFileSync(recordFullTour(new NaiveService()).file(), 'utf8')
  writeFileSync(real, text)
  symlinkSync(real, symbolic)
  linkSync(real, hard)
  const commands = [
    [real, '--write', real],
    [symbolic, '--report', real],
    [real, '--report', symbolic],
    [real, '--report', hard],
  ]
  for (const args of commands)
    expect(await cli(['calibrate', ...args])).toEqual(usageError('is the recording'))
  expect(readFileSync(real, 'utf8')).toBe(text)
})

it('refuses a missing recording and invalid flags', async () => {
  expect(await cli(['calibrate', '--json'])).toEqual(usageError('A recording is missing'))
  const tape = recordFullTour(new NaiveService()).file()
  expect(await cli(['calibrate', tape, '--fail-on', 'everything'])).toEqual(
    usageError('violation, contradiction'),
  )
  expect(await cli(['calibrate', '/nowhere.har'])).toEqual(usageError('/nowhere.har'))
  expect(await cli(['calibrate', tape, '--account', 'nobody'])).toEqual(usageError('account-1 with'))
})

it('never prints or writes a secret, or a value that is not in the contract', async () => {
  const service = new NaiveService(other)
  const recorded = new Tape(service)
  const canaries = ['CANARY', 'canary@hidden.test', '100.64.7.7', '100.64.9.9', 'sesame', 'shop']
  const first = service.services[0] as NaiveService['services'][number]
  const ips = ['100.64.9.9', '100.64.9.10']
  Object.assign(first, { user: 'CANARY-user', pass: 'CANARY-pass', bound: '100.64.7.7', ips })
  service.clients[0] = { id: 31, email: 'canary@hidden.test' }
  const lists = ['iplist/http-auth/txt/800', 'iplist/http-auth/json/800', 'networkstatus/errors/800']
  for (const path of ['clients', 'services', 'service/800', ...lists]) recorded.get(`/api/${path}`)
  recorded.alter = ({ body, ...answer }) => ({
    ...answer,
    body: body.replace(/^\{/, '{"secret_field":{"CANARY-unknown":"CANARY-unknown"},'),
  })
  recorded.get('/api/service/800')
  recorded.get('/api/billing/credit?token=CANARY-query')
  const error = 'CANARY-text of CANARY-user at 100.64.7.7'
  recorded.alter = () => ({ status: 422, type: 'application/json', body: JSON.stringify({ error }) })
  recorded.get('/api/service/803')
  recorded.alter = (answer) => answer
  const password = Buffer.from('CANARY-new').toString('base64')
  recorded.call('PUT', '/api/service/800', { body: { password } })
  recorded.call('PUT', '/api/service/803', { body: { setip: '100.64.7.7' } })
  first.user = 'CANARY-user-too'
  recorded.get('/api/service/800')
  const folder = createFolder()
  const files = ['md', 'json', 'yaml'].map((extension) => join(folder, `out.${extension}`))
  const [md, json, yaml] = files as [string, string, string]
  const printed = await cli(['calibrate', recorded.file(), '--report', `${md},${json}`, '--write', yaml])
  const outputs = [printed.stdout, printed.stderr, ...files.map((one) => readFileSync(one, 'utf8'))]
  for (const output of outputs)
    for (const canary of [...canaries, password.slice(0, -2)])
      expect(output).not.toMatch(new RegExp(`(?<![a-z])${canary.replaceAll('.', '\\.')}`))
  // The report still says where the response differs.
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    behaviour: { differ: expect.any(Number) as number },
  })
  const withUsername = await cli(['calibrate', recorded.file(), '--json', '--keep', 'username'])
  expect(withUsername.stdout).toContain('CANARY-user-too')
  expect(withUsername.stdout).not.toContain('CANARY-pass')
})

function sortItems(value: unknown): unknown {
  return Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value
}
