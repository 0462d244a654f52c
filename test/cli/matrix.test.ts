import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { client } from './client.ts'
import { launch, proxysim, refusal } from './proxysim.ts'

/** It takes a country's code for a text, and a new service for ready. Every run changes the world. */
const naive = `
  const product = await ask('GET', '/api/product/101')
  if (typeof product.body.geo[0] !== 'string') { console.error('geo is no text'); process.exit(4) }
  const services = (await ask('GET', '/api/services')).body.length
  const order = await ask('POST', '/api/product/101', { clientid: 11 })
  const service = await ask('GET', '/api/service/' + order.body.serviceId)
  if (service.body.status !== 'Active') process.exit(5)
  console.log('services', services)`

interface Result {
  survives: boolean
  readings: {
    assumption: string | null
    value: unknown
    verdict: string
    exitCode: number
    output: string[]
  }[]
}

test('finds the readings that a client does not survive, with the same initial world for each run', async () => {
  const { code, stdout, stderr } = await proxysim(['matrix', '--json', '--', ...client(naive)])
  expect(code).toBe(1)
  const { survives, readings } = JSON.parse(stdout) as Result
  expect(survives).toBe(false)
  const verdicts = Object.fromEntries(
    readings.map(({ assumption, value, verdict }) => [
      assumption ? `${assumption}=${String(value)}` : 'default',
      verdict,
    ]),
  )
  expect(verdicts).toEqual({
    default: 'survives',
    'productSort=desc': 'not asked',
    'unknownSortField=ignore': 'not asked',
    'updateResult=all': 'not asked',
    'updateListInterval=60': 'not asked',
    'updateListInterval=86400': 'not asked',
    'inactiveTtlBody=array': 'not asked',
    'orderedService=Pending': 'fails',
    'orderedInvoice=Unpaid': 'survives',
    'orderedInvoice=Payment Pending': 'survives',
    'orderedInvoice=Pending': 'survives',
    'unknownInvoice=unprocessable': 'not asked',
    'unknownService=empty': 'survives',
    'ipListJson=objects': 'not asked',
    'geo=object': 'fails',
    'stickyAuth=open': 'not asked',
    'hiddenProducts=listed': 'not asked',
    'rebindOwn=refused': 'not asked',
  })
  const printed = readings.filter(({ verdict }) => verdict !== 'fails').map(({ output }) => output.join())
  expect(new Set(printed).size).toBe(1)
  expect(readings.find(({ assumption }) => assumption === 'geo')).toMatchObject({
    exitCode: 4,
    output: ['geo is no text'],
  })
  expect(stderr).toMatch(/^\[ 1\/18\] default survives/m)
})

test('a call that is refused, or answered outside the contract, is asked', async () => {
  const file = join(folder(), 'open.yaml')
  writeFileSync(
    file,
    `description: Open.
extends: default
accounts:
  reseller:
    assumptions: { stickyAuth: open }
    faults: [{ operation: getProduct, respond: { status: 503 } }, { operation: getService, drop: reset }]
`,
  )
  const { code, stdout } = await proxysim([
    'matrix',
    '--scenario',
    file,
    '--only',
    'stickyAuth',
    'geo',
    'unknownService',
    'productSort',
    '--json',
    '--',
    ...client(`
      const { status } = await fetch(PROXYSIM_URL + '/api/sticky/changettl/5003/10')
      await fetch(PROXYSIM_URL + '/api/product/101', { headers })
      await fetch(PROXYSIM_URL + '/api/service/5001', { headers }).catch(() => {})
      console.log(status)`),
  ])
  expect(code).toBe(0)
  expect((JSON.parse(stdout) as Result).readings).toMatchObject([
    { assumption: null, verdict: 'survives', output: ['200'] },
    { assumption: 'productSort', verdict: 'not asked' },
    { assumption: 'unknownService', verdict: 'survives' },
    { assumption: 'geo', verdict: 'survives' },
    { assumption: 'stickyAuth', value: 'enforced', verdict: 'survives', output: ['401'] },
  ])
})

test('output with its own fences does not break the Markdown', async () => {
  const cwd = folder()
  const printing = client("console.log('```\\nnot valid\\n```'); process.exit(3)")
  await proxysim(['matrix', '--only', 'geo', '--report', 'a.md', '--', ...printing], { cwd })
  expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toContain(
    '## geo=object\n\n````\n```\nnot valid\n```\n````\n',
  )
})

test.each(['2147484', '0', 'soon'])('--timeout %s is refused', async (timeout) => {
  expect(await proxysim(['matrix', '--timeout', timeout, '--', 'true'])).toMatchObject(
    refusal('It must be a number of seconds, more than 0 and no more than 86400.'),
  )
})

test('prints a table with the meaning of each reading, and the output of failed runs', async () => {
  const { code, stdout } = await proxysim([
    'matrix',
    '--only',
    'geo',
    'orderedInvoice=Unpaid',
    '--',
    ...client(naive),
  ])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^default +survives /m)
  expect(stdout).toMatch(
    /^geo=object +fails \(exit 4\) +Each element is an object with the country's code and name\.$/m,
  )
  expect(stdout).toMatch(/^orderedInvoice=Unpaid +survives +The invoice is Unpaid/m)
  expect(stdout).toMatch(/geo=object: the last lines of its output\ngeo is no text/)
  expect(stdout).toContain('The client does not survive 1 of 3 readings: geo=object.')
})

test('exits with 0 if a client survives all, even if it resets and loads scenarios', async () => {
  const sturdy = client(`
    await ask('POST', '/__admin/scenarios/low-funds/load')
    await ask('POST', '/__admin/reset')
    const { body } = await ask('GET', '/api/products/orderby/price')
    console.log(process.env.PROXYSIM_READING, body[0].price < body.at(-1).price)`)
  const { code, stdout } = await proxysim(['matrix', '--only', 'productSort', '--json', '--', ...sturdy])
  expect(code).toBe(0)
  const { readings } = JSON.parse(stdout) as Result
  expect(readings.map(({ output }) => output)).toEqual([['default true'], ['productSort=desc false']])
})

test('reports up front if the default reading already fails', async () => {
  const { code, stderr } = await proxysim(['matrix', '--only', 'geo', '--', ...client('process.exit(6)')])
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /default fails .*\nproxysim: the command already fails with the default reading \(exit 6\)/,
  )
})

test('reports that nothing was tested if the client sends no request', async () => {
  const { code, stdout, stderr } = await proxysim(['matrix', '--only', 'geo', '--json', '--', ...client('')])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    survives: false,
    readings: [{ requests: 0 }, { verdict: 'not asked' }],
  })
  expect(stderr).toMatch(
    /\nproxysim: no run sent a request, so nothing was tested; does the command use PROXYSIM_URL\?\n$/,
  )
})

test('one request in one run is enough to be tested', async () => {
  const late = client(`if (process.env.PROXYSIM_READING !== 'default') await ask('GET', '/api/clients')`)
  expect((await proxysim(['matrix', '--only', 'geo', '--', ...late])).code).toBe(0)
})

test('writes reports by their extension', async () => {
  const cwd = folder()
  const { code } = await proxysim(
    [
      'matrix',
      '--only',
      'geo',
      'productSort',
      '--report',
      'a.md',
      'b.json',
      'deep/c.xml',
      '--',
      ...client(naive),
    ],
    { cwd },
  )
  expect(code).toBe(1)
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
  expect(read('a.md')).toContain(
    "| ❌ | `geo=object` | fails (exit 4) | Each element is an object with the country's code and name. |",
  )
  expect(read('a.md')).toContain('## geo=object\n\n```\ngeo is no text\n```')
  expect(JSON.parse(read('b.json'))).toMatchObject({
    survives: false,
    readings: [{ assumption: null }, {}, {}],
  })
  expect(read('deep/c.xml')).toMatch(/<testsuite name="matrix" tests="3" failures="1" errors="0" skipped="1"/)
  expect(read('deep/c.xml')).toContain('<failure message="exit 4">geo is no text</failure>')
  expect(await proxysim(['matrix', '--report', 'a.har', '--', 'true'])).toMatchObject(
    refusal('a.har must end in one of: .md, .json, .xml (.xml is JUnit).'),
  )
})

test('a run that takes too long fails', async () => {
  const slow = client(`if (process.env.PROXYSIM_READING !== 'default') setInterval(() => {}, 1000)
    else await ask('GET', '/api/product/101')`)
  const { code, stdout } = await proxysim(['matrix', '--only', 'geo', '--timeout', '5', '--', ...slow])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^geo=object +fails \(out of time\)/m)
})

test('a default run out of time is reported as such, without empty output', async () => {
  const slow = ['--only', 'geo', '--timeout', '1', '--report', 'a.md', '--', 'sleep', '20']
  const cwd = folder()
  const { code, stdout, stderr } = await proxysim(['matrix', ...slow], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('already fails with the default reading (out of time); fix that first')
  expect(stdout).not.toContain('the last lines of its output')
  expect(readFileSync(join(cwd, 'a.md'), 'utf8')).not.toContain('```')
})

test('Ctrl-C ends it along with the command', async () => {
  const running = launch([
    'matrix',
    '--verbose',
    '--',
    ...client(`setInterval(() => {}, 1000); console.error('pid', process.pid)`),
  ])
  const pid = await new Promise<number>((resolve) => {
    running.child.stderr?.on('data', (text: string) => {
      const [, found] = /pid (\d+)/.exec(text) ?? []
      if (found !== undefined) resolve(Number(found))
    })
  })
  running.child.kill('SIGINT')
  expect((await running.ended).code).toBe(130)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
