import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CoverageReport, Finding } from '../../src/admin/shapes.ts'
import { folder } from '../support/start.ts'
import { client } from './client.ts'
import { cli, launch, proxysim, refusal } from './proxysim.ts'

/** `script` of util-linux, which runs a command in a terminal */
const noTerminal = !spawnSync('script', ['--version']).stdout?.toString().includes('util-linux')

test('runs a command against its own simulator, and reports coverage and findings', async () => {
  const cmd = client(`
    console.log('client:', (await ask('GET', '/api/billing/credit')).body.credit, process.argv.slice(2).join(' '))
    await fetch(PROXYSIM_URL + '/api/clients', { headers: { authorization: headers.authorization } })`)
  const { code, stdout, stderr } = await proxysim([
    'exec',
    '--scenario',
    'low-funds',
    '--',
    ...cmd,
    '--flag',
    '-x',
  ])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('client: 0.5 --flag -x')
  expect(stdout).toMatch(/2 requests, coverage [\d.]+ % \(operations 2\/20 · answers 2\/47\)/)
  expect(stdout).toMatch(/header-missing listClients: .*\(#2\)/)
})

test("exits with the command's code, even if coverage falls short", async () => {
  expect((await proxysim(['exec', '--', ...client('process.exit(7)')])).code).toBe(7)
  const failing = client(`await ask('GET', '/api/clients'); process.exit(7)`)
  expect((await proxysim(['exec', '--min-coverage', '90', '--', ...failing])).code).toBe(7)
})

test('a command that was ended by a signal exits as in a shell', async () => {
  expect((await proxysim(['exec', '--', ...client(`process.kill(process.pid, 'SIGKILL')`)])).code).toBe(137)
})

test('exits 3 if coverage is too low, and lists what was not seen', async () => {
  const cmd = client(`await ask('GET', '/api/clients')`)
  const { code, stdout, stderr } = await proxysim(['exec', '--min-coverage', '90', '--', ...cmd])
  expect(code).toBe(3)
  expect(stderr).toMatch(/^proxysim: coverage [\d.]+ % is below 90 %\n$/)
  expect(stdout).toMatch(/^orderService +0\/5 +not seen: 200, /m)
  expect((await proxysim(['exec', '--min-coverage', '0.5', '--', ...cmd])).code).toBe(0)
})

test('the gate is not rounded', async () => {
  const cmd = client(`await ask('GET', '/api/clients')`)
  const report = join(folder(), 'report.json')
  await proxysim(['exec', '--report', report, '--', ...cmd])
  const { covered, total } = JSON.parse(readFileSync(report, 'utf8')) as CoverageReport
  const exact = (100 * covered) / total
  for (const [by, code] of [
    [-0.001, 0],
    [0.001, 3],
  ] as const)
    expect(
      (await proxysim(['exec', '--min-coverage', String(exact + by), '--', ...cmd])).code,
      String(exact + by),
    ).toBe(code)
})

test('findings are of the whole run, however little the journal keeps', async () => {
  const cmd = client(`
    await ask('PUT', '/api/service/5001', { password: 'hunter2!' })
    const { authorization } = headers
    for (let i = 0; i < 150; i++) await fetch(process.env.PROXYSIM_URL + '/api/clients', { headers: { authorization } })`)
  const report = join(folder(), 'report.json')
  const { stdout } = await proxysim(['exec', '--journal', '2', '--report', report, '--', ...cmd])
  expect(stdout).toContain('password-not-encoded')
  const { findings } = JSON.parse(readFileSync(report, 'utf8')) as { findings: Finding[] }
  expect(findings.map(({ finding, requests }) => [finding, requests.length])).toEqual([
    ['password-not-encoded', 1],
    ['header-missing', 100], // enough of them
  ])
})

test('a gate of 0 % holds without a request, which is told', async () => {
  const idle = client('')
  expect(await proxysim(['exec', '--min-coverage', '0', '--', ...idle])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('sent no request;') as string,
  })
  expect(await proxysim(['exec', '--min-coverage', '1', '--', ...idle])).toMatchObject({ code: 3 })
})

test('says so if no request was sent, also without a gate', async () => {
  expect(await proxysim(['exec', '--', ...client('')])).toMatchObject({
    code: 0,
    stderr: 'proxysim: the command sent no request; does it use PROXYSIM_URL?\n',
  })
})

test('a failed command is explained by its last refusals', async () => {
  const failing = client(`
    for (let id = 1; id <= 6; id++) await ask('GET', '/api/service/' + id)
    await ask('GET', '/api/clients')
    await ask('POST', '/api/product/101', { clientid: 11 })
    process.exit(1)`)
  const { code, stdout } = await proxysim(['exec', '--scenario', 'low-funds', '--', ...failing])
  expect(code).toBe(1)
  const [, told = ''] = stdout.split('the command exited with 1; the last refusals:\n')
  expect(told.split('\n').slice(0, 5)).toEqual([
    ...[3, 4, 5, 6].map(
      (id) => `  #${id}  GET /api/service/${id}     422  unprocessable: there is no service ${id}`,
    ),
    '  #8  POST /api/product/101  422  insufficient-funds: credit 0.50 is less than price 20.00',
  ])
  expect(told).toMatch(/^findings: none$/m)
  expect(told).toMatch(/^all requests, .*: proxysim exec --report requests\.har -- …$/m)
})

test('a failure that no refusal explains says so, and success is not explained', async () => {
  const failing = client(`await ask('GET', '/api/clients'); process.exit(1)`)
  expect((await proxysim(['exec', '--', ...failing])).stdout).toContain(
    'the command exited with 1; no request was refused',
  )
  const fine = client(`await ask('GET', '/api/service/1')`)
  expect((await proxysim(['exec', '--', ...fine])).stdout).not.toContain('refus')
})

test('requests before a reset count too', async () => {
  const cmd = client(`
    await ask('GET', '/api/clients')
    await ask('POST', '/__admin/reset')
    await ask('POST', '/__admin/scenarios/low-funds/load')
    await ask('GET', '/api/services')`)
  expect((await proxysim(['exec', '--', ...cmd])).stdout).toMatch(
    /2 requests, coverage [\d.]+ % \(operations 2\/20/,
  )
})

test('writes reports by their extension, whatever the outcome', async () => {
  const cwd = folder()
  const files = ['a.md', 'deep/b.json', 'c.xml', 'd.har']
  const cmd = client(`await ask('GET', '/api/service/77'); process.exit(1)`)
  const { code } = await proxysim(['exec', '--report', ...files, '--', ...cmd], { cwd })
  expect(code).toBe(1)
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
  expect(read('a.md')).toMatch(/\| getService \|[^]*# Findings\n\nNone\./)
  expect(JSON.parse(read('deep/b.json'))).toMatchObject({ covered: 1, requests: 1, findings: [] })
  expect(read('c.xml')).toMatch(/<testcase [^>]*unprocessable/)
  expect(JSON.parse(read('d.har'))).toMatchObject({ log: { entries: [{ response: { status: 422 } }] } })
})

test('another reading of the documentation can be assumed, and persists across resets', async () => {
  const cmd = client(`
    await ask('POST', '/__admin/scenarios/default/load')
    const { body } = await ask('GET', '/api/product/101')
    process.exit(typeof body.geo[0] === 'object' ? 0 : 1)`)
  expect((await proxysim(['exec', '--assume', 'geo=object', '--', ...cmd])).code).toBe(0)
  expect((await proxysim(['exec', '--', ...cmd])).code).toBe(1)
  expect(await proxysim(['exec', '--assume', 'geo=shape', '--', ...cmd])).toMatchObject(refusal('geo'))
  expect(await proxysim(['exec', '--assume', 'ge=object', '--', ...cmd])).toMatchObject(refusal('"geo"'))
})

test('signals reach the command, which decides', async () => {
  const cmd = client(`
    process.on('SIGTERM', () => process.exit(9))
    setInterval(() => {}, 1000)
    console.log('ready')`)
  const running = launch(['exec', '--', ...cmd])
  await running.printed(/ready/)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(9)
})

test.each([
  [['exec', '--', 'no-such-command'], "The command no-such-command can't be started (ENOENT)."],
  [['exec', '--report', 'a.txt', '--', 'true'], 'a.txt must end in one of: .md, .json, .xml, .har'],
  [['exec', '--save-state', 's.txt', '--', 'true'], 'The scenario s.txt must end in .yaml or .json.'],
  [['exec', '--min-coverage', 'x', '--', 'true'], 'from 0 to 100'],
  [['exec', '--scenario', 'nope', '--', 'true'], 'There is no scenario "nope"'],
  [['matrix', '--', 'no-such-command'], "The command no-such-command can't be started (ENOENT)."],
  [
    ['matrix', '--only', 'nope', '--', 'true'],
    'There is no reading "nope" to try. There are: productSort=desc',
  ],
  [
    ['matrix', '--only', 'geo=objekt', '--', 'true'],
    'There is no reading "geo=objekt" to try, did you mean "geo=object"? There are: productSort=desc',
  ],
])('%j is refused in one line, before anything ran', async (args, message) => {
  expect(await proxysim(args)).toMatchObject(refusal(message))
})

test.skipIf(noTerminal)('Ctrl-C in a terminal reaches the command once, also without input', async () => {
  const [, file = ''] = client(`
    let count = 0
    const keepAlive = setInterval(() => {}, 1000)
    process.on('SIGINT', async () => {
      if (++count > 1) return
      // A second signal, forwarded by the simulator's process, would come before its next answers.
      for (let i = 0; i < 3; i++) await ask('GET', '/api/clients')
      console.log('signals:', count)
      clearInterval(keepAlive)
    })
    console.log('started')`)
  const command = `exec "${process.execPath}" "${cli}" exec -- "${process.execPath}" "${file}" < /dev/null`
  const running = launch(['-qec', command, '/dev/null'], { program: ['script'] })
  await running.printed(/started/)
  running.child.stdin?.write('\u0003')
  const { code, stdout } = await running.ended
  expect(stdout).toContain('signals: 1')
  expect(code).toBe(0)
})

test('a report that is a folder is refused before anything ran', async () => {
  const report = join(folder(), 'dir.md')
  mkdirSync(report)
  const args = ['exec', '--report', report, '--', ...client(`console.log('ran')`)]
  expect(await proxysim(args)).toMatchObject(refusal(`The report ${report} is a folder.`))
})

test('a report that cannot be written is reported', async () => {
  const { code, stderr } = await proxysim(['exec', '--report', '/dev/null/a.md', '--', ...client('')])
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^proxysim: .* sent no request.*\nproxysim: \/dev\/null\/a\.md can't be written \(\w+\)\.\n$/,
  )
  expect(existsSync('/dev/null/a.md')).toBe(false)
})

test.skipIf(!existsSync('/proc'))(
  'a report in a folder that no one can create ends the run, too',
  async () => {
    const { code, stderr } = await proxysim(['exec', '--report', '/proc/x/a.md', '--', ...client('')])
    expect(code).toBe(2)
    expect(stderr).toContain("/proc/x/a.md can't be written")
  },
)

test('--on-failure repro writes a scenario for each refusal of a failed run, across resets', async () => {
  const cwd = folder()
  const cmd = client(`
    await ask('POST', '/api/product/101', { clientid: 99 })
    await fetch(PROXYSIM_URL + '/__admin/reset', { method: 'POST' })
    await ask('GET', '/api/service/1')
    process.exit(7)`)
  const report = join(cwd, 'report.json')
  const { code, stdout } = await proxysim(
    ['exec', '--on-failure', 'repro', '--report', report, '--', ...cmd],
    { cwd },
  )
  expect(code).toBe(7)
  const files = ['1-orderService-client-not-found.yaml', '2-getService-unprocessable.yaml'].map(
    (name) => `proxysim-repro/${name}`,
  )
  expect(stdout).toContain(`scenarios of the refused requests: ${files.join(', ')}`)
  expect((JSON.parse(readFileSync(report, 'utf8')) as { repros: string[] }).repros).toEqual(files)
  for (const file of files) expect(await proxysim(['check', file], { cwd })).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, files[0] as string), 'utf8')).toMatch(/^# curl .*\ndescription: /)
})

test('--on-failure repro writes JSON if YAML would be too long to load', { timeout: 60_000 }, async () => {
  const cwd = folder()
  writeFileSync(
    join(cwd, 'large.yaml'),
    'description: Large.\nextends: default\naccounts: { reseller: { generate: { services: 2500 } } }\n',
  )
  const cmd = client(`
    await ask('GET', '/api/service/1')
    process.exit(7)`)
  const { code, stdout } = await proxysim(
    ['exec', '--scenario', 'large.yaml', '--on-failure', 'repro', '--', ...cmd],
    { cwd },
  )
  expect(code).toBe(7)
  const file = 'proxysim-repro/1-getService-unprocessable.json'
  expect(stdout).toContain(`scenarios of the refused requests: ${file}`)
  expect(await proxysim(['check', file], { cwd })).toMatchObject({ code: 0 })
})

test('--on-failure repro writes nothing if the command succeeds', async () => {
  const cwd = folder()
  const cmd = client(`await ask('GET', '/api/service/1')`)
  expect((await proxysim(['exec', '--on-failure', 'repro', '--', ...cmd], { cwd })).code).toBe(0)
  expect(existsSync(join(cwd, 'proxysim-repro'))).toBe(false)
  expect(await proxysim(['exec', '--on-failure', 'nothing', '--', ...cmd])).toMatchObject(refusal('repro'))
})

test('--save-state writes the final state', async () => {
  const file = join(folder(), 'after.yaml')
  const cmd = client(`await ask('POST', '/api/product/101', { clientid: 11 })`)
  expect((await proxysim(['exec', '--save-state', file, '--', ...cmd])).code).toBe(0)
  expect(await proxysim(['check', file])).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain('credit: ')
})
