import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulator, type StartedSimulator, type StartOptions } from 'proxysim'
import { folder } from '../support/start.ts'
import { cli, proxysim, refusal, type Output } from './proxysim.ts'

interface Driven {
  sim: StartedSimulator
  drive: (...args: string[]) => Promise<Output>
}

async function driven(options: StartOptions = {}): Promise<Driven> {
  const sim = await startSimulator(options)
  onTestFinished(() => sim.close())
  return { sim, drive: (...args) => proxysim([...args, '--url', sim.url]) }
}

function ask({ url, authorization }: StartedSimulator, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: authorization('reseller') } })
}

test('scenarios, load and reset', async () => {
  const { sim, drive } = await driven()
  expect((await drive('scenarios')).stdout).toMatch(/^low-funds +\S/m)
  const listed = JSON.parse((await drive('scenarios', '--json')).stdout) as { name: string }[]
  expect(listed.map(({ name }) => name)).toContain('ip-conflict')
  expect(await drive('load', 'low-funds')).toMatchObject({ code: 0, stderr: '' })
  expect((await sim.health()).scenario).toBe('low-funds')
  await sim.patch({ credit: 99 })
  expect(await drive('reset')).toMatchObject({ code: 0 })
  expect((await sim.world()).credit).toBe(0.5)
  expect(await drive('load', 'low-fnds')).toMatchObject(refusal('low-funds'))
})

test('load FILE, and its issues', async () => {
  const { sim, drive } = await driven()
  const file = join(folder(), 'mine.yaml')
  writeFileSync(file, 'description: Mine.\nextends: default\naccounts:\n  reseller:\n    credit: 7\n')
  expect(await drive('load', file)).toMatchObject({ code: 0 })
  expect((await sim.world()).credit).toBe(7)
  writeFileSync(file, 'description: Mine.\nextends: default\naccounts:\n  reseller:\n    credit: -7\n')
  expect(await drive('load', file)).toMatchObject(refusal(`${file}:5:13: accounts.reseller.credit`))
  expect((await sim.world()).credit).toBe(7)
  expect(await drive('load', './nowhere.yaml')).toMatchObject(refusal("./nowhere.yaml: it can't be read"))
})

test('load FILE refuses a file that is not UTF-8, as check does', async () => {
  const { sim, drive } = await driven()
  const file = join(folder(), 'latin.yaml')
  writeFileSync(file, Buffer.from('description: "caf\xe9"\nextends: empty\n', 'latin1'))
  const said = `${file}:1:18: it is not UTF-8 text\n`
  expect(await proxysim(['check', file])).toMatchObject({ code: 1, stdout: said })
  expect(await drive('load', file)).toMatchObject({ code: 2, stderr: `proxysim: ${said}` })
  expect((await sim.health()).scenario).toBe('default')
})

test('load FILE refuses an empty file before anything is sent', async () => {
  const { sim, drive } = await driven()
  const file = join(folder(), 'mine.yaml')
  writeFileSync(file, '')
  for (const command of [
    ['load', file],
    ['state', 'import', file],
  ])
    expect(await drive(...command)).toMatchObject(refusal(`${file} is empty.`))
  expect((await sim.health()).scenario).toBe('default')
})

test('load FILE names the file, and undo what it replaced', async () => {
  const { drive } = await driven()
  const file = join(folder(), 'mine.yaml')
  writeFileSync(file, 'description: Mine.\nextends: default\n')
  for (const command of [
    ['load', file],
    ['state', 'import', file],
  ])
    expect((await drive(...command)).stdout).toBe(`Loaded ${file}; accounts: reseller\n`)
  expect((await drive('undo')).stdout).toContain('replaced (posted, as of ')
})

test('reset of one account says so', async () => {
  const { drive } = await driven({ scenario: 'two-accounts' })
  expect((await drive('reset', '--account', 'reseller')).stdout).toBe(
    'Reset reseller to its initial state.\n',
  )
  expect((await drive('reset')).stdout).toBe('Loaded two-accounts again; accounts: reseller, another\n')
})

test('load FILE, if the issue is in what it extends', async () => {
  const scenarios = folder()
  const base = join(scenarios, 'base.yaml')
  const bad = 'description: Base.\nextends: default\naccounts:\n  reseller:\n    credit: -7\n'
  writeFileSync(base, bad)
  const { drive } = await driven({ scenarios })
  const file = join(folder(), 'mine.yaml')
  writeFileSync(file, 'description: Mine.\nextends: base\n')
  const refused = await drive('load', file)
  expect(refused).toMatchObject(refusal(`${base}:5:13: accounts.reseller.credit`))
})

test('rewind and repro', async () => {
  const { sim, drive } = await driven({ scenario: 'low-funds' })
  const other = await driven({ scenario: 'empty' })
  await ask(sim, '/api/billing/credit')
  await sim.patch({ credit: 99 })
  expect(await drive('rewind', '#1')).toMatchObject({
    code: 0,
    stdout: 'reseller is as it was before request 1.\n',
  })
  expect((await sim.world()).credit).toBe(0.5)
  expect(await drive('rewind', '9')).toMatchObject(refusal('There is no request "9" in the journal'))
  const file = join(folder(), 'repro.yaml')
  expect((await drive('repro', '1', '--output', file)).stdout).toContain('curl -i')
  expect(await drive('repro', '1', '--output', 'r.txt')).toMatchObject(
    refusal('The scenario r.txt must end in .yaml or .json.'),
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
  expect(stdout).toContain('# "clientid": \\x01 \\x0d accounts: 7}')
  const file = join(folder(), 'repro.yaml')
  writeFileSync(file, stdout)
  expect(await proxysim(['check', file])).toMatchObject({ code: 0, stderr: '' })
})

test('clock', async () => {
  const { drive } = await driven({
    scenario: { description: 'x', extends: 'default', clock: '2026-01-15T12:00:00Z' },
  })
  expect((await drive('clock', '--advance', 'PT1H')).stdout).toBe('2026-01-15T13:00:00.000Z, frozen\n')
  const set = await drive('clock', '--set', '2026-02-01T00:00:00Z', '--resume', '--json')
  expect(JSON.parse(set.stdout)).toMatchObject({ frozen: false })
  expect(await drive('clock', '--freeze', '--set', '2026-01-01T00:00:00Z')).toMatchObject(
    refusal('the clock never goes back'),
  )
  expect(await drive('clock', '--set', '2026-01-01T00:00:00Z')).toMatchObject(
    refusal('to start earlier, load a scenario with `clock: 2026-01-01T00:00:00Z`'),
  )
  expect(await drive('clock', '--freeze', '--resume')).toMatchObject(refusal('cannot be used with'))
})

test('faults', async () => {
  const { sim, drive } = await driven()
  expect((await drive('faults')).stdout).toBe('There are no faults.\n')
  const flags = [
    '--operation',
    'getService',
    '--match',
    'id=5001',
    '--status',
    '503',
    '--body',
    'later',
    '--times',
    '1',
  ]
  expect(await drive('faults', 'add', ...flags)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Added fault 1 on getService: \{/) as string,
  })
  expect((await ask(sim, '/api/service/5002')).status).toBe(200)
  const forced = await ask(sim, '/api/service/5001')
  expect([forced.status, await forced.text()]).toEqual([503, 'later'])
  expect((await drive('faults', 'list')).stdout).toContain('1 of 1')
  await drive('faults', 'clear')
  await drive('faults', 'add', 'lost', '--operation', 'orderService', '--times', '1')
  expect(await sim.faults()).toMatchObject([
    { operation: 'orderService', phase: 'after', drop: 'reset', times: 1 },
  ])
  await drive('faults', 'add', '{"operation":"*","respond":"unauthenticated"}')
  expect((await ask(sim, '/api/clients')).status).toBe(401)
  await drive('faults', 'clear')
  await drive('faults', 'add', '{"operation":"getCredit","delay":1,"times":5}', '--times', '1')
  expect(await sim.faults()).toMatchObject([{ operation: 'getCredit', delay: 1, times: 1 }])
  await drive('faults', 'clear')
  expect((await ask(sim, '/api/clients')).status).toBe(200)
  expect(
    await drive('faults', 'add', '--operation', 'getCredit', '--respond', 'ip-already-bound'),
  ).toMatchObject(refusal('(allowed: invalid-authorization-header'))
  expect(await drive('faults', 'add')).toMatchObject(refusal('needs --operation and one of --respond, '))
  for (const effect of [['503'], ['--delay', '5']])
    expect(await drive('faults', 'add', ...effect)).toMatchObject(refusal('A fault needs --operation.'))
  for (const dropped of [['--drop', 'reset'], ['lost']])
    expect(
      await drive('faults', 'add', ...dropped, '--operation', 'getCredit', '--status', '503'),
    ).toMatchObject(refusal('either answers with a --status or drops the connection'))
  expect(await drive('faults', 'add', '{')).toMatchObject(refusal('not valid JSON'))
  expect(await drive('faults', 'add', 'lots', '--operation', 'getCredit')).toMatchObject(
    refusal(
      'There is no fault "lots", did you mean "lost"? There are: 503, reset, empty, truncate, lost, slow',
    ),
  )
  expect(await drive('faults', 'remove')).toMatchObject(refusal('Choose one of: list, add, clear'))
})

test('words that would be ignored are refused', async () => {
  const { sim, drive } = await driven()
  expect(await drive('state', 'show', 'reseller')).toMatchObject(
    refusal('`proxysim state show` takes no "reseller"; --account shows the world of one account.'),
  )
  expect(await drive('state', 'snapshot', 'mine')).toMatchObject(
    refusal('`proxysim state snapshot` takes no "mine".'),
  )
  const twice = ['--match', 'id=5001', '--match', 'id=5002', '--drop', 'reset']
  expect(await drive('faults', 'add', '--operation', 'getService', ...twice)).toMatchObject(
    refusal('--match names id twice; a fault matches one value of each.'),
  )
  expect(await sim.faults()).toEqual([])
})

test('what is about all accounts takes none', async () => {
  const { drive } = await driven({ scenario: 'two-accounts' })
  for (const [action, value] of [
    ['export', 'all.yaml'],
    ['import', 'all.yaml'],
    ['snapshot', 'one'],
    ['restore', 's1'],
  ] as const)
    expect(await drive('state', action, value, '--account', 'reseller')).toMatchObject(
      refusal(`\`proxysim state ${action}\` takes no --account: it is about all accounts.`),
    )
  expect(await drive('undo')).toMatchObject(refusal('There is nothing to undo'))
})

test('faults list and clear take no filter except the account', async () => {
  const { sim, drive } = await driven({ scenario: 'two-accounts' })
  const own = { account: 'reseller' }
  for (const account of ['reseller', 'another'])
    await sim.fault({ operation: 'getCredit', respond: 'unauthenticated' }, { account })
  for (const flags of [
    ['--operation', 'orderService'],
    ['--match', 'id=1'],
    ['--times', '0'],
  ])
    for (const action of ['list', 'clear'])
      expect(await drive('faults', action, ...flags, '--account', 'reseller')).toMatchObject(
        refusal(`\`proxysim faults ${action}\` takes no ${flags[0]}; --account is its only filter.`),
      )
  expect(await sim.faults(own)).toHaveLength(1)
  expect(await drive('faults', 'clear', '--account', 'reseller')).toMatchObject({ code: 0 })
  expect(await sim.faults(own)).toEqual([])
  expect(await sim.faults({ account: 'another' })).toHaveLength(1)
})

test('requests clear takes no filter except the account', async () => {
  const { sim, drive } = await driven({ scenario: 'two-accounts' })
  for (const login of ['reseller', 'another'])
    await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization(login) } })
  for (const flags of [
    ['--operation', 'getCredit'],
    ['--status', '4xx'],
    ['--case', 'unauthenticated'],
    ['--limit', '20'],
    ['--har', 'journal.har'],
  ])
    expect(await drive('requests', 'clear', ...flags)).toMatchObject(
      refusal(`\`proxysim requests clear\` takes no ${flags[0]}`),
    )
  expect((await sim.requests()).total).toBe(2)
  expect((await drive('requests', 'clear', '--account', 'reseller')).stdout).toBe(
    'The journal has no requests of reseller.\n',
  )
  expect((await sim.requests()).requests).toMatchObject([{ account: 'another' }])
})

test('an empty account is refused', async () => {
  const { drive } = await driven()
  for (const command of ['state', 'reset', 'requests'])
    expect(await drive(command, '--account', '')).toMatchObject(refusal('It must not be empty.'))
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
  expect(await drive('requests', '--har', file)).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ log: { version: '1.2' } })
  expect(await drive('requests', '--har', '/dev/null/x.har')).toMatchObject(refusal("can't be written"))
  expect(await drive('requests', '--status', '4')).toMatchObject(refusal('It must be a status'))
  await drive('requests', 'clear')
  expect((await sim.requests()).total).toBe(0)
})

test('coverage', async () => {
  const { sim, drive } = await driven()
  await ask(sim, '/api/clients')
  const { stdout } = await drive('coverage')
  expect(stdout).toMatch(/^getStats +0\/2 +not seen: 200, unprocessable$/m)
  expect(stdout).toContain('header-missing')
  expect(JSON.parse((await drive('coverage', '--format', 'json')).stdout)).toMatchObject({ covered: 1 })
  expect((await drive('coverage', '--format', 'markdown')).stdout).toContain('| listClients |')
  expect((await drive('coverage', '--format', 'junit')).stdout).toContain('<testsuite')
  expect(await drive('coverage', '--json', '--format', 'junit')).toMatchObject(
    refusal('--json and --format junit contradict each other'),
  )
  expect((await drive('coverage', '--min-coverage', '90')).code).toBe(3)
  expect(await drive('coverage', '--min-coverage', '101')).toMatchObject(refusal('from 0 to 100'))
})

test('state', async () => {
  const { sim, drive } = await driven()
  expect((await drive('state')).stdout).toMatch(/^reseller +250\.00/m)
  const id = (await drive('state', 'snapshot')).stdout.trim()
  const file = join(folder(), 'state.yaml')
  await drive('state', 'patch', '{"credit":3}')
  expect(await drive('state', 'export', file)).toMatchObject({ code: 0 })
  await drive('state', 'restore', id)
  expect((await sim.world()).credit).toBe(250)
  await drive('state', 'import', file)
  expect((await sim.world()).credit).toBe(3)
  const world = await drive('state', '--account', 'reseller')
  expect(JSON.parse(world.stdout)).toMatchObject({ credit: 3 })
  expect(await drive('state', 'patch', '{"credit":-3}')).toMatchObject(refusal('credit'))
  expect(await drive('state', 'restore')).toMatchObject(refusal('needs the id of a snapshot'))
  expect(await drive('state', 'export', '/dev/null/x.yaml')).toMatchObject(refusal("can't be written"))
  expect(JSON.parse((await drive('state', 'export', '--json', file)).stdout)).toEqual({ file })
  expect(readFileSync(file, 'utf8')).toMatch(/^description: /) // the format is the extension's
  for (const flag of [[], ['--json']])
    expect(await drive('state', 'export', 'x.txt', ...flag)).toMatchObject(
      refusal('The scenario x.txt must end in .yaml or .json.'),
    )
  expect((await sim.world()).credit).toBe(3)
})

test('a state that is too long for YAML is written as JSON alone', { timeout: 60_000 }, async () => {
  const { sim, drive } = await driven()
  await sim.load({
    description: 'Large.',
    extends: 'default',
    accounts: { reseller: { generate: { services: 2500 } } },
  })
  await ask(sim, '/api/service/77')
  const headers = { accept: 'application/yaml' }
  for (const path of ['/__admin/scenario', '/__admin/requests/1/repro'])
    expect((await fetch(sim.url + path, { headers })).status, path).toBe(400)
  const [yaml, asJson] = [join(folder(), 'large.yaml'), join(folder(), 'large.json')]
  for (const command of [
    ['state', 'export', yaml],
    ['state', 'export'],
    ['repro', '1', '--output', yaml],
    ['repro', '1'],
  ])
    expect(await drive(...command)).toMatchObject(
      refusal('bytes of YAML, but only 1048576 can be loaded. Write it to a .json file'),
    )
  expect(existsSync(yaml)).toBe(false)
  expect(await drive('repro', '1', '--json')).toMatchObject({ code: 0 })
  expect(await drive('state', 'export', asJson)).toMatchObject({ code: 0 })
  expect(await drive('load', asJson)).toMatchObject({ code: 0 })
  writeFileSync(yaml, `description: Long.\n#${'x'.repeat(1024 * 1024)}`)
  expect(await drive('load', yaml)).toMatchObject(
    refusal('the body is larger than 1048576 bytes; application/json may have 67108864'),
  )
})

test('load merges a file with those next to it, as check and serve do', async () => {
  const { sim, drive } = await driven()
  const at = folder()
  const write = (name: string, text: string): string => {
    const file = join(at, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `description: Of a test.\n${text}`)
    return file
  }
  write('base.yaml', 'extends: default\naccounts: { reseller: { credit: 7 } }')
  writeFileSync(write('fixtures/more.yaml', ''), 'clients: { 77: { email: more@example.com } }')
  expect(await drive('load', write('top.yaml', 'extends: base\nfixtures: [more]'))).toMatchObject({ code: 0 })
  expect((await sim.world()).credit).toBe(7)
  expect((await sim.world()).clients).toHaveProperty('77')
  const typo = write('typo.yaml', 'extends: bases')
  expect(await drive('load', typo)).toMatchObject(
    refusal(`${typo}:2:10: extends: There is no scenario "bases"`),
  )
  const bad = write('bad.yaml', 'extends: default\naccounts: { reseller: { credit: x } }')
  expect(await drive('load', write('over.yaml', 'extends: bad'))).toMatchObject(refusal(`${bad}:3:`))
  expect((await sim.world()).credit).toBe(7)
})

test('load from a pipe, which can be read only once', async () => {
  const { sim } = await driven()
  const piped = (text: string): Promise<Output> =>
    proxysim([sim.url], {
      program: [
        'sh',
        '-c',
        'printf %s "$1" | "$2" "$3" load /dev/stdin --url "$4"',
        'sh',
        text,
        process.execPath,
        cli,
      ],
    })
  expect(await piped('description: Mine.\nextends: low-funds')).toMatchObject({ code: 0 })
  expect((await sim.world()).credit).toBe(0.5)
  expect(await piped('description: Mine.\nextends: nosuch')).toMatchObject(
    refusal('/dev/stdin:2:10: extends: There is no scenario "nosuch"'),
  )
})

test('several accounts: one must be named', async () => {
  const { sim, drive } = await driven()
  const { login } = await sim.createAccount()
  expect(await drive('clock')).toMatchObject(refusal(login))
  expect(await drive('clock', '--account', login)).toMatchObject({ code: 0 })
  expect(await drive('clock', '--account', 'nobody')).toMatchObject(refusal('There is no account "nobody"'))
})

test('the URL and the token can come from the environment', async () => {
  const sim = await startSimulator({ adminToken: 'let-me-in' })
  onTestFinished(() => sim.close())
  const env = { PROXYSIM_URL: sim.url, PROXYSIM_ADMIN_TOKEN: 'let-me-in' }
  expect(await proxysim(['reset'], { env })).toMatchObject({ code: 0 })
  expect(await proxysim(['reset'], { env: { PROXYSIM_URL: sim.url } })).toMatchObject(
    refusal('The admin token is missing or wrong.'),
  )
  const wrong = await proxysim(['state', '--url', sim.url, '--admin-token', 'open-up'])
  expect(wrong).toMatchObject(refusal('--admin-token or PROXYSIM_ADMIN_TOKEN'))
  expect(wrong.stderr).not.toContain('Authorization')
  const broken = await proxysim(['state', '--url', sim.url, '--admin-token', 'let\nme-in'])
  expect(broken).toMatchObject(refusal('The admin token must be one or more printable ASCII characters'))
  expect(broken.stderr).not.toContain('me-in')
})

test('no server, and no URL', async () => {
  const sim = await startSimulator()
  await sim.close()
  expect(await proxysim(['coverage', '--url', sim.url])).toMatchObject(
    refusal(`No simulator answers at ${sim.url} (ECONNREFUSED).`),
  )
  expect(await proxysim(['coverage', '--url', 'here'])).toMatchObject(refusal('"here" is not the URL'))
})

test.each([
  ['what is not JSON', '<!doctype html>', 'is not a simulator (status 200).'],
  ['less than it said', undefined, 'No simulator answers at'],
])('a server that answers %s', async (_, page, message) => {
  const server = createServer((_request, response) => {
    if (page !== undefined) return response.end(page)
    response.writeHead(200, { 'content-length': 100 })
    return response.write('{', () => response.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refused = await proxysim(['scenarios', '--url', url])
  expect(refused).toMatchObject(refusal(message))
  expect(refused.stderr).toContain(url)
})

test('check reports issues with their location', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'good.yaml'), 'description: Good.\nextends: default\n')
  writeFileSync(
    join(cwd, 'bad.yaml'),
    'description: Bad.\nextends: default\naccounts:\n  reseller:\n    credit: -1\n    services:\n      5001: { status: Activ }\n',
  )
  expect(await proxysim(['check', 'good.yaml'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'good.yaml: ok\n',
  })
  const { code, stdout } = await proxysim(['check', 'good.yaml', 'bad.yaml'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('good.yaml: ok')
  expect(stdout).toMatch(/^bad\.yaml:5:13: accounts\.reseller\.credit: /m)
  expect(stdout).toMatch(/^bad\.yaml:7:23: accounts\.reseller\.services\.5001\.status: .*Active/m)
  expect(await proxysim(['check', 'nowhere.yaml'], { cwd })).toMatchObject(
    refusal("nowhere.yaml can't be read"),
  )
  const some = await proxysim(['check', 'nowhere.yaml', 'good.yaml', 'neither.yaml', 'bad.yaml'], { cwd })
  expect(some.code).toBe(2)
  expect(some.stdout).toMatch(/^good\.yaml: ok\nbad\.yaml:5:13: /)
  expect(some.stderr).toBe(
    "proxysim: nowhere.yaml can't be read (ENOENT); neither.yaml can't be read (ENOENT).\n",
  )
  writeFileSync(join(cwd, 'circle.yaml'), 'description: Bad.\nextends: circle\n')
  expect((await proxysim(['check', 'circle.yaml'], { cwd })).stdout).toBe(
    'circle.yaml:2:10: extends: scenarios extend each other in a circle: circle.yaml → circle.yaml\n',
  )
  expect(await proxysim(['check', '.'], { cwd })).toMatchObject(refusal('. is a folder, not a file.'))
  for (let i = 0; i < 50; i++) writeFileSync(join(cwd, `a${i}.json`), '{}')
  writeFileSync(join(cwd, 'bad.yaml'), 'description: Bad.\nextends: goof\n')
  const mistyped = await proxysim(['check', 'bad.yaml'], { cwd })
  expect(mistyped.stdout).toMatch(
    /"goof", did you mean "good"\? There are: a0, (a\d+, ){38}a\d+ and \d+ more\.\n$/,
  )
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
