import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulator, type StartedSimulator, type StartOptions } from 'proxysim'
import { createFolder } from '../support/start.ts'
import { ControlPlane } from '../../src/client/ControlPlane.ts'
import { cli, usageError, type Result } from './inProcess.ts'

interface Setup {
  sim: StartedSimulator
  run: (...args: string[]) => Promise<Result>
  /** Output on success */
  getOutput: (...args: string[]) => Promise<string>
}

async function setUp(options: StartOptions = {}): Promise<Setup> {
  const sim = await startSimulator(options)
  onTestFinished(() => sim.close())
  const run = (...args: string[]) => cli([...args, '--url', sim.url])
  const getOutput = async (...args: string[]) => {
    const { stdout, ...rest } = await run(...args)
    expect(rest, args.join(' ')).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  return { sim, run, getOutput }
}

function ask({ url, authorization }: StartedSimulator, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: authorization('reseller') } })
}

/** Writes a scenario to a file. */
function writeScenario(text: string, name = 'mine.yaml', at = createFolder()): string {
  const file = join(at, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text === '' ? '' : `description: Mine.\n${text}\n`)
  return file
}

const frozen = { scenario: { description: 'x', extends: 'default', clock: '2026-01-15T12:00:00Z' } }

test('scenarios, load, reset and undo work', async () => {
  const { sim, run, getOutput } = await setUp()
  expect(await getOutput('scenarios')).toMatch(/^low-funds +\S/m)
  const scenarios = JSON.parse(await getOutput('scenarios', '--json')) as unknown[]
  expect(scenarios).toContainEqual(expect.objectContaining({ name: 'ip-conflict' }))
  expect(await run('undo')).toMatchObject(usageError('Nothing to undo.'))
  expect(await getOutput('load', 'low-funds')).toBe(
    'Loaded low-funds. Accounts: reseller. Requests and findings were cleared.\n',
  )
  await sim.patch({ credit: 99 })
  expect(await getOutput('reset', '--account', 'reseller')).toBe('Reset reseller to its initial state.\n')
  expect((await sim.account('reseller').state()).credit).toBe(0.5)
  await sim.createAccount({ login: 'mine' })
  expect(await getOutput('reset')).toBe(
    'Reloaded low-funds. Accounts: reseller. Requests and findings were cleared.\n',
  )
  expect(await getOutput('undo')).toMatch(
    /^Restored your state from before the last load or reset \(low-funds, .*Z\)\. Run `proxysim undo` again to redo\.\n$/,
  )
  expect(await sim.accounts()).toHaveLength(2)
  const file = join(createFolder(), 'mine.yaml')
  writeFileSync(file, 'description: x\nextends: default\n')
  await getOutput('load', file)
  expect((await sim.health()).scenario).toBe('mine')
  await getOutput('load', 'low-funds')
  expect(await getOutput('undo')).toMatch(/^Restored your state from before the last load or reset \(mine, /)
  expect(await run('load', 'low-fnds')).toMatchObject(usageError('low-funds'))
})

test('load FILE merges the files that it refers to, and locates issues like check', async () => {
  const { sim, run, getOutput } = await setUp()
  const at = createFolder()
  writeScenario('extends: default\naccounts: { reseller: { credit: 7 } }', 'base.yaml', at)
  mkdirSync(join(at, 'fixtures'))
  writeFileSync(join(at, 'fixtures/more.yaml'), 'clients: { 77: { email: more@example.com } }')
  const top = writeScenario('extends: base\nfixtures: [more]', 'top.yaml', at)
  expect(await getOutput('load', top)).toBe(
    `Loaded ${top}. Accounts: reseller. Requests and findings were cleared.\n`,
  )
  expect(await sim.state()).toMatchObject({ credit: 7, clients: { 77: {} } })
  const bad = writeScenario('extends: default\naccounts: { reseller: { credit: x } }', 'bad.yaml', at)
  const empty = writeScenario('', 'empty.yaml', at)
  const cut = join(at, 'cut.json')
  writeFileSync(cut, '{"description": ')
  for (const [file, message] of [
    [bad, `${bad}:3:33: accounts.reseller.credit`],
    [writeScenario('extends: bad', 'over.yaml', at), `${bad}:3:`],
    ['./nowhere', "./nowhere: Can't be read (ENOENT)"],
    [cut, `${cut}:1:17: Not valid JSON: `],
    [empty, `${empty}:1:1: A scenario is a map of fields: description, and accounts or extends`],
  ] as const)
    for (const command of [['load'], ['state', 'import']])
      expect(await run(...command, file)).toMatchObject(usageError(message))
  expect((await sim.state()).credit).toBe(7)
})

test('check reports issues with their location', async () => {
  const at = createFolder()
  const good = writeScenario('extends: default', 'good.yaml', at)
  const text = 'accounts:\n  reseller:\n    credit: -1\n    services:\n      5001: { status: Activ }'
  const bad = writeScenario(`extends: default\n${text}`, 'bad.yaml', at)
  const { code, stdout } = await cli(['check', good, bad])
  expect(code).toBe(1)
  expect(stdout).toContain(`${good}: ok\n${bad}:5:13: accounts.reseller.credit: `)
  expect(stdout).toMatch(/\nFix these issues, then check again\. There may be more\.\n$/)
  expect(stdout).toMatch(/bad\.yaml:7:23: accounts\.reseller\.services\.5001\.status: .*Active/)
  const unread = usageError("Can't read /nowhere.yaml (ENOENT).")
  expect(await cli(['check', '/nowhere.yaml'])).toMatchObject(unread)
  const both = await cli(['check', '/nowhere.yaml', bad])
  expect(both).toMatchObject({ ...unread, stdout: expect.stringContaining(`${bad}:5:13: `) })
  expect(await cli(['check', at])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Not a regular file'),
  })
})

test('rewind and repro take a request', async () => {
  const { sim, run, getOutput } = await setUp({ scenario: 'low-funds' })
  const other = await setUp({ scenario: 'empty' })
  await ask(sim, '/api/billing/credit')
  await sim.patch({ credit: 99 })
  expect(await getOutput('rewind', '#1')).toBe('Rewound reseller to its state before request 1.\n')
  expect(await getOutput('requests')).toContain('  (undone by a rewind)')
  expect(await getOutput('findings')).toBe('No findings in 0 requests. A rewind has undone 1 more.\n')
  expect((await sim.state()).credit).toBe(0.5)
  expect(await run('rewind', '9')).toMatchObject({ code: 2, stdout: '' })
  const file = join(createFolder(), 'repro.yaml')
  expect(await getOutput('repro', '1', '--output', file)).toContain('curl -i')
  await other.getOutput('load', file)
  expect(await (await ask(other.sim, '/api/billing/credit')).json()).toEqual({ credit: 0.5 })
  const found: unknown = JSON.parse(await getOutput('repro', '1', '--json'))
  expect(found).toHaveProperty('scenario.accounts.reseller.credit', 0.5)
})

test('clock and timeline print and change the state', async () => {
  const { sim, getOutput } = await setUp(frozen)
  expect(await getOutput('clock', '--advance', 'PT1H')).toBe('2026-01-15T13:00:00.000Z, frozen\n0 changes\n')
  expect(await getOutput('timeline')).toBe('No scheduled changes.\n')
  const patch = '{"services":{"5001":{"status":"Suspended"}}}'
  const added = await getOutput('timeline', 'add', '--after', 'PT10S', '--patch', patch)
  expect(added).toMatch(/^Added entry \d+ for reseller, due 2026-01-15T13:00:10\.000Z\.\n$/)
  const more = '--every P1D --times 3 --description lapsed'.split(' ')
  await getOutput('timeline', 'add', '--at', '2026-01-16T00:00:00Z', '--patch', '{"credit":1}', ...more)
  const { timeline } = JSON.parse(await getOutput('timeline', '--json')) as { timeline: { id: number }[] }
  expect(timeline).toMatchObject([{ patch: {} }, { every: 'P1D', times: 3, description: 'lapsed' }])
  expect(await getOutput('timeline')).toMatch(/2026-01-16T00:00:00\.000Z +\{"credit":1\} +lapsed$/m)
  expect(await getOutput('timeline', '--past')).toBe('No change has come due yet.\n')
  expect(await getOutput('clock', '--advance', 'PT10S')).toBe(
    '2026-01-15T13:00:10.000Z, frozen\n1 change. See proxysim timeline --past\n',
  )
  expect(await getOutput('timeline', '--past')).toBe(
    'id  was due                   change\n1   2026-01-15T13:00:10.000Z  changed: services\n',
  )
  expect((await sim.state()).services['5001']?.status).toBe('Suspended')
  await getOutput('timeline', 'add', '--after', 'PT1S', '--add', '{"credit": -2.5}')
  await getOutput('clock', '--advance', 'PT1S')
  expect(await getOutput('timeline', '--past')).toMatch(/ credit was deducted, credit -2\.50\n$/)
  await getOutput('timeline', 'remove', String(timeline[1]?.id))
  expect(await getOutput('timeline', 'clear')).toBe('Removed all entries.\n')
  expect(await getOutput('timeline')).toBe('No scheduled changes.\n')
  expect(await getOutput('clock', '--rate', '60', '--resume')).toMatch(/Z, rate 60\n$/)
  const set = await getOutput('clock', '--set', '2026-02-01T00:00:00Z', '--freeze', '--json')
  expect(JSON.parse(set)).toMatchObject({ now: '2026-02-01T00:00:00.000Z', frozen: true })
})

test('clock --advance counts what happened, and says how to switch renewals on', async () => {
  const { sim, getOutput } = await setUp(frozen)
  const { services } = await sim.state()
  const due = Object.values(services).filter(({ nextduedate }) => /^2026-0[12]-/.test(nextduedate)).length
  const printed = await getOutput('clock', '--advance', 'P31D')
  expect(printed).toContain('fell due, and renewals are off. To switch them on: proxysim state patch')
  expect(due).toBeGreaterThan(0)
  await sim.patch({ limits: { renewal: true } })
  const { meanwhile } = JSON.parse(await getOutput('clock', '--advance', 'P31D', '--json')) as {
    meanwhile: { count: number }
  }
  expect(meanwhile.count).toBeGreaterThan(0)
  expect(await getOutput('clock', '--advance', 'P31D')).toMatch(
    /^\d+ changes\. See proxysim timeline --past$/m,
  )
})

test('faults adds, lists and removes faults', async () => {
  const { sim, getOutput } = await setUp()
  expect(await getOutput('faults')).toBe('No active faults.\n')
  const flags = '--operation getService --match id=5001 --status 503 --body later --times 1'.split(' ')
  expect(await getOutput('faults', 'add', ...flags)).toMatch(/^Added fault 1 on getService for reseller: \{/)
  expect((await ask(sim, '/api/service/5002')).status).toBe(200)
  const forced = await ask(sim, '/api/service/5001')
  expect([forced.status, await forced.text()]).toEqual([503, 'later'])
  expect(await getOutput('faults', 'list')).toMatch(/1 of 1 .*\(exhausted\)/)
  await getOutput('faults', 'add', 'lost', '--operation', 'orderService', '--times', '1')
  expect(await getOutput('faults', 'remove', '1')).toBe('Removed fault 1.\n')
  const lost = { id: 2, operation: 'orderService', phase: 'after', drop: 'reset' }
  expect(await sim.faults()).toMatchObject([lost])
  await getOutput('faults', 'clear')
  await getOutput('faults', 'add', '{"operation":"getCredit","delay":1,"times":5}', '--times', '1')
  expect(await sim.faults()).toMatchObject([{ operation: 'getCredit', delay: 1, times: 1 }])
  await getOutput('faults', 'clear')
  const exact = '--operation rotateStickySession --match session=007 --status 503'.split(' ')
  const headers = ['--header', 'Retry-After: 1', '--header', 'X-A: b', '--header', 'x-a: c']
  await getOutput('faults', 'add', ...exact, ...headers)
  const respond = { status: 503, headers: { 'Retry-After': '1', 'X-A': ['b', 'c'] } }
  expect(await sim.faults()).toMatchObject([{ match: { path: { session: '007' } }, respond }])
  await getOutput('faults', 'clear')
  const named = [
    ['lost'],
    ['"lost"'],
    ['{"name":"lost"}'],
    ['lost', '--times', '2'],
    ['503'],
    ['{"name":503}'],
  ]
  for (const args of named) await getOutput('faults', 'add', ...args)
  const any = { operation: '*', drop: 'reset' }
  expect(await sim.faults()).toMatchObject([any, any, any, { ...any, times: 2 }, { operation: '*' }, {}])
})

test('state prints, patches, exports, imports and restores the state', async () => {
  const { sim, getOutput } = await setUp(frozen)
  expect(await getOutput('state')).toMatch(/^reseller +250\.00/m)
  const id = (await getOutput('state', 'snapshot')).trim()
  const file = join(createFolder(), 'state.yaml')
  await getOutput('state', 'patch', '{"credit":3}')
  expect(await getOutput('state', 'export', '--output', file)).toBe(`Wrote ${file}.\n`)
  expect(readFileSync(file, 'utf8')).toContain(await getOutput('state', 'export'))
  await getOutput('state', 'restore', id)
  expect((await sim.state()).credit).toBe(250)
  await getOutput('state', 'import', file)
  expect(JSON.parse(await getOutput('state', '--account', 'reseller'))).toMatchObject({ credit: 3 })
})

test('requests and coverage print and write reports', async () => {
  const { sim, run, getOutput } = await setUp()
  await ask(sim, '/api/clients')
  expect(await getOutput('requests')).toContain('1 of 1 request\n')
  const text = await getOutput('coverage')
  expect(text).toMatch(/^getStats +0\/2 +200 success, 422 unprocessable$/m)
  expect(text).toContain('header-missing')
  expect(JSON.parse(await getOutput('coverage', '--format', 'json'))).toMatchObject({ covered: 1 })
  expect(await getOutput('coverage', '--json')).toBe(await getOutput('coverage', '--format', 'json'))
  expect(await getOutput('coverage', '--format', 'markdown')).toContain('| listClients | ✅ 1/1 |')
  const [xml, har] = ['coverage.xml', 'deep/journal.har'].map((name) => join(createFolder(), name)) as [
    string,
    string,
  ]
  const junit = await getOutput('coverage', '--format', 'junit', '--output', xml)
  expect(junit).toContain('<testsuite')
  expect(readFileSync(xml, 'utf8')).toContain(junit)
  const short = expect.stringMatching(/^proxysim: Coverage [\d.]+ % is below 90 %\.\n$/) as string
  expect(await run('coverage', '--min-coverage', '90')).toMatchObject({ code: 3, stderr: short })

  await ask(sim, '/api/service/77')
  const listed = await getOutput('requests')
  expect(listed).toMatch(/#2 .*422 +getService +GET \/api\/service\/77 +unprocessable: /)
  expect(listed).toContain('2 of 2 requests')
  const found = await getOutput('requests', '--status', '4xx', '--limit', '1', '--json')
  expect(JSON.parse(found)).toMatchObject({ total: 1, requests: [{ operation: 'getService' }] })
  await fetch(`${sim.url}/api/product/101`, {
    method: 'POST',
    headers: { authorization: sim.authorization('reseller'), 'content-type': 'application/json' },
    body: '{"clientid": 11, "ip": "203.0.113.77"}',
  })
  expect(await getOutput('requests', '--limit', '1')).toMatch(
    /^#3 .* was sent "ip", .* Did you mean "setip"\?$/m,
  )
  await ask(sim, '/api/sticky/resetall/5001')
  expect(await getOutput('requests', '--limit', '1')).toMatch(/^#4 .* nothing changed$/m)
  await getOutput('requests', '--output', har)
  expect(JSON.parse(readFileSync(har, 'utf8'))).toMatchObject({ log: { entries: [{}, {}, {}, {}] } })
})

test('one of several accounts must be named, and only its faults and requests are cleared', async () => {
  const { sim, run, getOutput } = await setUp({ scenario: 'two-accounts' })
  const several = usageError('Several accounts exist (reseller, another). Choose one (--account).')
  for (const command of [['clock'], ['state', 'patch', '{}']])
    expect(await run(...command)).toMatchObject(several)
  expect(await run('clock', '--account', 'nobody')).toMatchObject(usageError('"nobody"'))
  for (const account of ['reseller', 'another']) {
    await sim.fault({ operation: 'getCredit', respond: 'unauthenticated' }, { account })
    await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization(account) } })
  }
  await getOutput('faults', 'clear', '--account', 'reseller')
  expect(await sim.faults({ account: 'reseller' })).toEqual([])
  expect(await sim.faults({ account: 'another' })).toHaveLength(1)
  await fetch(`${sim.url}/billing/credit`)
  expect(await getOutput('requests')).toMatch(
    /\n\n1 request never reached the API:\n.* 404 +GET \/billing\/credit .*\/api/,
  )
  const cleared = await getOutput('requests', '--account', 'reseller', 'clear')
  expect(cleared).toBe('Cleared the requests of reseller.\n')
  expect((await sim.requests()).requests).toMatchObject([{ account: 'another' }])
})

test('wrong input is refused in one line, and changes nothing', async () => {
  const { sim, run } = await setUp(frozen)
  const before = await sim.state()
  for (const [command, message] of [
    ['clock --advance 1M', 'It must be a duration such as 10m, 3h, 2d or PT1H30M.'],
    ['clock --set 2020-01-01T00:00:00Z', 'back'],
    ['timeline add --patch {}', 'An entry needs a time. Add --after DURATION, or --at INSTANT.'],
    ['timeline add --after PT1S', 'An entry needs one of: patch, add'],
    ['timeline remove 7', '7'],
    ['faults add --operation getCredit', 'A fault needs an effect: respond, stale, '],
    ['faults add --status 503', 'operation: Missing field'],
    ['faults add {"op":"orderService","drop":"reset"}', 'Unknown field "op". Did you mean "operation"?'],
    ['faults add --operation getCredit --header X:1', '--header needs --status. Add --status N.'],
    ['faults add --operation getCredit --respond 503', 'getCredit has no case "503". Allowed: '],
    [
      'faults add --operation getCredit --status 500 --header X',
      '"X" is not a header. Use a name and a value: --header',
    ],
    ['faults add {', 'It must be JSON such as \'{"operation": "getCredit", "delay": 1000}\'.'],
    ['faults add {"delay":1,"delay":2}', 'The key "delay" appears twice.'],
    ['faults add lots', 'Did you mean "lost"?'],
    ['faults add 503 --operation getService --match id', 'It must be a path parameter and its value'],
    ['faults clear 3', 'too many arguments'],
    ['requests clear --limit 20', "unknown option '--limit'"],
    ['requests --output /dev/null/x.har', "Can't write /dev/null/x.har"],
    ['reset --account=', 'Unknown account "".'],
    ['state show --account=', 'The login must not be empty.'],
    ['coverage --json --format junit', 'cannot be used with'],
    ['state patch {"credit":-3}', 'credit'],
    ['state show reseller', 'too many arguments'],
    ['state export --output /dev/null/x.yaml', "Can't write /dev/null/x.yaml"],
  ] as const)
    expect(await run(...command.split(' ')), command).toMatchObject(usageError(message))
  expect(await sim.state()).toEqual(before)
})

/** Starts a server that always returns the same response, except to health checks. */
async function startStrangeServer(
  respond: (response: ServerResponse) => unknown,
  respondToCheck: typeof respond = (response) =>
    response.end(JSON.stringify({ status: 'ok', version: '0', scenario: 'x' })),
): Promise<string> {
  const server = createServer(({ url }, response) => {
    void (url === '/__admin/health' ? respondToCheck : respond)(response)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const assumption = {
  id: 'geo',
  gap: '',
  document: '',
  operations: [],
  default: '',
  alternatives: [],
  meaning: {},
  confirmed: false,
  used: true,
}
const hostile = 'a\u001b[31mb\u0007\u009b\u202ec'

test.each([
  [['scenarios'], [{ name: hostile, description: hostile }]],
  [['clock'], { now: hostile, frozen: false, rate: 1 }],
  [['reset'], { scenario: hostile, accounts: [hostile] }],
  [
    ['timeline'],
    { timeline: [{ id: 1, at: hostile, pay: hostile }], skipped: [{ id: 2, at: hostile, reason: hostile }] },
  ],
  [
    ['faults'],
    [{ id: 1, operation: hostile, respond: hostile, phase: '', seen: 0, used: 0, exhausted: false }],
  ],
  [['questions'], [{ ...assumption, question: hostile }]],
  [['state', '--account', 'x'], { password: '', [hostile]: hostile }],
])('control characters from outside do not reach the terminal: %j', async (command, reply) => {
  const url = await startStrangeServer((response) => response.end(JSON.stringify(reply)))
  const account = command[0] === 'reset' ? ['--account', hostile] : []
  const { stdout, stderr } = await cli([...command, ...account, '--url', url])
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  expect(stdout + stderr).toContain('\\u202e')
})

test('a server that redirects, or does not respond is reported', async () => {
  const redirecting = await startStrangeServer(
    ...twice((response) => response.writeHead(302, { location: 'https://sim.example/' }).end()),
  )
  expect(await cli(['clock', '--url', redirecting])).toMatchObject(
    usageError('redirects to https://sim.example/.'),
  )
  const unused = 'http://127.0.0.1:1' // another test may get the port of a closed server
  for (const command of [['coverage'], ['requests', '--follow']])
    expect(await cli([...command, '--url', unused])).toMatchObject(
      usageError(`No simulator answers at ${unused} (ECONNREFUSED).`),
    )
})

const twice = (respond: (response: ServerResponse) => unknown): [typeof respond, typeof respond] => [
  respond,
  respond,
]

const interrupted = 'The server at URL closed the connection'
test.each<[what: string, respond: (response: ServerResponse) => unknown, message: string]>([
  [
    'after half of the announced length',
    (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    `${interrupted} in the middle of its response to GET /__admin/scenarios. Check its log`,
  ],
  [
    'without a response',
    (response) => response.destroy(),
    `${interrupted} before its response to GET /__admin/scenarios.`,
  ],
  [
    'after half of a JSON text',
    (response) => response.setHeader('connection', 'close').end('[{"name":'),
    'The server at URL sent an unexpected response to GET /__admin/scenarios.',
  ],
])('a healthy server that ends %s is reported', async (_what, respond, message) => {
  const url = await startStrangeServer(respond)
  const result = await cli(['scenarios', '--url', url])
  expect(result).toMatchObject(usageError(message.replace('URL', url)))
  expect(result.stderr).not.toMatch(/TLS|No simulator|is not a simulator/)
})

test.each(['null', '5', '{}', '<html>'])(
  'every command reports a server that answers %s, and writes nothing',
  async (body) => {
    const url = await startStrangeServer(...twice((response) => response.end(body)))
    const folder = createFolder()
    for (const command of ['load low-funds', 'state', 'clock', `requests --output ${folder}/x.har`])
      expect(await cli([...command.split(' '), '--url', url]), command).toMatchObject(
        usageError(`The server at ${url} is not a simulator.`),
      )
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a response without end is reported in one line', async () => {
  const part = ' '.repeat(1024 * 1024)
  const endless = await startStrangeServer((response) => {
    const fill = (): void => {
      while (response.write(part)) if (response.destroyed) return
    }
    response.on('drain', fill)
    fill()
  })
  expect(await cli(['clock', '--url', endless])).toMatchObject(usageError('is larger than 256 MB.'))
})

test('a command waits for a server for a limited time, except while it loads or waits', async () => {
  const silent = await startStrangeServer(...twice(() => {}))
  const reading = { now: '2026-01-15T12:00:00.000Z', frozen: true, rate: 1, scenario: 'x', accounts: [] }
  const late = await startStrangeServer((response) =>
    setTimeout(() => response.end(JSON.stringify(reading)), 500),
  )
  await expect(new ControlPlane(silent, { timeout: 400 }).json('POST', '/reset')).rejects.toThrow(
    `The server at ${silent} didn't complete its response to GET /__admin/health within 0.4 seconds.`,
  )
  const plane = new ControlPlane(late, { timeout: 400 })
  await expect(plane.json('GET', '/clock')).rejects.toThrow('GET /__admin/clock within 0.4 seconds.')
  expect(await plane.json('POST', '/reset')).toEqual(reading)
  expect(await new ControlPlane(late).json('GET', '/clock')).toEqual(reading)
})

test('URL and token can come from the environment; the URL may be copied from the address bar', async () => {
  const { sim } = await setUp({ adminToken: 'let-me-in' })
  for (const more of ['', '/', '/?view=1', '/#requests', '/__admin/', '/__admin/health']) {
    const env = { PROXYSIM_URL: sim.url + more, PROXYSIM_ADMIN_TOKEN: 'let-me-in' }
    expect(await cli(['reset'], env)).toMatchObject({ code: 0 })
  }
  expect(await cli(['reset'], { PROXYSIM_URL: sim.url })).toMatchObject(
    usageError('Use the one that the simulator was started with (--admin-token).'),
  )
  const wrong = await cli(['state', '--url', sim.url, '--admin-token', 'open-up'])
  expect(wrong).toMatchObject(usageError('Use the one that the simulator was started with.'))
})

test('findings are printed with their names and requests', async () => {
  const { sim, getOutput } = await setUp()
  expect(await getOutput('findings')).toBe('No findings in 0 requests.\n')
  await ask(sim, '/api/billing/credit')
  expect(await getOutput('findings')).toMatch(
    /^Findings\n {2}low: header-missing, #1\n {4}The client .*\n {4}The doc.*\n\n1 finding in 1 request\.\n$/,
  )
  expect(JSON.parse(await getOutput('findings', '--json'))).toMatchObject([{ finding: 'header-missing' }])
})

test('questions cover unconfirmed assumptions that the client relies on; without a simulator, all of them', async () => {
  const { sim, getOutput } = await setUp({ scenario: 'default' })
  expect(await getOutput('questions')).toContain('Nothing to ask')
  await ask(sim, '/api/product/101')
  await sim.patch({ confirmed: ['geo'] })
  const questions = JSON.parse(await getOutput('questions', '--json')) as { id: string }[]
  expect(questions.map(({ id }) => id)).toEqual(['numbers', 'timeZone'])
  expect((await getOutput('questions')).trim().split('\n')).toEqual([
    expect.stringMatching(/^Do responses write numbers .*\?$/),
    expect.stringMatching(/^In which time zone .*\?$/),
  ])
  const { code, stdout, stderr } = await cli(['questions', '--url', 'http://127.0.0.1:9'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('No simulator answers at http://127.0.0.1:9')])
  expect(stdout.match(/\?$/gm)).toHaveLength((await sim.assumptions()).length)
})

test('a state that is too large to load is not exported', async () => {
  const clients = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i + 1, {}]))
  const { sim, run } = await setUp({
    scenario: { description: 'x', accounts: { reseller: { password: 'secret', clients } } },
  })
  await sim.patch({ clients: { 20001: {} } })
  const file = join(createFolder(), 'state.yaml')
  for (const args of [[], ['--output', file]])
    expect(await run('state', 'export', ...args)).toMatchObject(usageError('20001 clients'))
  expect(existsSync(file)).toBe(false)
})
