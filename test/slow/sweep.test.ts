import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { SweepReport, SweepRun } from '../../src/lab/runs/sweepReport.ts'
import { isRed, type Verdict } from '../../src/lab/runs/verdict.ts'
import { createCertificate } from '../support/certificate.ts'
import { createFolder } from '../support/start.ts'
import { cli, createClient, type Result } from '../cli/inProcess.ts'

interface Swept extends Result {
  verdicts: Record<string, string>
  report: SweepReport
}

/** Runs a command through some faults on first calls, unless a flag is `--all`. */
async function sweepCommand(command: readonly string[], ...flags: string[]): Promise<Swept> {
  const stages = flags.includes('--all') ? flags.filter((flag) => flag !== '--all') : ['--quick', ...flags]
  const output = await cli(['sweep', '--json', ...stages, '--', ...command])
  const report = JSON.parse(output.stdout || '{"runs":[]}') as SweepReport
  const verdicts = report.runs.map(({ cell, verdict }) => [cell, verdict])
  return { ...output, report, verdicts: Object.fromEntries(verdicts) as Record<string, string> }
}

const sweep = (program: string, ...flags: string[]): Promise<Swept> =>
  sweepCommand(createClient(program), ...flags)

/** Runs the command that a report prints for a cell. */
async function repeated({ repeat }: Pick<SweepRun, 'repeat'>): Promise<string[][]> {
  const words = [...repeat.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const { stdout } = await cli([...words.slice(1, 2), '--json', ...words.slice(2)])
  return (JSON.parse(stdout) as SweepReport).runs.map(({ cell, verdict }) => [cell, verdict])
}

const order = `await ask('POST', '/api/product/101', { clientid: 11 })`
/** Exits with 0, whatever happens */
const careless = `${order}.catch(() => {})`
/** Places two equal orders. If one seems to fail, it tries again; `looks` says whether it looks for the order first. */
const twoOrders = (looks: boolean): string => `
  const services = async () => (await ask('GET', '/api/services')).body.map(({ service_id }) => service_id)
  for (let i = 0; i < 2; i++) {
    const before = await services()
    try { ${order} } catch {
      if (${!looks} || (await services()).every((id) => before.includes(id))) ${order}
    }
  }`

/** Orders for two addresses of one client. A lost order is looked for by its address: at the end, or in the next run. */
const twoAddresses = (settles: string): string => `
  const bound = async () => Promise.all((await ask('GET', '/api/services')).body
    .filter(({ service_id }) => service_id >= 5104)
    .map(async ({ service_id }) => (await ask('GET', '/api/service/' + service_id)).body.bindedip))
  const had = await bound()
  const unknown = []
  for (const setip of ['203.0.113.21', '203.0.113.22'].filter((one) => !had.includes(one)))
    try { await ask('POST', '/api/product/101', { clientid: 11, setip }) } catch { unknown.push(setip) }
  if (unknown.length > 0) ${settles}`

test.each<[string, string, string, Record<string, string>]>([
  [
    'only reads, and overlooks everything',
    `await ask('GET', '/api/billing/credit').catch(() => {})`,
    '--faults 503,reset',
    { 'getCredit 503': 'ok', 'getCredit reset': 'ok' },
  ],
  [
    'looks before it orders again',
    twoOrders(true),
    '--only orderService --faults lost reset',
    { 'orderService lost': 'ok', 'orderService reset': 'ok' },
  ],
  [
    'looks for a lost order by its address in the next run',
    twoAddresses('process.exit(1)'),
    '--only orderService --faults lost --rerun',
    { 'orderService lost': 'ok' },
  ],
  [
    'places the next equal order without looking for the one that failed, and exits with an error',
    `for (const one of ['first', 'second']) try { ${order} } catch { process.exitCode = 1 }
    await ask('GET', '/api/services')`,
    '--only orderService --faults lost',
    { 'orderService lost': 'reported' },
  ],
  [
    'places equal orders at the same time, and counts the services if one seems to fail',
    `const count = async () => (await ask('GET', '/api/services')).body.length
    const before = await count()
    const all = await Promise.allSettled([0, 1, 2].map(async () => { ${order} }))
    if (all.some(({ status }) => status === 'rejected') && (await count()) !== before + 3) process.exitCode = 1`,
    '--only orderService --faults lost cut',
    { 'orderService lost': 'ok', 'orderService cut': 'ok' },
  ],
  [
    'fails before it calls the operation again',
    `if (process.env.PROXYSIM_FAULT === 'none') await ask('GET', '/api/clients')
    else process.exitCode = 1
    await ask('GET', '/api/services')`,
    '--faults 503 --only listClients',
    { 'listClients 503': 'not-tried' },
  ],
  [
    'creates accounts, resets and clears faults',
    `await ask('POST', '/__admin/reset')
    await ask('DELETE', '/__admin/faults')
    const { body: own } = await ask('POST', '/__admin/accounts', {})
    headers.authorization = own.authorization
    ${careless}
    await ask('DELETE', '/__admin/accounts/' + own.login)`,
    '--faults lost reset unauthenticated',
    {
      'orderService unauthenticated': 'wrong-result',
      'orderService reset': 'wrong-result',
      'orderService lost': 'order-lost',
    },
  ],
])('verdicts on a client that %s', async (_what, program, flags, expected) => {
  const { verdicts, code, report } = await sweep(program, ...flags.split(' ').filter(Boolean))
  expect(verdicts).toEqual(expected)
  const isBad = Object.values(expected).some((verdict) => isRed(verdict as Verdict))
  expect([code, report.passed]).toEqual([isBad ? 1 : 0, !isBad])
})

test('a client that repeats an order and ignores a refusal: the evidence', async () => {
  const again = `for (let i = 0; i < 2; i++) try { ${order}; break } catch {}`
  const { report, stderr } = await sweep(again, '--faults', 'lost', 'reset', 'insufficient-funds')
  const missing = ['reseller: credit → 230.00', 'reseller: + invoice (amount 20, status Paid)']
  const forced = expect.stringContaining('forced') as string
  expect(report).toMatchObject({
    timeout: expect.any(Number) as number,
    baseline: { requests: 1, operations: ['orderService'], findings: [], unstable: [] },
    verdicts: { 'ordered-twice': 1, 'order-lost': 0, 'wrong-result': 1, stuck: 0, ok: 1, 'not-tried': 0 },
    runs: [
      {
        verdict: 'wrong-result',
        exitCode: 0,
        findings: [],
        endState: { missing: expect.arrayContaining(missing) as string[], added: [] },
        shown: [
          { id: 1, status: 422, case: 'insufficient-funds', change: null, mark: 'bad' },
          { text: expect.stringContaining('exited with 0') as string },
        ],
      },
      { verdict: 'ok' },
      {
        verdict: 'ordered-twice',
        findings: [{ finding: 'ordered-twice', requests: [{ id: 1 }, { id: 2 }] }],
        orphans: [],
        shown: [
          { id: 1, status: null, reason: forced, change: { credit: 230 } },
          { id: 2, status: 200, change: { credit: 210 } },
          { text: expect.stringContaining('exited with 0') as string },
        ],
      },
    ],
  })
  expect(stderr).toMatch(/^without faults: 1 request of orderService \(.*\)\n(\[[ \d]+\/3\] .*\n){3}$/)
})

test('of values that differ without any fault, only how many there are is judged', async () => {
  const random = `
    ${careless}
    await ask('PUT', '/api/service/5001', { setip: '203.0.113.' + (100 + process.pid % 150) }).catch(() => {})`
  const { verdicts, report } = await sweep(random, '--faults', 'reset')
  expect(report.baseline.unstable).toEqual(['reseller: service 5001 bindedip'])
  expect(verdicts).toEqual({ 'orderService reset': 'wrong-result', 'updateService reset': 'wrong-result' })
  expect(report.runs[0]?.endState?.missing.join('\n')).not.toContain('bindedip')
})

test('an order without its later update is not one more: it is not paid twice', async () => {
  const two = `
    const ids = []
    for (const setip of ['203.0.113.101', '203.0.113.102']) {
      const known = (await ask('GET', '/api/services')).body.map(({ service_id }) => service_id)
      let id
      try { id = (${order}).body.serviceId } catch { process.exitCode = 1 }
      if (!id) { await ask('GET', '/api/services'); continue }
      await ask('PUT', '/api/service/' + id, { setip })
    }`
  const { verdicts } = await sweep(two, '--only', 'orderService', '--faults', 'lost', 'cut')
  expect(verdicts).toEqual({ 'orderService lost': 'reported', 'orderService cut': 'reported' })
})

/** Defines `run`, the number of this run: 1 without faults, 2 with the fault, 3 again without. Needs `--jobs 1`. */
const counting = (file: string): string => `
  const { appendFileSync, readFileSync, existsSync, writeFileSync } = await import('node:fs')
  appendFileSync('${file}', '.')
  const run = readFileSync('${file}', 'utf8').length`

/** Orders once, and a second time in the third run; repeats orders that seem to fail without looking for them. */
const unlooking = `for (let i = 0; i < (run === 3 ? 2 : 1); i++) { try { ${order} } catch { ${order} } }`

test.each<[string, string, string, string]>([
  [
    'orders twice, by chance as often as a run without faults',
    unlooking,
    'orderService lost',
    'ordered-twice',
  ],
  [
    'orders at random once or twice, and looks for what seems to fail',
    `const count = async () => (await ask('GET', '/api/services')).body.length
    const wanted = await count() + (run === 3 ? 2 : 1)
    while (await count() < wanted) try { ${order} } catch {}`,
    'orderService lost',
    'ok',
  ],
])('a client that %s', async (_, program, cell, verdict) => {
  const [only = '', fault = ''] = cell.split(' ')
  const counted = `${counting(join(createFolder(), 'runs'))}; ${program}`
  const { report } = await sweep(counted, '--jobs', '1', '--only', only, '--faults', fault)
  expect(report.runs).toMatchObject([{ cell, verdict }])
})

test.each([
  ['a pid file', `closeSync(openSync(lock + '.pid', 'wx'))`, `rmSync(lock + '.pid')`],
  ['a folder', 'mkdirSync(lock)', 'rmdirSync(lock)'],
])('a run that left %s does not share the second run of one that did not', async (_, acquire, release) => {
  const program = `
    const { closeSync, existsSync, mkdirSync, openSync, rmSync, rmdirSync, writeFileSync } = await import('node:fs')
    const [lock, note] = ['/running', '/ordered'].map((name) => process.env.PROXYSIM_RUN_DIR + name)
    ${acquire}
    try {
      const isOrdered = existsSync(note)
      writeFileSync(note, '')
      if (!isOrdered) ${order}
    } finally { ${release} }`
  const flags = ['--rerun', '--only', 'orderService', '--faults', 'lost', 'crash']
  const { verdicts } = await sweep(program, ...flags)
  expect(verdicts).toEqual({ 'orderService lost': 'order-lost', 'orderService crash': 'stuck' })
})

test('a bad habit of the second run alone counts', async () => {
  const note = `process.env.PROXYSIM_RUN_DIR + '/began'`
  const program = `
    const { existsSync, writeFileSync } = await import('node:fs')
    const isSecond = existsSync(${note})
    writeFileSync(${note}, '')
    ${order}
    for (let i = 0; i < (isSecond ? 3 : 1); i++) await ask('PUT', '/api/service/5001', { update_list: 'true' })`
  const { report } = await sweep(program, '--rerun', '--faults', 'reset', '--only', 'orderService')
  expect(report.runs).toMatchObject([{ verdict: 'bad-habit', findings: [{ finding: 'throttle-ignored' }] }])
})

/** Reads the ids of all services, as `ids`; the client's notes are files in `dir`. */
const notes = `
  const { existsSync, readFileSync, writeFileSync } = await import('node:fs')
  const dir = process.env.PROXYSIM_RUN_DIR
  const ids = async () => {
    const { status, body } = await ask('GET', '/api/services')
    if (status !== 200) process.exit(1)
    return Array.isArray(body) ? body.map(({ service_id }) => service_id) : []
  }
  const place = async () => {
    const id = (${order}).body.serviceId
    if (!id) throw new Error('not ordered')
    return id
  }`

test.each<[string, string, string, Record<string, string>]>([
  [
    'takes the newest service for the order that failed',
    `for (let i = 0; i < 3; i++) try { await place() } catch { if (Math.max(...await ids()) < 5104) process.exit(1) }`,
    '--only orderService --faults reset',
    {
      'orderService#2 reset': 'wrong-result',
      'orderService#3 reset': 'wrong-result',
      'orderService#2 reset, then orderService+1 reset': 'wrong-result',
    },
  ],
  [
    'looks on a restart only for the first order',
    `const next = dir + '/next'
    let n = existsSync(next) ? Number(readFileSync(next)) : 0
    if (n === 0 && (await ids()).some((id) => id >= 5104)) n = 1
    for (; n < 2; n++) { writeFileSync(next, String(n)); await place().catch(() => {}) }`,
    '--rerun --only orderService --faults crash',
    {
      'orderService#2 crash': 'ordered-twice',
      'orderService crash, rerun with orderService crash': 'ordered-twice',
      'orderService#2 crash, rerun with orderService crash': 'ordered-twice',
    },
  ],
  [
    'takes a list that is none for an empty one',
    `const known = await ids()
    try { await place() } catch { if ((await ids()).every((id) => known.includes(id))) await place() }`,
    '--only orderService listServices --faults lost error-200',
    {
      'orderService lost, then listServices+1 error-200': 'ordered-twice',
      'orderService error-200, then orderService+1 lost': 'order-lost',
    },
  ],
  [
    'looks only once on a restart',
    `const note = dir + '/known.json'
    if (existsSync(note)) {
      const known = JSON.parse(readFileSync(note, 'utf8'))
      if ((await ids()).some((id) => !known.includes(id))) process.exit(0)
    } else writeFileSync(note, JSON.stringify(await ids()))
    await place()`,
    '--rerun --only orderService listServices --faults crash stale',
    { 'orderService crash, rerun with listServices stale': 'ordered-twice' },
  ],
  [
    'does all of this right',
    `const { renameSync } = await import('node:fs')
    const note = dir + '/orders.json'
    const save = (value) => { writeFileSync(note + '.new', JSON.stringify(value)); renameSync(note + '.new', note) }
    const list = async () => {
      const { status, body } = await ask('GET', '/api/services')
      if (status !== 200 || !Array.isArray(body)) process.exit(1)
      return body.map(({ service_id }) => service_id)
    }
    /** Lists may lag, so it looks twice. */
    const find = async (known) =>
      (await list()).find((id) => !known.includes(id)) ?? (await list()).find((id) => !known.includes(id))
    const state = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')) : { known: await list(), orders: 0 }
    let isUnclear = existsSync(note)
    while (state.orders < 2) {
      save(state)
      let id = isUnclear ? await find(state.known) : undefined
      isUnclear = false
      if (!id) try {
        id = await place()
      } catch { id = await find(state.known) }
      if (!id) process.exit(1)
      state.known.push(id)
      state.orders++
    }
    save(state)`,
    '--rerun --faults lost stale crash',
    {},
  ],
])('a thorough sweep of a client that %s', async (_, program, flags, expected) => {
  const { report, verdicts } = await sweep(`${notes}\n${program}`, '--all', '--thorough', ...flags.split(' '))
  const red = report.runs.filter(({ verdict }) => isRed(verdict))
  expect(Object.fromEntries(red.map(({ cell }) => [cell, verdicts[cell]]))).toEqual(expected)
  for (const { repeat } of red) expect(repeat).toMatch(/^proxysim sweep --cell '/)
})

test('a sweep whose faults never triggered says that nothing was tested', async () => {
  const { code, verdicts, stderr } = await sweep(`await ask('GET', '/api/clients')`, '--faults', 'stale')
  expect([code, verdicts]).toEqual([0, { 'listClients stale': 'not-tried' }])
  expect(stderr).toContain('\nproxysim: No call met the condition of its fault, so nothing was tested.')
})

test('an order is lost if no run looked for it, and a lock that stays makes a rerun fail', async () => {
  const client = (looks: string, acquires = '') => `
    const { existsSync, rmSync, writeFileSync } = await import('node:fs')
    const [note, lock] = ['/ordered', '/worker.lock'].map((name) => process.env.PROXYSIM_RUN_DIR + name)
    ${acquires}
    if (existsSync(note)) ${looks}
    else { writeFileSync(note, ''); ${order} }
    rmSync(lock, { force: true })`
  const flags = ['--rerun', '--only', 'orderService', '--faults', 'lost', 'crash']
  const verdictsOf = async (...program: Parameters<typeof client>) =>
    await sweep(client(...program), ...flags)
  expect((await verdictsOf('{}')).verdicts).toEqual({
    'orderService lost': 'order-lost',
    'orderService crash': 'order-lost',
  })
  const looks = `await ask('GET', '/api/services')`
  expect((await verdictsOf(looks)).verdicts).toEqual({
    'orderService lost': 'ok',
    'orderService crash': 'ok',
  })
  const locked = await verdictsOf(looks, `if (existsSync(lock)) process.exit(75); writeFileSync(lock, '')`)
  expect(locked.report.runs.map(({ verdict, why }) => [verdict, ...why])).toContainEqual([
    'stuck',
    'Run 2 exited with 75, and sent no request; these files were left in its folder: ordered, worker.lock.',
  ])
})

test('a lost order in a recovery is put aside only if the program looked for it afterwards', async () => {
  const client = (looks: string) => `
    const ids = async () => {
      const { status, body } = await ask('GET', '/api/services')
      return status === 200 && Array.isArray(body) ? body.map(({ service_id }) => service_id) : process.exit(1)
    }
    const known = await ids()
    const isThere = async () => (await ids()).some((id) => !known.includes(id))
    const place = async () => { if (!(${order}).body.serviceId) throw new Error() }
    try { await place() } catch {
      if ((await isThere()) || (await isThere())) process.exit(0)
      try { await place() } catch { ${looks}; process.exit(1) }
    }`
  const cell = 'orderService 503, then orderService+1 lost'
  for (const [looks, verdict] of [
    [`await ask('GET', '/api/products')`, 'order-lost'],
    [`if (await isThere()) process.exit(0)`, 'ok'],
  ] as const)
    expect((await sweep(client(looks), '--all', '--cell', cell)).verdicts).toEqual({ [cell]: verdict })
})

test('fifty equal refusals end a run, and the report folds them', async () => {
  const forever = `while ((await ask('GET', '/api/service/5001')).status !== 200);`
  const { report } = await sweep(forever, '--faults', 'unprocessable')
  expect(report.runs).toMatchObject([
    {
      verdict: 'stuck',
      why: [expect.stringMatching(/was refused with 422 \(unprocessable\) each time\.$/)],
      shown: [{ text: expect.stringMatching(/× 50$/) }, {}],
    },
  ])
})

test('files are compared both ways; --ignore and the accept file leave some out', async () => {
  const file = join(createFolder(), 'accepted.yaml')
  writeFileSync(file, 'ignore: [attempts.*]\n')
  const client = `
    const { appendFileSync } = await import('node:fs')
    appendFileSync(process.env.PROXYSIM_RUN_DIR + '/attempts.jsonl', '{}\\n')
    if ((await ask('GET', '/api/services')).status !== 200) process.exit(1)`
  const flags = ['--rerun', '--faults', '503']
  const { report } = await sweep(client, ...flags)
  expect(report.runs).toMatchObject([
    {
      verdict: 'wrong-result',
      why: ['added: file attempts.jsonl: "{}"'],
      advice: expect.stringContaining("--ignore 'attempts.jsonl'") as string,
    },
  ])
  for (const ignoring of [
    ['--ignore', '*.jsonl'],
    ['--accept', file, '--write-accepted', file],
  ])
    expect((await sweep(client, ...flags, ...ignoring)).verdicts).toEqual({ 'listServices 503': 'ok' })
  expect(readFileSync(file, 'utf8')).toMatch(/^ignore:\n {2}- attempts\.\*\n/)
})

// docs/sweep.md sweeps the fixed one.
test('the bugs of the example provision.mjs are found, and nothing else', async () => {
  const file = fileURLToPath(new URL('../../examples/sweep/provision.mjs', import.meta.url))
  const faults = 'lost 503 error-200 invalid-ipv4 update-list-throttled too-many-requests'.split(' ')
  const { report, verdicts } = await sweepCommand([process.execPath, file], '--faults', ...faults)
  expect(report.baseline.operations.toSorted()).toEqual(['orderService', 'updateService'])
  const red = Object.entries(verdicts).filter(([, verdict]) => isRed(verdict as Verdict))
  expect(Object.fromEntries(red)).toEqual({
    'orderService lost': 'ordered-twice',
    'orderService error-200': 'wrong-result',
    'updateService error-200': 'wrong-result',
    'updateService invalid-ipv4': 'wrong-result',
    'updateService update-list-throttled': 'bad-habit',
    'updateService too-many-requests': 'bad-habit',
  })
})

/** Orders three times. Only the later orders are sent again without a look at the services. */
const bulk = `
  const count = async () => (await ask('GET', '/api/services')).body.length
  const before = await count()
  for (let i = 0; i < 3; i++) try { ${order} } catch {
    if (i > 0 || (await count()) === before) ${order}
  }`

test('later calls, pairs of faults and what was left out', async () => {
  const { verdicts, report } = await sweep(bulk, '--all', '--faults', 'lost', '503', '--only', 'orderService')
  expect(verdicts).toMatchObject({
    'orderService lost': 'ok',
    'orderService#2 lost': 'ordered-twice',
    'orderService#3 lost': 'ordered-twice',
    'orderService 503 lasting': 'wrong-result',
  })
  expect(report.runs.map(({ stage }) => stage)).toContain('recovery')
  const pair = report.runs.find(({ stage }) => stage === 'recovery')
  expect([pair?.operation, pair?.then?.operation, pair?.then?.run]).toEqual([
    'orderService',
    'orderService',
    1,
  ])

  const { report: short } = await sweep(bulk, '--all', '--faults', 'lost', '--max-runs', '2', '--jobs', '1')
  expect(short.runs.map(({ cell }) => cell)).toEqual(['orderService lost', 'orderService#2 lost'])
  expect(short.leftOut).toMatchObject({ first: 0, later: 1 })
})

test.skipIf(spawnSync('openssl', ['version']).status !== 0)('faults work over TLS', async () => {
  const files = Object.entries(createCertificate()).map(([name, pem]) => {
    const file = join(createFolder(), `${name}.pem`)
    writeFileSync(file, pem)
    return [`--tls-${name}`, file]
  })
  const program = `const { status, body } = ${order}
    if (status !== 200 || !body.serviceId) process.exit(4)`
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
  const faults = ['lost', 'cut', 'no-response', 'reset', 'empty', 'truncate', 'not-json', '503']
  const { report } = await sweep(program, '--hold', '1', '--overlap', '--faults', ...faults, ...files.flat())
  const carriedOut = report.runs.filter(({ verdict }) => verdict === 'order-lost').map(({ fault }) => fault)
  expect(carriedOut.toSorted()).toEqual(['cut', 'lost', 'no-response'])
  expect(report.verdicts).toMatchObject({ reported: report.runs.length - 4, ok: 1 })
})

test('two runs at the same time', async () => {
  const program = (lock: string) => `
    const { existsSync, openSync, writeFileSync } = await import('node:fs')
    const folder = process.env.PROXYSIM_RUN_DIR
    ${lock}
    if (!existsSync(folder + '/done')) { ${order}; writeFileSync(folder + '/done', '') }`
  const flags = ['--overlap', '--faults', 'reset']
  const racing = await sweep(program(''), ...flags)
  expect([racing.verdicts['overlap'], racing.code]).toEqual(['ordered-twice', 1])
  const overlap = racing.report.runs.find(({ cell }) => cell === 'overlap') as SweepRun
  expect(overlap.shown.flatMap(({ text }) => /POST .*← (.*)/.exec(text)?.[1] ?? [])).toEqual([
    'ordered-twice',
  ])
  expect(await repeated(overlap)).toEqual([['overlap', 'ordered-twice']])
  const own = await sweep(
    `PROXYSIM_PASSWORD === 'x'; headers.authorization = 'Basic ' + btoa('reseller:secret'); ${order}`,
    ...flags,
  )
  expect(own.stderr).not.toContain('Error')
  expect(own.report.leftOut).toMatchObject({ overlap: 2 })
  const { verdicts } = await sweep(
    program(`try { openSync(folder + '/order.lock', 'wx') } catch { process.exit(0) }`),
    ...flags,
  )
  expect(verdicts).toMatchObject({ overlap: 'ok', 'overlap reset': 'reported' })
})

test('accepted cells do not fail a sweep, and are written with their reasons', async () => {
  const file = join(createFolder(), 'accepted.yaml')
  const flags = [
    '--only',
    'orderService',
    '--faults',
    'reset',
    'lost',
    '--accept',
    file,
    '--write-accepted',
    file,
  ]
  const first = await sweep(careless, ...flags)
  expect(first.code).toBe(1)
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('not explained yet', 'support looks') +
      'orderService* reset: { verdict: stuck, reason: slow }\ngetCredit: { verdict: stuck, reason: not tried }\n',
  )
  const second = await cli(['sweep', '--quick', ...flags, '--', ...createClient(careless)])
  expect(second).toMatchObject({ code: 0 })
  expect(second.stdout).toMatch(/Accepted, but no run needed it:\n {2}orderService\* reset\n\n/)
  expect(readFileSync(file, 'utf8')).toContain(
    'orderService lost:\n  verdict: order-lost\n  reason: support looks',
  )
  expect(readFileSync(file, 'utf8')).toContain('getCredit:\n  verdict: stuck\n  reason: not tried')
  writeFileSync(file, 'orderService lost: { verdict: orphan, reason: x }\n')
  const wrong = await cli(['sweep', '--accept', file, '--', 'true'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain(
    `${file}:1:31: orderService lost.verdict: Invalid option: expected one of "ordered-twice"|`,
  )
})

test('a command that fails without a fault is refused: its output is shown', async () => {
  const { code, stdout, stderr } = await sweepCommand(['sh', '-c', 'echo no luck >&2; exit 7'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe(
    'no luck\nproxysim: The command exits with 7 without faults. A sweep needs a command that succeeds.\n',
  )
  const silent = await sweepCommand(['sh', '-c', 'curl -sf "$PROXYSIM_URL/api/services"'])
  expect(silent.stderr).toMatch(
    /succeeds\. Its last request that was refused: GET \/api\/services → 401 unauthenticated \(there is no Authorization header\)\.\n$/,
  )
})

test('a flaky command is rejected before a fault is blamed', async () => {
  const once = JSON.stringify(join(createFolder(), 'once'))
  const flaky = `
    import { existsSync, writeFileSync } from 'node:fs'
    ${careless}
    if (process.env.PROXYSIM_FAULT !== 'none') process.exit(0)
    if (existsSync(${once})) process.exit(1)
    writeFileSync(${once}, '')`
  const { code, stderr } = await sweep(flaky, '--faults', 'reset')
  expect(code).toBe(2)
  expect(stderr).toContain('The command exits with 1 on another run without faults')
})

test('reports show each problem, and the printed command gives the same verdict again', async () => {
  const at = createFolder()
  const [md = '', json = '', xml = ''] = ['sweep.md', 'deep/sweep.json', 'sweep.xml'].map((name) =>
    join(at, name),
  )
  const chosen =
    '--only orderService --faults lost product-not-found --scenario default --jobs 1 --timeout 30 --rerun --verbose'.split(
      ' ',
    )
  const program = createClient(`await ask('GET', '/api/services'); ${careless}; console.log('done, I think')`)
  const env = { PROXYSIM_ASSUME: 'numbers=string' }
  const ended = await cli(['sweep', '--quick', ...chosen, '--report', md, json, xml, '--', ...program], env)
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toContain('--- orderService lost\ndone, I think\n')
  expect(ended.stderr).toMatch(
    /Open \S+\/deep\/sweep\.json in the dashboard of a running simulator: http:\/\/127\.0\.0\.1:4010\/#\/reports\n$/,
  )
  const [page = '', document = '', suite = ''] = [md, json, xml].map((file) => readFileSync(file, 'utf8'))
  const { runs } = JSON.parse(document) as SweepReport
  const found = runs.find(({ fault }) => fault === 'product-not-found')
  expect(found?.repeat).toMatch(
    /^proxysim sweep --cell 'orderService product-not-found' --rerun .*--timeout 30.* --scenario default --assume numbers=string.* -- \S*node \S+client\.mjs$/,
  )
  for (const text of [ended.stdout, page, suite])
    for (const part of [
      'wrong-result: The program exited with 0, but something was not done, or done differently.',
      '→ 422 product-not-found, not carried out',
      'done, I think',
      'missing: reseller: + invoice',
    ])
      expect(text).toContain(part)
  expect(ended.stdout).toMatch(/\n2 problems\. 2 runs: 1 order-lost, 1 wrong-result\n$/)
  expect(suite).toMatch(/<testsuite name="orderService" tests="2" failures="2" errors="0" skipped="0"/)
  for (const run of runs) expect(await repeated(run)).toEqual([[run.cell, run.verdict]])
})

test('a cell of each stage has the same verdict as its printed command gives', async () => {
  // The first order may be lost; the next run knows from its note that it was made, whether or not the first one failed later.
  const { report, verdicts } = await sweep(
    `${notes}
    if (!existsSync(dir + '/ordered')) { writeFileSync(dir + '/ordered', ''); await place() }
    if ((await ask('GET', '/api/clients')).status !== 200) process.exit(1)`,
    ...'--all --rerun --faults lost 503'.split(' '),
  )
  expect(verdicts).toMatchObject({ 'orderService lost': 'order-lost', 'listClients 503': 'ok' })
  const stages = new Map(report.runs.map((run) => [run.stage, run]))
  expect(stages.size).toBeGreaterThan(1)
  for (const run of stages.values()) expect(await repeated(run)).toEqual([[run.cell, run.verdict]])
})

test('a fault in the second run has the same name, whichever run left its state first', async () => {
  const other = join(createFolder(), 'ended')
  const { verdicts } = await sweep(
    `const { existsSync, writeFileSync } = await import('node:fs')
    const pause = (ms) => new Promise((done) => setTimeout(done, ms))
    const { status } = ${order}
    if (status === 422) writeFileSync(${JSON.stringify(other)}, '')
    if (status === 401) {
      while (!existsSync(${JSON.stringify(other)})) await pause(50)
      await pause(1500) // the other run ends
    }
    if (status !== 200) process.exit(1)`,
    '--all',
    '--rerun',
    '--jobs',
    '2',
    '--only',
    'orderService',
    '--faults',
    'unauthenticated,product-not-found,lost',
  )
  expect(Object.keys(verdicts).filter((cell) => cell.includes('rerun'))).toEqual([
    'orderService unauthenticated, rerun with orderService lost',
    'orderService lost, rerun with orderService lost',
  ])
})
