import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/findings/findings.ts'
import type { CoverageReport, JournalEntry } from '../../src/contract/shapes.ts'
import { createFolder } from '../support/start.ts'
import { cli, createClient, type Result } from './inProcess.ts'

function exec(program: string, ...flags: string[]): Promise<Result> {
  return cli(['exec', ...flags, '--', ...createClient(program)])
}

interface Document extends CoverageReport {
  command: string[]
  exitCode: number
  requests: number
  findings: Finding[]
  refusals: JournalEntry[]
  repros: string[]
}

/** Parses the output as one JSON document. */
async function execJson(program: string, ...flags: string[]): Promise<Document> {
  return JSON.parse((await exec(program, '--json', ...flags)).stdout) as Document
}

const one = `await ask('GET', '/api/clients')`

test('runs a command against its own simulator, and reports coverage and findings', async () => {
  const program = `
    if ((await ask('GET', '/api/billing/credit')).body.credit !== 0.5 || process.argv[2] !== '--flag') process.exit(9)
    await ask('GET', '/api/clients', undefined, { authorization: headers.authorization })`
  const command = [...createClient(program), '--flag', '-x']
  const { code, stdout, stderr } = await cli(['exec', '-s', 'low-funds', '--', ...command])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^2 requests\. Coverage [\d.]+ %: 2 of \d+ operations, 2 of \d+ responses\.$/m)
  expect(stdout).toMatch(
    /^\nThe command succeeded, with 1 finding: header-missing\.\n\nFindings\n {2}low: header-missing, #2\n/,
  )
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThan(200)
  expect(stdout).not.toContain('exited with')
})

test("exits with the command's code, or 128 plus its signal; with 3 if only the coverage is too low", async () => {
  const code = async (script: string, ...flags: string[]) =>
    (await cli(['exec', ...flags, '--', 'sh', '-c', script])).code
  expect(await code('exit 7', '--min-coverage', '90')).toBe(7)
  expect(await code('kill -9 $$')).toBe(137)
  const stderr = 'proxysim: The command sent no request to the API. Does it use PROXYSIM_URL?\n'
  for (const [i, least] of ['0', '1'].entries())
    expect(await cli(['exec', '--min-coverage', least, '--', 'true'])).toMatchObject({ code: 3 * i, stderr })
})

test('requests that never reached the API are shown if the command failed or sent no others', async () => {
  const asking = (path: string) => `await ask('GET', '${path}', undefined, {})`
  const nothing = await exec(`${asking('//api/clients')}; ${asking('/clients')}`)
  expect(nothing).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The command sent 2 requests, but none reached the API.'),
  })
  expect(nothing.stdout).toContain('2 requests never reached the API')
  expect(nothing.stdout).toMatch(
    /^404 +GET \/clients +127\.0\.0\.1:\d+ +Not Found.*Did you mean \/api\/clients\?/m,
  )
  const reset = `await ask('POST', '/__admin/reset')`
  const failed = await exec(`${asking('/clients')}; ${reset}; ${one}; process.exit(3)`)
  expect(failed.stdout).toContain('1 request never reached the API')
})

test('too little coverage exits with 3, and uncovered responses are listed', async () => {
  const { code, stdout, stderr } = await exec(one, '--min-coverage', '99')
  expect(code).toBe(3)
  expect(stderr).toMatch(/^proxysim: Coverage [\d.]+ % is below 99 %\.\n$/)
  expect(stdout).toMatch(/^orderService +0\/5 +200 success, /m)
})

test('findings cover the whole run, even if the journal is small', async () => {
  const { findings } = await execJson(
    `
    await ask('PUT', '/api/service/5001', { password: 'hunter2!' })
    const { authorization } = headers
    for (let i = 0; i < 20; i++) await ask('GET', '/api/clients', undefined, { authorization })`,
    '--journal',
    '2',
  )
  expect(findings.map(({ finding, requests }) => [finding, requests.length])).toEqual([
    ['password-not-encoded', 1],
    ['header-missing', 20],
  ])
})

test('a failed command is reported first, with the refused requests since the last success', async () => {
  const { code, stdout } = await exec(
    `
    for (let id = 1; id <= 6; id++) await ask('GET', '/api/service/' + id)
    await ask('GET', '/api/clients')
    await ask('POST', '/api/product/101', { clientid: 11 })
    await ask('GET', '/api/clients', undefined, {})
    process.exit(1)`,
    '--scenario',
    'low-funds',
  )
  expect(code).toBe(1)
  const lines = stdout.trim().split('\n')
  expect(lines[0]).toBe('The command exited with 1, with 1 finding: header-missing.')
  const start = lines.indexOf('Refused requests (perhaps intended)')
  expect(start).toBeGreaterThan(lines.indexOf('Findings'))
  expect(lines.slice(start + 2)).toEqual([
    '#8       POST /api/product/101  422     insufficient-funds: credit 0.50 is less than price 20.00',
    expect.stringMatching(/^#9 +GET \/api\/clients +401 /),
    '',
    '2 of 8 refused requests; after the others, a request succeeded.',
    'To make it happen again, add --on-failure repro: it writes the state before each as a scenario.',
    '',
    expect.stringMatching(/^9 requests\. Coverage /),
    expect.stringMatching(/^Rests on /),
  ])
  const { stdout: other } = await exec(`${one}; process.exit(1)`)
  expect(other).toMatch(/^\nThe command exited with 1, without findings or refused requests\.\n/)
})

test('requests before a reset count, --json prints one document, and --assume still applies after loads', async () => {
  const document = await execJson(
    `
    console.log('on standard error')
    await ask('GET', '/api/clients')
    await ask('POST', '/__admin/reset')
    await ask('POST', '/__admin/scenarios/low-funds/load')
    await ask('GET', '/api/service/77')
    const { body } = await ask('GET', '/api/product/101')
    process.exit(typeof body.geo[0] === 'object' ? 5 : 6)`,
    '--assume',
    'geo=object,updateListInterval=0.5',
  )
  expect(document).toMatchObject({
    command: [process.execPath, expect.stringMatching(/client\.mjs$/) as string],
    exitCode: 5,
    requests: 3,
    covered: 3,
    findings: [],
    refusals: [{ id: 2, path: '/api/service/77', status: 422, case: 'unprocessable' }],
    repros: [],
  })
})

test('lists the unconfirmed assumptions that the run depends on; reports list all that it used', async () => {
  const file = join(createFolder(), 'confirmed.yaml')
  const account = '{ assumptions: { geo: object }, confirmed: [geo, numbers] }'
  writeFileSync(file, `description: Confirmed.\nextends: default\naccounts: { reseller: ${account} }\n`)
  const at = createFolder()
  const program = `await ask('GET', '/api/product/101'); await ask('GET', '/api/sticky/resetall/1')`
  const { stdout } = await exec(
    program,
    '--questions',
    '-s',
    file,
    '--report',
    join(at, 'a.md'),
    join(at, 'b.json'),
  )
  expect(stdout.trim().split('\n').at(-1)).toBe('Rests on 1 unconfirmed assumption: timeZone')
  expect(stdout).toMatch(/^Questions for the provider\n {2}In which time zone are dates and times.*\?$/m)
  expect(stdout).not.toContain('Assumptions of this run')
  for (const text of [stdout, readFileSync(join(at, 'a.md'), 'utf8')])
    expect(text).toMatch(/^2 requests\. Coverage .* responses\. 1 request refused: unprocessable\.$/m)
  expect(readFileSync(join(at, 'a.md'), 'utf8')).toMatch(
    /\| geo \| object \| ✅ yes \| [^]*\| timeZone \| UTC \| 🔁 no \| /,
  )
  expect(JSON.parse(readFileSync(join(at, 'b.json'), 'utf8'))).toMatchObject({
    assumptions: [
      { id: 'geo', value: 'object', confirmed: true },
      { id: 'numbers', value: 'number', confirmed: true },
      { id: 'timeZone', value: 'UTC', confirmed: false },
    ],
  })
})

test('writes reports by their extension, whatever the outcome', async () => {
  const at = createFolder()
  const file = (name: string): string => join(at, name)
  // Lists can use commas, spaces or repeated flags.
  const several = ['--report', `${file('a.md')},${file('deep/b.json')}`, file('c.xml')]
  const reports = [...several, '--report', file('d.har')]
  const program = `await ask('POST', '/api/product/101', { clientid: 11 }); await ask('GET', '/api/service/77'); process.exit(1)`
  expect((await exec(program, ...reports)).code).toBe(1)
  const read = (name: string): string => readFileSync(file(name), 'utf8')
  expect(read('a.md')).toMatch(
    /^# Contract coverage\n\n❌ The command exited with 1, without findings\.\n[^]*\| getService \|/,
  )
  expect(JSON.parse(read('deep/b.json'))).toMatchObject({ covered: 2, requests: 2, findings: [] })
  expect(read('c.xml')).toMatch(/<testcase classname="getService" name="422 unprocessable" time="0"\/>/)
  expect(JSON.parse(read('d.har'))).toMatchObject({ log: { entries: [{}, { response: { status: 422 } }] } })
})

test('--fail-on exits with 3 for a finding that severe; JUnit reports have findings as failures', async () => {
  const file = join(createFolder(), 'a.xml')
  writeFileSync(file, 'replaced')
  const typo = `await ask('POST', '/api/product/101', { clientid: 11, ip: '203.0.113.77' })`
  const found = 'proxysim: 1 finding of severity high or medium: unknown-field.\n'
  expect((await exec(typo)).stdout).toContain(
    'To exit with 3 if there is such a finding, add --fail-on medium.',
  )
  for (const [severity, code, stderr] of [
    ['high', 0, ''],
    ['medium', 3, found],
  ] as const)
    expect(await exec(typo, '--fail-on', severity, '--report', file)).toMatchObject({ code, stderr })
  expect((await exec(`${typo}; process.exit(7)`, '--fail-on', 'low')).code).toBe(7)
  expect(readFileSync(file, 'utf8')).toMatch(
    /<testsuite name="findings" tests="1" failures="1"[^]*<failure message="POST \/api\/product\/101 was sent &quot;ip&quot;, a field that the API does not have. Did you mean &quot;setip&quot;\?">/,
  )
})

test('a file that can’t be written is named after the result, which it doesn’t hide', async () => {
  const taken = createFolder()
  const files = [join(taken, 'x.md', 'y.md'), join(taken, 'z.json')]
  writeFileSync(join(taken, 'x.md'), '')
  for (const [program, code] of [
    [one, 2],
    [`${one}\nprocess.exit(9)`, 9],
  ] as const) {
    const result = await exec(program, '--report', ...files)
    expect(result).toMatchObject({ code, stdout: expect.stringContaining('1 request.') as string })
    expect(result.stderr).toContain(`Can't write ${files[0]} (`)
    expect(JSON.parse(readFileSync(files[1] ?? '', 'utf8'))).toHaveProperty('exitCode')
  }
})

test('flags that shape responses work as in serve', async () => {
  const program = `
    const { headers: got } = await ask('GET', '/api/clients', undefined, { ...headers, origin: 'http://localhost' })
    if (got['access-control-allow-origin'] !== 'http://localhost') process.exit(9)`
  expect((await exec(program, '--cors', 'http://localhost')).code).toBe(0)
})

test('--override shapes responses; an invalid file is refused at the start', async () => {
  const file = join(createFolder(), 'override.mjs')
  writeFileSync(file, 'export const getCredit = () => ({ status: 200, body: { credit: 7 } })')
  const program = `if ((await ask('GET', '/api/billing/credit')).body.credit !== 7) process.exit(9)`
  expect((await exec(program, '--override', file)).code).toBe(0)
  const other = join(createFolder(), 'other.mjs')
  writeFileSync(other, 'export const getCredits = () => {}')
  const { code, stderr } = await exec(program, '--override', other)
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "getCredit"?')])
})
