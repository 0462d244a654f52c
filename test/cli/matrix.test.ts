import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { MatrixReport } from '../../src/lab/runs/matrix.ts'
import { createFolder } from '../support/start.ts'
import { cli, createClient, type Result } from './inProcess.ts'

async function matrix(program: string, ...flags: string[]): Promise<Result & { report: MatrixReport }> {
  const result = await cli(['matrix', '--json', ...flags, '--', ...createClient(program)])
  return { ...result, report: JSON.parse(result.stdout) as MatrixReport }
}

/** A client that expects countries to be strings and a new service to be Active. Each run changes the state. */
const naive = `
  const product = await ask('GET', '/api/product/101')
  if (typeof product.body.geo[0] !== 'string') { console.error('geo is no text'); process.exit(4) }
  const services = (await ask('GET', '/api/services')).body.length
  const order = await ask('POST', '/api/product/101', { clientid: 11 })
  const service = await ask('GET', '/api/service/' + order.body.serviceId)
  if (service.body.status !== 'Active') process.exit(5)
  console.log('services', services)`

test('finds interpretations that break the client, with the same initial state for each run', async () => {
  const { code, report, stderr } = await matrix(naive)
  expect(code).toBe(1)
  const { survives, interpretations } = report
  expect(survives).toBe(false)
  const named = (verdict: string): string[] =>
    interpretations
      .filter((run) => run.verdict === verdict)
      .map(({ assumption, value }) => (assumption === null ? 'default' : `${assumption}=${value}`))
  expect(named('stuck').toSorted()).toEqual(['geo=object', 'orderedService=Pending'])
  expect(named('ok')).toEqual(expect.arrayContaining(['default', 'numbers=string']))
  // Interpretations of operations that weren't called, or whose responses would have been the same
  const [never, equal] = [
    ['productSort=desc', 'unknownInvoice=unprocessable'],
    ['orderedInvoice=Unpaid', 'unknownService=empty'],
  ]
  expect(named('not-tried')).toEqual(expect.arrayContaining([...never, ...equal]))
  const exitCodes = (names: string[]) =>
    names.map((name) => interpretations.find((run) => `${run.assumption}=${run.value}` === name)?.exitCode)
  expect([exitCodes(never), exitCodes(equal)]).toEqual([
    [null, null],
    [0, 0],
  ])
  // A run for every alternative of every assumption, and one with the defaults
  const { assumptions } = await loadContract()
  expect(interpretations).toHaveLength(1 + assumptions.flatMap(({ alternatives }) => alternatives).length)
  const outputs = interpretations.filter(({ exitCode }) => exitCode === 0).map(({ output }) => output.join())
  expect(new Set(outputs).size).toBe(1)
  expect(interpretations.find(({ assumption }) => assumption === 'geo')).toMatchObject({
    exitCode: 4,
    output: ['geo is no text'],
  })
  expect(stderr).toMatch(/^\[ 1\/\d+\] default ok/m)
  const progress = Array.from(stderr.matchAll(/^\[ *(\d+)\/(\d+)\]/gm), ([, done, all]) =>
    [done, all].map(Number),
  )
  const { length } = interpretations
  expect(progress).toEqual(interpretations.map((_, i) => [i + 1, length]))
})

test('prints a table with the meaning of each interpretation, and writes reports by their extension', async () => {
  const at = createFolder()
  const files = ['a.md', 'b.json', 'deep/c.xml'].map((name) => join(at, name))
  const noisy = naive.replace('geo is no text', '```')
  const flags = ['--only', 'geo', 'productSort', '--report', ...files]
  const { code, stdout, stderr } = await cli(['matrix', ...flags, '--', ...createClient(noisy)])
  expect(code).toBe(1)
  expect(stderr).toMatch(/Open \S+b\.json in the dashboard of .*: http:\/\/127\.0\.0\.1:4010\/#\/reports\n$/)
  const meaning = "Each element is an object with the country's code and name."
  expect(stdout).toMatch(/^1\. stuck: The program exited with 4\.\n {2}1 interpretation: geo=object\n/)
  expect(stdout).toMatch(/^default +ok /m)
  expect(stdout).toContain(`stuck    ${meaning}`)
  expect(stdout).toContain('\nNot tried, as no response differs: productSort=desc\n')
  expect(stdout).toContain('1 stuck, 1 not-tried, 1 ok. Open questions to the provider: geo=object')
  const [md = '', json = '', xml = ''] = files.map((file) => readFileSync(file, 'utf8'))
  expect(md).toContain(`| geo=object | ❌ stuck | ${meaning} |`)
  expect(md).toContain('The program printed:\n\n````text\n```\n````\n')
  expect(md).toContain('not-tried: No response differed from that with the default')
  expect(JSON.parse(json)).toMatchObject({ survives: false, interpretations: [{ assumption: null }, {}, {}] })
  expect(xml).toMatch(/<testsuite name="matrix" tests="3" failures="1" errors="0" skipped="1"/)
  expect(xml).toContain('<failure message="stuck: The program exited with 4.">')
})

test('a client that polls passes if time changes the state, even after loads and resets', async () => {
  const polling = `
    await ask('POST', '/__admin/scenarios/default/load')
    await ask('POST', '/__admin/reset')
    const { body } = await ask('POST', '/api/product/101', { clientid: 11 })
    for (let i = 0; i < 100; i++) {
      const service = await ask('GET', '/api/service/' + body.serviceId)
      const invoice = await ask('GET', '/api/billing/invoice/' + body.invoiceId)
      if (service.body.status === 'Active' && invoice.body[0].status === 'Paid') {
        console.log(process.env.PROXYSIM_INTERPRETATION)
        process.exit(0)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    process.exit(1)`
  const only = ['orderedService', 'orderedInvoice=Unpaid']
  const { code, report } = await matrix(polling, '--only', ...only, '--jobs', '3')
  expect([code, report.survives], JSON.stringify(report.interpretations)).toEqual([0, true])
  const names = ['default', 'orderedService=Pending', 'orderedInvoice=Unpaid']
  expect(report.interpretations.map(({ output }) => output)).toEqual(names.map((name) => [name]))
})

test.each([
  ['false', 'The command fails with the default assumptions (exit 1). Fix that first.'],
  ['sleep 60', 'The command fails with the default assumptions (timed out). Fix that first.'],
])('stops if %s fails with the defaults', async (command, message) => {
  const words = command.split(' ')
  const { code, stdout, stderr } = await cli(['matrix', '--json', '--timeout', '0.5', '--', ...words])
  expect(code).toBe(1)
  const report = JSON.parse(stdout) as MatrixReport
  const advice = 'A matrix needs a command that succeeds with the default assumptions.'
  expect(report).toMatchObject({
    command: words,
    survives: false,
    interpretations: [{ assumption: null, advice }],
  })
  expect(report.interpretations).toHaveLength(1)
  expect(stderr.endsWith(`\nproxysim: ${message}\n`)).toBe(true)
})

test('ends without a table if the command sends no request', async () => {
  const { code, stdout, stderr } = await cli(['matrix', '--', 'true'])
  const message = 'The command sent no request, so nothing was tested. Make it use PROXYSIM_URL.'
  expect([code, stdout, stderr]).toEqual([2, '', `proxysim: ${message}\n`])
})

test('a client that exits with 0 but makes other changes, or harmful ones, does not survive', async () => {
  const { code, report } = await matrix(
    `const { body: services } = await ask('GET', '/api/services')
    if (!services.some((one) => one.service_id === 5001)) await ask('POST', '/api/product/101', { clientid: 11 })
    const { body } = await ask('GET', '/api/product/101')
    const update = () => ask('PUT', '/api/service/5001', { update_list: 'true', password: btoa(Math.random()) })
    for (let i = 0; i < (typeof body.geo[0] === 'string' ? 1 : 3); i++) {
      await update()
      await new Promise((resolve) => setTimeout(resolve, 60)) // later requests were sent after the 429
    }`,
    '--only',
    'numbers',
    'geo',
    'updateResult',
  )
  expect(code).toBe(1)
  const run = (name: string) => report.interpretations.find(({ assumption }) => assumption === name)
  const order = 'POST /api/product/101 {"clientid":11}'
  expect(run('numbers')).toMatchObject({
    exitCode: 0,
    verdict: 'ordered-twice',
    why: [expect.stringMatching(/^added: reseller: /), ...Array<unknown>(2).fill(expect.any(String))],
    changes: { missing: [], added: [order] },
  })
  expect(run('geo')).toMatchObject({ verdict: 'bad-habit', findings: [{ finding: 'throttle-ignored' }] })
  expect(run('updateResult')).toMatchObject({ verdict: 'ok', changes: null }) // the password is random
})

test('accepted verdicts do not fail the matrix; others do, and --write-accepted writes them', async () => {
  const accepted = join(createFolder(), 'accepted.yaml')
  const only = ['--only', 'geo', 'orderedService']
  writeFileSync(
    accepted,
    'geo=*: { verdict: stuck, reason: known }\ngeo=code: { verdict: bad-habit, reason: old }\nnumbers=string: { verdict: stuck, reason: not tried }\n',
  )
  const flags = [...only, '--accept', accepted, '--write-accepted', accepted]
  const first = await cli(['matrix', ...flags, '--', ...createClient(naive)])
  expect(first.code).toBe(1)
  expect(first.stdout).toContain('Accepted:\n  geo=object: stuck, because known')
  expect(first.stdout).toContain('Accepted, but no run needed it:\n  geo=code\n\n')
  expect(first.stdout).toContain('Open questions to the provider: orderedService=Pending')
  expect(readFileSync(accepted, 'utf8')).toMatch(
    /^orderedService=Pending:[^]*stuck[^]*geo=\*:[^]*known[^]*numbers=string:[^]*not tried\n/,
  )
  const { code, report } = await matrix(naive, ...only, '--accept', accepted)
  expect([code, report.survives, report.interpretations.map((run) => run.accepted)]).toEqual([
    0,
    true,
    [null, expect.any(String), 'known'],
  ])
})

test('requests that never reached the API are shown', async () => {
  const lost = `require('http').get(process.env.PROXYSIM_URL + '/clients')`
  const { code, stderr } = await cli(['matrix', '--', process.execPath, '-e', lost])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('The command sent 1 request, but none reached the API. The last one: Not Found'),
  ])
})

test('a run that takes too long fails; --verbose shows what each run printed', async () => {
  const slow = `console.log('hi'); await ask('GET', '/api/product/101')
    if (process.env.PROXYSIM_INTERPRETATION !== 'default') setInterval(() => {}, 1000)`
  const { code, report, stderr } = await matrix(slow, '--only', 'geo', '--timeout', '2.5', '--verbose')
  expect([code, report.interpretations[1]]).toMatchObject([1, { verdict: 'stuck', timedOut: true }])
  for (const name of ['default', 'geo=object']) expect(stderr).toContain(`--- ${name}\nhi\n`)
})

test('the printed command gives the same verdict again, with every flag that changes it', async () => {
  const scenarios = createFolder()
  const world = 'description: Mine.\nextends: default\naccounts: { reseller: { credit: 500 } }\n'
  writeFileSync(join(scenarios, 'mine.yaml'), world)
  const program = `
    const { writeFileSync } = await import('node:fs')
    writeFileSync(process.env.PROXYSIM_RUN_DIR + '/before-the-order.json', '{}')
    if (Number((await ask('GET', '/api/billing/credit')).body.credit) !== 500) process.exit(9)
    const { body } = await ask('POST', '/api/product/101', { clientid: 11 })
    if ((await ask('GET', '/api/service/' + body.serviceId)).body.status !== 'Active') process.exit(5)`
  const chosen = ['-s', 'mine', '--scenarios', scenarios, '--assume', 'timeZone=Asia/Tokyo']
  const { report } = await matrix(program, ...chosen, '--only', 'orderedService')
  const red = report.interpretations.find(({ verdict }) => verdict === 'stuck')
  expect(red?.repeat).toMatch(
    /^proxysim matrix --only orderedService=Pending --scenario mine --scenarios .* --assume /,
  )
  const again = await cli((red?.repeat ?? '').replace('proxysim matrix', 'matrix --json').split(' '))
  expect(
    (JSON.parse(again.stdout) as MatrixReport).interpretations.map(({ cell, verdict }) => [cell, verdict]),
  ).toEqual([
    ['default', 'ok'],
    ['orderedService=Pending', 'stuck'],
  ])
})
