import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { SweepReport } from '../../src/sweep/SweepReport.ts'
import { folder, start } from '../support/start.ts'
import { client } from './client.ts'
import { launch, proxysim, refusal, type Output } from './proxysim.ts'

/** Runs a client through some faults. */
async function sweep(
  program: string,
  ...flags: string[]
): Promise<Output & { verdicts: Record<string, string>; report: SweepReport }> {
  const output = await proxysim(['sweep', '--json', ...flags, '--', ...client(program)])
  const report = JSON.parse(output.stdout || '{"runs":[]}') as SweepReport
  const verdicts = report.runs.map(({ operation, fault, verdict }) => [`${operation} ${fault}`, verdict])
  return { ...output, report, verdicts: Object.fromEntries(verdicts) as Record<string, string> }
}

const order = `await ask('POST', '/api/product/101', { clientid: 11 })`
/** Exits with 0, whatever happens */
const careless = `await ask('POST', '/api/product/101', { clientid: 11 }).catch(() => {})`

describe('verdicts', () => {
  test('of a client that repeats an order, and ignores a refusal', async () => {
    const again = `for (let i = 0; i < 2; i++) try { ${order}; break } catch {}`
    const { code, verdicts, report } = await sweep(again, '--faults', 'lost', 'reset', 'insufficient-funds')
    expect(verdicts).toEqual({
      'orderService insufficient-funds': 'swallowed',
      'orderService reset': 'survived',
      'orderService lost': 'harm',
    })
    expect(code).toBe(1)
    expect(report).toMatchObject({
      passed: false,
      timeout: 10,
      baseline: { requests: 1, operations: ['orderService'], findings: [], unsteady: [] },
      verdicts: { harm: 1, swallowed: 1, hang: 0, noticed: 0, survived: 1, 'not struck': 0 },
    })
    const [swallowed, , harm] = report.runs
    expect(swallowed).toMatchObject({
      exitCode: 0,
      findings: [],
      endState: {
        missing: expect.arrayContaining([
          'reseller: credit: 230.00',
          'reseller: invoice of 20.00 for product 101: Paid',
        ]) as string[],
        added: [],
      },
      shown: [{ id: 1, struck: true, status: 422, case: 'insufficient-funds', change: null }],
    })
    expect(harm).toMatchObject({
      findings: [{ finding: 'duplicate-order', requests: [{ id: 1 }, { id: 2 }] }],
      shown: [
        { struck: true, status: null, reason: 'forced by this sweep: lost', change: { credit: 230 } },
        { struck: false, status: 200, change: { credit: 210 } },
      ],
    })
  })

  test('of a client that notices everything, and of one that only needs a response', async () => {
    const strict = `
      const { status } = await ask('GET', '/api/billing/credit')
      if (status !== 200) process.exit(4)`
    const { code, verdicts, report, stderr } = await sweep(strict)
    expect(code).toBe(0)
    expect(report.passed).toBe(true)
    expect(verdicts).toEqual({
      'getCredit invalid-authorization-header': 'noticed',
      'getCredit invalid-credentials-format': 'noticed',
      'getCredit unauthenticated': 'noticed',
      'getCredit 503': 'noticed',
      'getCredit reset': 'noticed',
      'getCredit empty': 'noticed',
      'getCredit truncate': 'noticed',
    })
    expect(stderr).toMatch(
      /^without faults: 1 request of getCredit \(.*\); 7 runs to go\n(\[[1-7]\/7\] .*\n){7}$/,
    )
    const carefree = `await ask('GET', '/api/billing/credit').catch(() => {})`
    const all = await sweep(carefree)
    expect(all.code).toBe(0)
    expect(new Set(Object.values(all.verdicts))).toEqual(new Set(['survived']))
  })

  test.each([
    ['noticed', order, ['none', 'orderService reset']],
    ['swallowed', careless, ['none', 'orderService reset', 'none']],
  ])('%s: how often the command runs without a fault', async (verdict, program, expected) => {
    const log = join(folder(), 'runs')
    const counted = `
      import { appendFileSync } from 'node:fs'
      appendFileSync(${JSON.stringify(log)}, process.env.PROXYSIM_FAULT + '\\n')
      ${program}`
    const { verdicts } = await sweep(counted, '--faults', 'reset')
    expect(verdicts).toEqual({ 'orderService reset': verdict })
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(expected)
  })

  test('of a client that places two equal orders safely, and of one that places a third', async () => {
    const lookFirst = (isSafe: boolean): string => `
      const services = async () => (await ask('GET', '/api/services')).body.map(({ service_id }) => service_id)
      const one = async () => {
        const before = await services()
        try { ${order} } catch {
          if (${!isSafe} || (await services()).every((id) => before.includes(id))) ${order}
        }
      }
      await one()
      await one()`
    const faults = ['--only', 'orderService', '--faults', 'lost', 'reset']
    const safe = await sweep(lookFirst(true), ...faults)
    expect(safe.verdicts).toEqual({ 'orderService lost': 'survived', 'orderService reset': 'survived' })
    expect(safe.code).toBe(0)
    const unsafe = await sweep(lookFirst(false), ...faults)
    expect(unsafe.verdicts).toEqual({ 'orderService lost': 'harm', 'orderService reset': 'survived' })
  })

  test('of a suite whose next test places an equal order, after one that fails', async () => {
    const suite = `for (const test of ['first', 'second']) try { ${order} } catch { process.exitCode = 1 }`
    const { verdicts, report } = await sweep(suite, '--faults', 'lost')
    expect(verdicts).toEqual({ 'orderService lost': 'noticed' })
    expect(report.runs[0]?.findings).toEqual([])
  })

  test('of a client that waits forever', async () => {
    const stubborn = `
      process.on('SIGTERM', () => {})
      for (;;) if ((await ask('GET', '/api/billing/credit')).status === 200) break; else await new Promise((r) => setInterval(r, 1e6))`
    const { code, report } = await sweep(stubborn, '--faults', '503', '--timeout', '2')
    expect(code).toBe(1)
    expect(report).toMatchObject({ timeout: 2, runs: [{ verdict: 'hang', timedOut: true, endState: null }] })
  })

  test('of a fault that never strikes', async () => {
    const evasive = `
      if (process.env.PROXYSIM_FAULT === 'none') await ask('GET', '/api/clients')
      await ask('GET', '/api/services')`
    const { code, verdicts, report } = await sweep(evasive, '--faults', '503', '--only', 'listClients')
    expect([code, verdicts]).toEqual([0, { 'listClients 503': 'not struck' }])
    expect(report.verdicts['not struck']).toBe(1)
  })

  test('subjects that differ without any fault are listed, and not judged', async () => {
    const random = `
      const { body } = await ask('POST', '/api/product/101', { clientid: 11 }).catch(() => ({ body: {} }))
      const n = process.pid % 250 + 1
      await ask('PUT', '/api/service/5001', { setip: '203.0.113.' + n }).catch(() => {})`
    const { verdicts, report } = await sweep(random, '--faults', 'reset')
    expect(report.baseline.unsteady).toEqual(['reseller: service 5001 bindedip'])
    expect(verdicts).toEqual({ 'orderService reset': 'swallowed', 'updateService reset': 'survived' })
    expect(report.runs[0]?.endState?.missing.join()).not.toContain('bindedip')
  })

  test('slow only strikes if it is named', async () => {
    const { verdicts, report } = await sweep(order, '--faults', 'slow')
    expect(verdicts).toEqual({ 'orderService slow': 'survived' })
    expect(report.runs[0]?.durationMs).toBeGreaterThan(5000)
  })

  test('a suite that creates accounts, resets and clears faults is still struck', async () => {
    const suite = `
      await ask('POST', '/__admin/reset')
      await ask('DELETE', '/__admin/faults')
      const { body: own } = await ask('POST', '/__admin/accounts', {})
      headers.authorization = own.authorization
      ${careless}
      await ask('DELETE', '/__admin/accounts/' + own.login)`
    const { verdicts, report } = await sweep(suite, '--faults', 'lost', 'reset', 'unauthenticated')
    expect(verdicts).toEqual({
      'orderService unauthenticated': 'swallowed',
      'orderService reset': 'swallowed',
      'orderService lost': 'survived',
    })
    expect(report.runs[0]?.endState?.missing).toContain('accounts it created: credit: 230.00')
  })
})

describe('is refused', () => {
  test.each([
    [['--only', 'order', '--', 'true'], 'There is no operation "order". There are: '],
    [['--only', 'orderservice', '--', 'true'], '"orderservice", did you mean "orderService"? There are: '],
    [['--faults', 'lots', '--', 'true'], 'There is no fault "lots", did you mean "lost"? There are: '],
    [['--faults', 'boom', '--', 'true'], 'There is no fault "boom". There are: '],
    [['--report', 'sweep.har', '--', 'true'], 'sweep.har must end in one of: .md, .json, .xml'],
    [['--timeout', '0', '--', 'true'], '--timeout'],
    [['--jobs', 'many', '--', 'true'], 'It must be a whole number from 1 to 1000000000.'],
    [['--jobs', '0', '--', 'true'], 'It must be a whole number from 1 to 1000000000.'],
    [['--scenario', 'nowhere', '--', 'true'], 'nowhere'],
    [['--', 'no-such-command'], "The command no-such-command can't be started (ENOENT)."],
    [[], "missing required argument 'command'"],
  ])('%j', async (args, text) => {
    expect(await proxysim(['sweep', ...args])).toMatchObject(refusal(text))
  })

  test('a command that fails without a fault: its output is shown', async () => {
    const { code, stdout, stderr } = await sweep(`console.error('no luck'); process.exit(7)`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      'no luck\nproxysim: The command exits with 7 without faults; a sweep needs a command that succeeds.\n',
    )
  })

  test('a flaky command, before a fault is blamed for what it did', async () => {
    const once = JSON.stringify(join(folder(), 'once'))
    const flaky = `
      import { existsSync, writeFileSync } from 'node:fs'
      ${careless}
      if (process.env.PROXYSIM_FAULT !== 'none') process.exit(0)
      if (existsSync(${once})) process.exit(1)
      writeFileSync(${once}, '')`
    const { code, stderr } = await sweep(flaky, '--faults', 'reset')
    expect(code).toBe(2)
    expect(stderr).toContain('The command exits with 1 on its second run without faults')
  })

  test('a command without requests', async () => {
    const { code, stderr } = await sweep('')
    expect(code).toBe(2)
    expect(stderr).toContain('does it use PROXYSIM_URL?')
  })
})

describe('reports', () => {
  test('list each run, and how to repeat a bad one', async () => {
    const cwd = folder()
    const files = ['sweep.md', 'deep/sweep.json', 'sweep.xml']
    const program = `${careless}; console.log('done, I think')`
    const { code, stdout } = await proxysim(
      [
        'sweep --faults lost product-not-found --scenario default --timeout 30 --report'.split(' '),
        [...files, '--', ...client(program)],
      ].flat(),
      { cwd },
    )
    expect(code).toBe(1)
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
    const report = JSON.parse(read('deep/sweep.json')) as SweepReport
    const bad = report.runs.find(({ fault }) => fault === 'product-not-found')
    expect(bad).toMatchObject({
      verdict: 'swallowed',
      repro: join('sweep.repro', 'orderService-product-not-found.yaml'),
    })
    expect(bad?.repeat).toMatch(
      /^proxysim sweep --only orderService --faults product-not-found --scenario default --timeout 30 -- \S*node \S+client\.mjs$/,
    )
    for (const text of [stdout, read('sweep.md'), read('sweep.xml')]) {
      expect(text).toContain('swallowed')
      expect(text).toContain('missing at the end: reseller: credit: 230.00')
      expect(text).toContain('#1 POST /api/product/101: 422, product-not-found, forced by this sweep')
      expect(text).toContain('done, I think')
      expect(text).toContain(bad?.repeat)
    }
    expect(stdout).toMatch(/^fault +orderService$/m)
    expect(stdout).toMatch(/^product-not-found +swallowed$/m)
    expect(stdout).toMatch(/^lost +survived$/m)
    expect(stdout).toMatch(/\n2 runs: 1 swallowed, 1 survived\n$/)
    expect(read('sweep.md')).toContain(
      '| fault | orderService |\n| --- | --- |\n| product-not-found | ❌ swallowed |\n| lost | ✅ survived |',
    )
    expect(read('sweep.xml')).toMatch(
      /<testsuite name="orderService" tests="2" failures="1" errors="0" skipped="0"/,
    )
    expect(read('sweep.xml')).toMatch(/<testcase classname="orderService" name="lost" time="[\d.]+"\/>/)
    expect(existsSync(join(cwd, 'sweep.repro/orderService-lost.yaml'))).toBe(false)
  })

  test('include a scenario in which the call meets the fault again', async () => {
    const cwd = folder()
    const twice = `${order}; await ask('PUT', '/api/service/5001', { update_list: 'true' })`
    await proxysim(['sweep', '--faults', 'ip-already-bound', '--report', 'a.json', '--', ...client(twice)], {
      cwd,
    })
    const file = join(cwd, 'a.repro/updateService-ip-already-bound.yaml')
    expect((parse(readFileSync(file, 'utf8')) as { description: string }).description).toBe(
      'Request 2 as it was; logins, passwords and tokens are those of its scenario: PUT /api/service/5001 {"update_list":"true"} is refused with ip-already-bound.',
    )
    expect(await proxysim(['check', file])).toMatchObject({ code: 0 })
    const sim = await start({ scenario: file })
    expect((await sim.call('GET', '/api/billing/credit')).json).toEqual({ credit: 230 })
    const struck = await sim.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    expect([struck.status, struck.headers['sim-case']]).toEqual([422, 'ip-already-bound'])
  })

  test('show the output of all runs only on request', async () => {
    const program = `console.log('fault', process.env.PROXYSIM_FAULT); await ask('GET', '/api/clients').catch(() => {})`
    const quiet = await proxysim(['sweep', '--faults', 'reset', '--', ...client(program)])
    expect(`${quiet.stdout}${quiet.stderr}`).not.toContain('fault none')
    const { code, stderr } = await proxysim([
      'sweep',
      '--verbose',
      '--faults',
      'reset',
      '--',
      ...client(program),
    ])
    expect(code).toBe(0)
    expect(stderr).toContain('--- none\nfault none\n')
    expect(stderr).toContain('--- listClients reset\nfault listClients reset\n')
  })
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends all children and the sweep', async (signal) => {
  const pids = join(folder(), 'pids')
  const program = `
    import { appendFileSync } from 'node:fs'
    import { spawn } from 'node:child_process'
    await ask('GET', '/api/clients').catch(() => {})
    if (process.env.PROXYSIM_FAULT !== 'none') {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      appendFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid + '\\n')
      setInterval(() => {}, 1000)
    }`
  const running = launch(['sweep', '--jobs', '3', '--', ...client(program)])
  const found = (): number[] =>
    existsSync(pids) ? (readFileSync(pids, 'utf8').match(/\d+/g) ?? []).map(Number) : []
  await expect.poll(() => found().length, { timeout: 30_000 }).toBe(6)
  running.child.kill(signal)
  expect((await running.ended).code).toBe(signal === 'SIGINT' ? 130 : 143)
  await expect.poll(() => found().filter(isAlive)).toEqual([])
})

test('reports the runs that ended before it was interrupted', async () => {
  const files = ['sweep.md', 'sweep.json', 'junit.xml'].map((name) => join(folder(), name))
  const program = `
    await ask('GET', '/api/clients').catch(() => {})
    if (process.env.PROXYSIM_FAULT === 'listClients empty') setInterval(() => {}, 1000)`
  const flags = ['--faults', 'reset', 'empty', 'truncate', '--jobs', '1', '--report', ...files]
  const running = launch(['sweep', ...flags, '--', ...client(program)])
  let told = ''
  running.child.stderr?.on('data', (text: string) => (told += text))
  await expect.poll(() => told, { timeout: 30_000 }).toContain('[1/3] listClients reset survived')
  running.child.kill('SIGINT')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(stdout).toContain('1 run: 1 survived; interrupted, 2 runs missing')
  const [page, json, xml] = files.map((file) => readFileSync(file, 'utf8')) as [string, string, string]
  expect(page).toContain('1 run: 1 survived; interrupted, 2 runs missing')
  expect(JSON.parse(json)).toMatchObject({ passed: false, notRun: 2, runs: [{ fault: 'reset' }] })
  expect(xml).toContain('tests="1"')
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
