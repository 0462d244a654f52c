import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulator, type StartedSimulator, type StartOptions } from 'proxysim'
import { folder } from '../support/start.ts'
import { cli, refused, type Result } from './inProcess.ts'

interface Driven {
  sim: StartedSimulator
  drive: (...args: string[]) => Promise<Result>
}

async function driven(options: StartOptions = {}): Promise<Driven> {
  const sim = await startSimulator(options)
  onTestFinished(() => sim.close())
  return { sim, drive: (...args) => cli([...args, '--url', sim.url]) }
}

function ask({ url, authorization }: StartedSimulator, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: authorization('reseller') } })
}

/** Writes a file of a scenario. */
function scenario(text: string, name = 'mine.yaml', at = folder()): string {
  const file = join(at, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `description: Mine.\n${text}\n`)
  return file
}

test('scenarios, load, reset and undo', async () => {
  const { sim, drive } = await driven()
  expect((await drive('scenarios')).stdout).toMatch(/^low-funds +\S/m)
  const listed = JSON.parse((await drive('scenarios', '--json')).stdout) as { name: string }[]
  expect(listed.map(({ name }) => name)).toContain('ip-conflict')
  expect(await drive('undo')).toMatchObject(refused('Nothing to undo.'))
  expect(await drive('load', 'low-funds')).toEqual({
    code: 0,
    stdout: 'Loaded low-funds. Accounts: reseller.\n',
    stderr: '',
  })
  expect((await sim.health()).scenario).toBe('low-funds')
  await sim.patch({ credit: 99 })
  expect((await drive('reset')).stdout).toBe('Loaded low-funds again. Accounts: reseller.\n')
  expect((await sim.world()).credit).toBe(0.5)
  expect((await drive('undo')).stdout).toMatch(/^Restored low-funds, as of .*Run it again to redo\.\n$/)
  expect((await sim.world()).credit).toBe(99)
  expect(await drive('load', 'low-fnds')).toMatchObject(refused('low-funds'))
})

test('load and reset say which accounts they remove', async () => {
  const { sim, drive } = await driven({ scenario: 'two-accounts' })
  await sim.createAccount({ login: 'mine' })
  expect((await drive('reset', '--account', 'reseller')).stdout).toBe(
    'Reset reseller to its initial state.\n',
  )
  expect((await drive('reset')).stdout).toBe(
    'Loaded two-accounts again. Accounts: reseller, another. Removed mine.\n',
  )
})

test('on a terminal, load and reset ask for --yes before they remove accounts', async () => {
  const { sim, drive } = await driven()
  await sim.createAccount({ login: 'mine' })
  const before = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY')
  Object.defineProperty(process.stdin, 'isTTY', { value: true, configurable: true })
  onTestFinished(() => void Object.defineProperty(process.stdin, 'isTTY', before ?? { value: false }))
  for (const command of [['reset'], ['load', 'low-funds']])
    expect(await drive(...command)).toMatchObject(
      refused('This removes 1 account created since the start: mine. To remove them, add --yes.'),
    )
  expect(await sim.accounts()).toHaveLength(2)
  expect(await drive('reset', '--yes')).toMatchObject({ code: 0 })
  expect(await sim.accounts()).toHaveLength(1)
})

test('load FILE, and its issues', async () => {
  const { sim, drive } = await driven()
  const file = scenario('extends: default\naccounts:\n  reseller:\n    credit: 7')
  expect((await drive('load', file)).stdout).toBe(`Loaded ${file}. Accounts: reseller.\n`)
  expect((await sim.world()).credit).toBe(7)
  const bad = scenario('extends: default\naccounts:\n  reseller:\n    credit: -7')
  expect(await drive('load', bad)).toMatchObject(refused(`${bad}:5:13: accounts.reseller.credit`))
  expect(await cli(['check', bad])).toMatchObject({ code: 1 })
  expect(await drive('load', './nowhere.yaml')).toMatchObject(refused('./nowhere.yaml'))
  const empty = join(folder(), 'empty.yaml')
  writeFileSync(empty, '')
  for (const command of [['load'], ['state', 'import']])
    expect(await drive(...command, empty)).toMatchObject(refused(`${empty} is empty.`))
  expect((await sim.world()).credit).toBe(7)
})

test('load merges a file with those next to it, as check and serve do', async () => {
  const { sim, drive } = await driven()
  const at = folder()
  scenario('extends: default\naccounts: { reseller: { credit: 7 } }', 'base.yaml', at)
  mkdirSync(join(at, 'fixtures'))
  writeFileSync(join(at, 'fixtures/more.yaml'), 'clients: { 77: { email: more@example.com } }')
  const top = scenario('extends: base\nfixtures: [more]', 'top.yaml', at)
  expect(await drive('load', top)).toMatchObject({ code: 0 })
  expect(await sim.world()).toMatchObject({ credit: 7, clients: { 77: {} } })
  const typo = scenario('extends: bases', 'typo.yaml', at)
  expect(await drive('load', typo)).toMatchObject(refused(`${typo}:2:10: extends: `))
  const bad = scenario('extends: default\naccounts: { reseller: { credit: x } }', 'bad.yaml', at)
  const over = scenario('extends: bad', 'over.yaml', at)
  expect(await drive('load', over)).toMatchObject(refused(`${bad}:3:`))
})

test('rewind and repro', async () => {
  const { sim, drive } = await driven({ scenario: 'low-funds' })
  const other = await driven({ scenario: 'empty' })
  await ask(sim, '/api/billing/credit')
  await sim.patch({ credit: 99 })
  expect((await drive('rewind', '#1')).stdout).toBe('reseller is as it was before request 1.\n')
  expect((await sim.world()).credit).toBe(0.5)
  expect(await drive('rewind', '9')).toMatchObject({ code: 2, stdout: '' })
  const file = join(folder(), 'repro.yaml')
  expect((await drive('repro', '1', '--output', file)).stdout).toContain('curl -i')
  expect(await drive('repro', '1', '--output', 'r.txt')).toMatchObject(
    refused('The scenario r.txt must end in .yaml or .json.'),
  )
  expect(await other.drive('load', file)).toMatchObject({ code: 0 })
  expect(await (await ask(other.sim, '/api/billing/credit')).json()).toEqual({ credit: 0.5 })
  expect((await drive('repro', '1')).stdout).toMatch(/^# curl .*\ndescription: /)
  expect(JSON.parse((await drive('repro', '1', '--json')).stdout)).toHaveProperty(
    'scenario.accounts.reseller.credit',
    0.5,
  )
})

test('what repro prints is a scenario file, whatever the body was', async () => {
  const { sim, drive } = await driven()
  await fetch(`${sim.url}/api/product/101`, {
    method: 'POST',
    headers: { authorization: sim.authorization(), 'content-type': 'application/json' },
    body: '{\r\n"clientid": \u0001 \r accounts: 7}',
  })
  const { stdout } = await drive('repro', '1')
  expect(stdout).toContain('# "clientid": \\u0001 \\r accounts: 7}')
  const file = join(folder(), 'repro.yaml')
  writeFileSync(file, stdout)
  expect(await cli(['check', file])).toMatchObject({ code: 0, stderr: '' })
})

test('clock', async () => {
  const { drive } = await driven({
    scenario: { description: 'x', extends: 'default', clock: '2026-01-15T12:00:00Z' },
  })
  expect((await drive('clock', '--advance', 'PT1H')).stdout).toBe('2026-01-15T13:00:00.000Z, frozen\n')
  expect((await drive('clock', '--advance', 'PT0S')).stdout).toBe('2026-01-15T13:00:00.000Z, frozen\n')
  const set = await drive('clock', '--set', '2026-02-01T00:00:00Z', '--resume', '--json')
  expect(JSON.parse(set.stdout)).toMatchObject({ frozen: false })
  expect(await drive('clock', '--freeze', '--set', '2026-01-01T00:00:00Z')).toMatchObject({ code: 2 })
  expect(await drive('clock', '--rate', '0')).toMatchObject(
    refused('--rate must be a number more than 0 and at most 100000, not "0".'),
  )
})

test('timeline', async () => {
  const { sim, drive } = await driven({
    scenario: { description: 'x', extends: 'default', clock: '2026-01-15T12:00:00Z' },
  })
  expect((await drive('timeline')).stdout).toBe('Nothing is due.\n')
  const patch = '{"services":{"5001":{"status":"Suspended"}}}'
  expect((await drive('timeline', 'add', '--after', 'PT10S', '--patch', patch)).stdout).toMatch(
    /^Added entry \d+, due 2026-01-15T12:00:10\.000Z\.\n$/,
  )
  const more = '--every P1D --times 3 --description lapsed'.split(' ')
  await drive('timeline', 'add', '--at', '2026-01-16T00:00:00Z', '--patch', '{"credit":1}', ...more)
  const { timeline } = JSON.parse((await drive('timeline', '--json')).stdout) as {
    timeline: { id: number }[]
  }
  expect(timeline).toMatchObject([{ patch: {} }, { every: 'P1D', times: 3, description: 'lapsed' }])
  expect((await drive('timeline')).stdout).toMatch(/2026-01-16T00:00:00\.000Z +\{"credit":1\} +lapsed$/m)
  await drive('clock', '--advance', 'PT10S')
  expect((await sim.world()).services['5001']?.status).toBe('Suspended')
  const [, left] = timeline
  expect(await drive('timeline', 'remove', String(left?.id))).toMatchObject({ code: 0 })
  expect(await drive('timeline', 'clear')).toMatchObject({ code: 0, stdout: 'Removed all entries.\n' })
  expect((await drive('timeline')).stdout).toBe('Nothing is due.\n')
  expect((await drive('clock', '--rate', '60', '--resume')).stdout).toMatch(/Z, 60 s per second\n$/)
})

test.each([
  [['add', '--patch', '{}'], 'An entry needs a time: --after or --at.'],
  [['add', '--after', 'PT1S'], 'An entry needs an effect: --patch or --add.'],
  [['add', '--after', 'PT1S', '--patch', '{'], '--patch is not valid JSON'],
  [['add', '--after', 'soon', '--patch', '{"credit":1}'], 'soon'],
  [['remove'], '`proxysim timeline remove` needs the id of an entry.'],
  [['remove', '7'], '7'],
  [['list', '7'], '`proxysim timeline list` doesn\'t take "7".'],
  [['clear', '--after', 'PT1S'], "`proxysim timeline clear` doesn't take --after."],
])('timeline %j is refused in one line', async (args, message) => {
  const { drive } = await driven()
  expect(await drive('timeline', ...args)).toMatchObject(refused(message))
})

test('faults', async () => {
  const { sim, drive } = await driven()
  expect((await drive('faults')).stdout).toBe('No active faults.\n')
  const flags = '--operation getService --match id=5001 --status 503 --body later --times 1'.split(' ')
  expect((await drive('faults', 'add', ...flags)).stdout).toMatch(/^Added fault 1 on getService: \{/)
  expect((await ask(sim, '/api/service/5002')).status).toBe(200)
  const forced = await ask(sim, '/api/service/5001')
  expect([forced.status, await forced.text()]).toEqual([503, 'later'])
  expect((await drive('faults', 'list')).stdout).toMatch(/1 of 1 .*\(used up\)/)
  await drive('faults', 'add', 'lost', '--operation', 'orderService', '--times', '1')
  expect(await drive('faults', 'remove', '1')).toMatchObject({ code: 0, stdout: 'Removed fault 1.\n' })
  expect(await sim.faults()).toMatchObject([
    { id: 2, operation: 'orderService', phase: 'after', drop: 'reset' },
  ])
  expect(await drive('faults', 'remove', '7')).toMatchObject({ code: 2 })
  await drive('faults', 'clear')
  await drive('faults', 'add', '{"operation":"getCredit","delay":1,"times":5}', '--times', '1')
  expect(await sim.faults()).toMatchObject([{ operation: 'getCredit', delay: 1, times: 1 }])
})

test.each([
  ['bad-gateway', 502, 'text/html', null],
  ['too-many-requests', 429, 'application/json', '1'],
  ['not-json', 200, 'text/html', null],
])('the fault %s can be added by its name', async (name, status, type, retryAfter) => {
  const { sim, drive } = await driven()
  expect(await drive('faults', 'add', name, '--operation', '*')).toMatchObject({ code: 0 })
  const { headers, ...response } = await ask(sim, '/api/clients').then(async (got) => ({
    status: got.status,
    headers: got.headers,
    text: await got.text(),
  }))
  expect(response.status).toBe(status)
  expect(headers.get('content-type')).toContain(type)
  expect(headers.get('retry-after')).toBe(retryAfter)
  expect(response.text.startsWith('<html>')).toBe(type === 'text/html')
})

test.each([
  [['add'], 'A fault needs an effect: --respond, --status, --delay or --drop.'],
  [['add', '503'], 'A fault needs an operation: --operation.'],
  [['add', '{}', '--operation', 'getCredit'], 'A fault needs an effect'],
  [['add', '--operation', 'getCredit', '--respond', 'ip-already-bound'], 'invalid-authorization-header'],
  [
    ['add', 'lost', '--operation', 'getCredit', '--status', '503'],
    'either responds with a --status or drops',
  ],
  [['add', '{'], 'The fault is not valid JSON'],
  [['add', 'lots', '--operation', 'getCredit'], 'Unknown fault "lots". Did you mean "lost"?'],
  [
    ['add', 'zzzzzz'],
    'Unknown fault "zzzzzz". Available: 503, bad-gateway, too-many-requests, not-json, reset',
  ],
  [
    ['add', '--operation', 'getService', '--match', 'id=1,id=2', '--drop', 'reset'],
    '--match names id twice.',
  ],
  [
    ['add', '--operation', 'getService', '--match', 'id', '--drop', 'reset'],
    '--match must be a path parameter',
  ],
  [['remove'], '`proxysim faults remove` needs the id of a fault.'],
  [['clear', '3'], '`proxysim faults clear` doesn\'t take "3".'],
  [['clear', '--operation', 'orderService'], "`proxysim faults clear` doesn't take --operation."],
  [['list', '--times', '0'], "`proxysim faults list` doesn't take --times."],
])('faults %j is refused in one line', async (args, message) => {
  const { sim, drive } = await driven()
  expect(await drive('faults', ...args)).toMatchObject(refused(message))
  expect(await sim.faults()).toEqual([])
})

test('faults and requests are cleared for one account alone', async () => {
  const { sim, drive } = await driven({ scenario: 'two-accounts' })
  for (const account of ['reseller', 'another']) {
    await sim.fault({ operation: 'getCredit', respond: 'unauthenticated' }, { account })
    await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization(account) } })
  }
  await drive('faults', 'clear', '--account', 'reseller')
  expect(await sim.faults({ account: 'reseller' })).toEqual([])
  expect(await sim.faults({ account: 'another' })).toHaveLength(1)
  expect(await drive('requests', 'clear', '--limit', '20')).toMatchObject(
    refused("`proxysim requests clear` doesn't take --limit."),
  )
  expect((await drive('requests', 'clear', '--account', 'reseller')).stdout).toBe(
    'Cleared the requests of reseller.\n',
  )
  expect((await sim.requests()).requests).toMatchObject([{ account: 'another' }])
})

test('requests', async () => {
  const { sim, drive } = await driven()
  await ask(sim, '/api/clients')
  expect((await drive('requests')).stdout).toContain('1 of 1 request\n')
  await ask(sim, '/api/service/77')
  const { stdout } = await drive('requests')
  expect(stdout).toMatch(/#2 .*422 +getService +GET \/api\/service\/77 +unprocessable: /)
  expect(stdout).toContain('2 of 2 requests')
  const found = await drive('requests', '--status', '4xx', '--limit', '1', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject({ total: 1, requests: [{ operation: 'getService' }] })
  const file = join(folder(), 'deep/journal.har')
  expect(await drive('requests', '--output', file)).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ log: { version: '1.2' } })
  expect(await drive('requests', '--output', '/dev/null/x.har')).toMatchObject(refused("Can't write"))
})

/** A server that always gives the same response. */
async function strangeServer(respond: (response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((_request, response) => void respond(response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([[['scenarios']], [['scenarios', '--json']], [['scenarios', 'extra\u009b\u202e']]])(
  'control characters from outside do not reach the terminal: %j',
  async (command) => {
    const name = 'a\u001b[31mb\u0007\u009b\u202ec'
    const url = await strangeServer((response) => response.end(JSON.stringify([{ name, description: name }])))
    const { stdout, stderr } = await cli([...command, '--url', url])
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(stdout + stderr).toContain('\\u202e')
  },
)

test('coverage', async () => {
  const { sim, drive } = await driven()
  await ask(sim, '/api/clients')
  const { stdout } = await drive('coverage')
  expect(stdout).toMatch(/^getStats +0\/2 +200 success, 422 unprocessable$/m)
  expect(stdout).toContain('header-missing')
  expect(JSON.parse((await drive('coverage', '--format', 'json')).stdout)).toMatchObject({ covered: 1 })
  expect((await drive('coverage', '--format', 'markdown')).stdout).toContain('| listClients | ✅ 1/1 |')
  const file = join(folder(), 'coverage.xml')
  expect((await drive('coverage', '--format', 'junit', '--output', file)).stdout).toContain('<testsuite')
  expect(readFileSync(file, 'utf8')).toContain('<testsuite')
  expect(await drive('coverage', '--json', '--format', 'junit')).toMatchObject(
    refused('--json and --format junit contradict each other.'),
  )
  expect(await drive('coverage', '--min-coverage', '90')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^proxysim: Coverage [\d.]+ % is below 90 %\.\n$/) as string,
  })
})

test('state', async () => {
  const { sim, drive } = await driven()
  expect((await drive('state')).stdout).toMatch(/^reseller +250\.00/m)
  const id = (await drive('state', 'snapshot')).stdout.trim()
  const file = join(folder(), 'state.yaml')
  await drive('state', 'patch', '{"credit":3}')
  expect(await drive('state', 'export', '--output', file)).toMatchObject({
    code: 0,
    stdout: `Wrote ${file}.\n`,
  })
  expect(readFileSync(file, 'utf8')).toMatch(/^description: /)
  await drive('state', 'restore', id)
  expect((await sim.world()).credit).toBe(250)
  await drive('state', 'import', file)
  expect(JSON.parse((await drive('state', '--account', 'reseller')).stdout)).toMatchObject({ credit: 3 })
  expect(await drive('state', 'patch', '{"credit":-3}')).toMatchObject(refused('credit'))
  expect((await sim.world()).credit).toBe(3)
})

test.each([
  [['patch', '{'], 'The patch is not valid JSON'],
  [['restore'], '`proxysim state restore` needs the id of a snapshot.'],
  [['show', 'reseller'], '`proxysim state show` doesn\'t take "reseller". --account shows one account.'],
  [['export', '--output', 'x.txt'], 'The scenario x.txt must end in .yaml or .json.'],
  [['export', '--output', '/dev/null/x.yaml'], "Can't write /dev/null/x.yaml"],
  [['import', 'x.yaml', '--output', 'y.yaml'], "`proxysim state import` doesn't take --output."],
  [['snapshot', '--account', 'reseller'], "doesn't take --account. It is about all accounts."],
])('state %j is refused in one line', async (args, message) => {
  const { drive } = await driven()
  expect(await drive('state', ...args)).toMatchObject(refused(message))
})

test('several accounts: one must be named, in words of the command line', async () => {
  const { sim, drive } = await driven()
  await sim.createAccount({ login: 'mine' })
  for (const command of [['clock'], ['state', 'patch', '{}']]) {
    expect(await drive(...command)).toMatchObject(
      refused('Several accounts exist (reseller, mine). Choose one with --account.'),
    )
  }
  expect(await drive('clock', '--account', 'mine')).toMatchObject({ code: 0 })
  expect(await drive('clock', '--account', 'nobody')).toMatchObject(refused('"nobody"'))
})

test('the URL and the token can come from the environment', async () => {
  const { sim } = await driven({ adminToken: 'let-me-in' })
  const env = { PROXYSIM_URL: sim.url, PROXYSIM_ADMIN_TOKEN: 'let-me-in' }
  expect(await cli(['reset'], env)).toMatchObject({ code: 0 })
  expect(await cli(['reset'], { PROXYSIM_URL: sim.url })).toMatchObject(
    refused('The admin token is missing or wrong.'),
  )
  const wrong = await cli(['state', '--url', sim.url, '--admin-token', 'open-up'])
  expect(wrong).toMatchObject(refused('--admin-token or PROXYSIM_ADMIN_TOKEN'))
  expect(wrong.stderr).not.toContain('Authorization')
})

test.each([
  ['what is not JSON', '<!doctype html>', 'is not a simulator (status 200).'],
  ['less than it said', undefined, 'No simulator answers at'],
])('a server that answers %s', async (_, page, message) => {
  const url = await strangeServer((response) => {
    if (page !== undefined) return response.end(page)
    response.writeHead(200, { 'content-length': 100 })
    return response.write('{', () => response.destroy())
  })
  expect(await cli(['scenarios', '--url', url])).toMatchObject(refused(message))
})

test('the URL may have a slash, a query or a fragment, as in an address bar', async () => {
  const { sim } = await driven()
  for (const more of ['/', '/?view=1', '/#requests'])
    expect(await cli(['scenarios', '--url', sim.url + more])).toMatchObject({ code: 0 })
})

test('no server', async () => {
  const { sim } = await driven()
  await sim.close()
  const message = `No simulator answers at ${sim.url} (ECONNREFUSED).`
  for (const command of [['coverage'], ['requests', '--follow']])
    expect(await cli([...command, '--url', sim.url])).toMatchObject(refused(message))
})

test('check reports issues with their location', async () => {
  const at = folder()
  const good = scenario('extends: default', 'good.yaml', at)
  const text =
    'extends: default\naccounts:\n  reseller:\n    credit: -1\n    services:\n      5001: { status: Activ }'
  const bad = scenario(text, 'bad.yaml', at)
  expect(await cli(['check', good])).toMatchObject({ code: 0, stdout: `${good}: ok\n` })
  const { code, stdout } = await cli(['check', good, bad])
  expect(code).toBe(1)
  expect(stdout).toContain(`${good}: ok\n${bad}:5:13: accounts.reseller.credit: `)
  expect(stdout).toMatch(/bad\.yaml:7:23: accounts\.reseller\.services\.5001\.status: .*Active/)
  const some = await cli(['check', '/nowhere.yaml', good, at])
  expect(some).toMatchObject({ code: 2, stdout: `${good}: ok\n` })
  expect(some.stderr).toBe(`proxysim: Can't read /nowhere.yaml (ENOENT); ${at} is a folder, not a file.\n`)
  expect(existsSync(join(at, 'data'))).toBe(false)
})
