import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { SweepReport } from '../../src/runs/SweepRun.ts'
import { folder, start } from '../support/start.ts'
import { client } from '../cli/client.ts'
import { cli, refused, type Result } from '../cli/inProcess.ts'

/** Runs a client through some faults. */
async function sweep(
  program: string,
  ...flags: string[]
): Promise<Result & { verdicts: Record<string, string>; report: SweepReport }> {
  const output = await cli(['sweep', '--json', ...flags, '--', ...client(program)])
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
          'reseller: new invoice (amount 20, status Paid): added',
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
      'getCredit bad-gateway': 'noticed',
      'getCredit too-many-requests': 'noticed',
      'getCredit not-json': 'noticed',
      'getCredit reset': 'noticed',
      'getCredit empty': 'noticed',
      'getCredit truncate': 'noticed',
    })
    expect(stderr).toMatch(
      /^without faults: 1 request of getCredit \(.*\); 10 runs to go\n(\[[ \d]+\/10\] .*\n){10}$/,
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

describe('the examples', () => {
  const examples = fileURLToPath(new URL('../../examples/sweep', import.meta.url))

  async function bad(file: string): Promise<{ code: number; found: string[]; report: SweepReport }> {
    const { code, stdout } = await cli(['sweep', '--json', '--', process.execPath, join(examples, file)])
    const report = JSON.parse(stdout) as SweepReport
    const found = report.runs
      .filter(({ verdict }) => ['harm', 'swallowed', 'hang'].includes(verdict))
      .map(({ operation, fault, verdict }) => `${operation} ${fault}: ${verdict}`)
    return { code, found: found.toSorted(), report }
  }

  test('exactly the bugs of the client are found', async () => {
    const { code, found, report } = await bad('provision.mjs')
    expect(code).toBe(1)
    expect(found).toEqual([
      'orderService lost: harm',
      'updateService incorrect-posted-data: swallowed',
      'updateService invalid-ipv4: swallowed',
      'updateService ip-already-bound: swallowed',
      'updateService unprocessable: swallowed',
      'updateService update-list-throttled: harm',
    ])
    const findings = report.runs.flatMap((run) =>
      run.findings.map(({ finding }) => `${run.fault}: ${finding}`),
    )
    expect(findings).toEqual(['lost: duplicate-order', 'update-list-throttled: throttle-ignored'])
  })

  test('the fixed client has none, and gets its order even if the response is lost', async () => {
    const { code, found, report } = await bad('provision-mended.mjs')
    expect([code, found, report.passed]).toEqual([0, [], true])
    expect(
      report.runs.find(({ operation, fault }) => operation === 'orderService' && fault === 'lost')?.verdict,
    ).toBe('survived')
  })
})

describe('is refused', () => {
  test.each([
    [['--only', 'order', '--', 'true'], 'Unknown operation "order". Available: listClients'],
    [
      ['--only', 'orderservice', '--', 'true'],
      'Unknown operation "orderservice". Did you mean "orderService"?',
    ],
    [['--faults', 'lots', '--', 'true'], 'Unknown fault "lots". Did you mean "lost"?'],
    [['--faults', 'zzzzzz', '--', 'true'], 'Unknown fault "zzzzzz". Available: '],
    [['--report', 'sweep.har', '--', 'true'], 'sweep.har must end in one of: .md, .json, .xml'],
    [['--timeout', '0', '--', 'true'], '--timeout'],
    [['--scenario', 'nowhere', '--', 'true'], 'nowhere'],
    [['--', 'no-such-command'], "The command no-such-command can't be started (ENOENT)."],
  ])('%j', async (args, text) => {
    expect(await cli(['sweep', ...args])).toMatchObject(refused(text))
  })

  test('a command that fails without a fault: its output is shown', async () => {
    const { code, stdout, stderr } = await sweep(`console.error('no luck'); process.exit(7)`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      'no luck\nproxysim: The command exits with 7 without faults. A sweep needs a command that succeeds.\n',
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
    expect(stderr).toContain('Does it use PROXYSIM_URL?')
  })
})

describe('reports', () => {
  test('list each run, and how to repeat a bad one', async () => {
    const at = folder()
    const [md, json, xml] = ['sweep.md', 'deep/sweep.json', 'sweep.xml'].map((name) => join(at, name)) as [
      string,
      string,
      string,
    ]
    const flags = ['--faults', 'lost', 'product-not-found', '--scenario', 'default', '--timeout', '30']
    const program = client(`${careless}; console.log('done, I think')`)
    const { code, stdout } = await cli(['sweep', ...flags, '--report', md, json, xml, '--', ...program])
    expect(code).toBe(1)
    const [page, document, suite] = [md, json, xml].map((file) => readFileSync(file, 'utf8')) as [
      string,
      string,
      string,
    ]
    const report = JSON.parse(document) as SweepReport
    const bad = report.runs.find(({ fault }) => fault === 'product-not-found')
    expect(bad).toMatchObject({
      verdict: 'swallowed',
      repro: join(at, 'sweep.repro/orderService-product-not-found.yaml'),
    })
    expect(bad?.repeat).toMatch(
      /^proxysim sweep --only orderService --faults product-not-found --scenario default --timeout 30 -- \S*node \S+client\.mjs$/,
    )
    for (const text of [stdout, page, suite]) {
      expect(text).toContain('swallowed')
      expect(text).toContain('missing: reseller: credit: 230.00')
      expect(text).toContain('#1 POST /api/product/101: 422, product-not-found, forced by this sweep')
      expect(text).toContain('done, I think')
      expect(text).toContain(bad?.repeat)
    }
    expect(stdout).toMatch(/^fault +orderService$/m)
    expect(stdout).toMatch(/^product-not-found +swallowed$/m)
    expect(stdout).toMatch(/\n2 runs: 1 swallowed, 1 survived\n$/)
    expect(page).toContain(
      '| fault | orderService |\n| --- | --- |\n| product-not-found | ❌ swallowed |\n| lost | ✅ survived |',
    )
    expect(suite).toMatch(/<testsuite name="orderService" tests="2" failures="1" errors="0" skipped="0"/)
    expect(suite).toMatch(/<testcase classname="orderService" name="lost" time="[\d.]+"\/>/)
    expect(existsSync(join(at, 'sweep.repro/orderService-lost.yaml'))).toBe(false)
  })

  test('include a scenario in which the call meets the fault again', async () => {
    const at = folder()
    const twice = client(`${order}; await ask('PUT', '/api/service/5001', { update_list: 'true' })`)
    const flags = ['--faults', 'ip-already-bound', '--report', join(at, 'a.json')]
    await cli(['sweep', ...flags, '--', ...twice])
    const file = join(at, 'a.repro/updateService-ip-already-bound.yaml')
    expect(await cli(['check', file])).toMatchObject({ code: 0 })
    const sim = await start({ scenario: file })
    expect((await sim.call('GET', '/api/billing/credit')).json).toEqual({ credit: 230 })
    const struck = await sim.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    expect([struck.status, struck.headers['sim-case']]).toEqual([422, 'ip-already-bound'])
  })

  test('show the output of all runs only on request', async () => {
    const program = `console.log('fault', process.env.PROXYSIM_FAULT); await ask('GET', '/api/clients').catch(() => {})`
    const quiet = await cli(['sweep', '--faults', 'reset', '--', ...client(program)])
    expect(`${quiet.stdout}${quiet.stderr}`).not.toContain('fault none')
    const { code, stderr } = await cli(['sweep', '--verbose', '--faults', 'reset', '--', ...client(program)])
    expect(code).toBe(0)
    expect(stderr).toContain('--- none\nfault none\n')
    expect(stderr).toContain('--- listClients reset\nfault listClients reset\n')
  })
})
