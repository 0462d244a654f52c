import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Child, launchServer } from '../storage/support/Child.ts'
import { checkLedger, keepOrdering, keepPatching, Ledger, scenario } from '../storage/support/ledger.ts'
import { createFolder } from '../support/start.ts'

/** Number of kills. The long trial sets PROXYSIM_ROUNDS=50. */
const rounds = Number(process.env['PROXYSIM_ROUNDS'] ?? 2)

/** Prepares a new folder for a simulator with a state file. @param within a command that runs the simulator */
function setUp(within?: readonly string[]) {
  const made = createFolder()
  onTestFinished(() => chmodSync(made, 0o755))
  const [db, file] = [join(made, 'db.json'), join(made, 'start.json')]
  writeFileSync(file, JSON.stringify(scenario))
  return {
    folder: made,
    db,
    launch: () => launchServer({ db, scenario: file }, within),
    begin: () => Child.start({ db, scenario: file }, within),
    again: () => Child.start({ db }, within),
  }
}

const order = (one: Child) => one.call<{ error?: string }>('POST', '/api/product/101', { clientid: 11 })
const countServices = async (one: Child) => (await one.call<unknown[]>('GET', '/api/services')).json.length

/** Limits the size of a process's files to simulate a full disk. @param bytes `soft:hard` */
function limitFiles({ process: { pid } }: Child, bytes: string): void {
  execFileSync('prlimit', [`--fsize=${bytes}`, '--pid', String(pid)])
}

/** Waits until a random number of changes is confirmed, regardless of the machine's speed, but at most five seconds. */
async function waitForWork(ledger: Ledger): Promise<void> {
  const before = { small: ledger.orders.length, large: ledger.bulk.confirmed }
  const goal = { small: Math.random() * 200, large: Math.random() * 4 }
  const deadline = performance.now() + 5000
  while (
    performance.now() < deadline &&
    (ledger.orders.length - before.small < goal.small || ledger.bulk.confirmed - before.large < goal.large)
  )
    await sleep(Math.random() * 10)
}

test(`${rounds} kills at random moments under load lose and duplicate no confirmed change`, {
  timeout: 60_000 + rounds * 20_000,
}, async () => {
  const { begin, again } = setUp()
  const ledger = new Ledger()
  let running = await begin()
  for (let round = 0; round < rounds; round++) {
    const load = [
      ...Array.from({ length: 6 }, () => keepOrdering(running, ledger)),
      keepPatching(running, ledger),
    ]
    const clients = Promise.allSettled(load)
    await waitForWork(ledger)
    await running.end('SIGKILL')
    for (const outcome of await clients)
      expect(outcome, 'only the kill may end a client').toMatchObject({
        reason: { code: expect.stringMatching(/^ECONN|^EPIPE/) as unknown },
      })
    running = await again()
    await checkLedger(running, ledger)
  }
  expect(ledger.orders.length).toBeGreaterThan(rounds)
  if (process.env['PROXYSIM_ROUNDS'])
    process.stderr.write(
      `${rounds} kills: ${ledger.orders.length} confirmed orders and ${ledger.bulk.confirmed} confirmed changes of 1,000 records, none lost or duplicated\n`,
    )
})

const notWritten = expect.stringMatching(
  /could not be written to .*db\.json\.log.*Nothing was changed/,
) as unknown

test('a full disk refuses changes but keeps earlier ones, and recovers once there is space', async () => {
  const { db, begin, again } = setUp()
  const running = await begin()
  await order(running)
  limitFiles(running, `${statSync(`${db}.log`).size + 3000}:unlimited`) // space for a few orders and a part of another
  const all = await Promise.all(Array.from({ length: 20 }, () => order(running)))
  all.push(await order(running), await order(running))
  const refused = all.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, json } of refused) expect([status, json.error]).toEqual([503, notWritten])
  const paid = 1 + all.length - refused.length
  expect(await countServices(running)).toBe(4 + paid)
  expect((await running.call<{ credit: number }>('GET', '/api/billing/credit')).json.credit).toBe(
    (100_000_000 - paid * 10) / 100,
  )
  limitFiles(running, 'unlimited:unlimited')
  expect((await order(running)).status).toBe(200)
  await running.end('SIGKILL')
  const resumed = await again()
  expect(await countServices(resumed)).toBe(4 + paid + 1)
  expect(await resumed.end('SIGTERM'), 'the files are complete').toMatchObject({ code: 0, stderr: '' })
})

test('a full disk refuses changes by the control plane, and nothing changes', async () => {
  const { db, begin } = setUp()
  const running = await begin()
  await running.call('PUT', '/__admin/clock', { now: '2030-01-15T12:00:00Z', frozen: true })
  const { id } = (await running.call<{ id: string }>('POST', '/__admin/snapshots')).json
  const exported = async () => (await running.call<object>('GET', '/__admin/scenario')).json
  const before = await exported()
  limitFiles(running, `${statSync(`${db}.log`).size}:unlimited`)
  const changes: [method: string, path: string, body?: object][] = [
    ['POST', '/accounts', { login: 'new' }],
    ['PATCH', '/accounts/reseller', { credit: 5 }],
    ['POST', '/faults', { operation: '*', drop: 'reset' }],
    ['POST', '/clock/advance', { by: 'PT1H' }],
    ['POST', '/scenarios/low-funds/load'],
    ['POST', `/snapshots/${id}/restore`],
    ['POST', '/reset?account=reseller'],
    ['DELETE', '/accounts/reseller'],
  ]
  for (const [method, path, body] of changes) {
    const { status, json } = await running.call<{ error: string }>(method, `/__admin${path}`, body)
    expect([status, json.error], `${method} ${path}`).toEqual([503, notWritten])
    expect(await exported(), `${method} ${path}`).toEqual(before)
  }
  expect((await running.call<unknown[]>('GET', '/__admin/snapshots')).json).toHaveLength(1)
  limitFiles(running, 'unlimited:unlimited')
  expect((await running.call('PATCH', '/__admin/accounts/reseller', { credit: 5 })).status).toBe(200)
})

test('a read-only folder is reported at the start; if it becomes read-only later, changes still work', async () => {
  const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  // root can write to read-only folders.
  const { folder, launch, begin, again } = setUp(process.getuid?.() === 0 ? nobody : [])
  chmodSync(folder, 0o555)
  const refused = expect.stringMatching(/db\.json can't be used \(EACCES/) as string
  expect(await launch().ended).toMatchObject({ code: 2, stderr: refused })
  expect(readdirSync(folder)).toEqual(['start.json'])
  chmodSync(folder, 0o777)
  const running = await begin()
  chmodSync(folder, 0o555)
  expect((await order(running)).status).toBe(200)
  const notReplaced = expect.stringMatching(/db\.json could not be replaced \(EACCES/) as string
  expect(await running.end('SIGTERM')).toMatchObject({ code: 2, stderr: notReplaced })
  chmodSync(folder, 0o777)
  const left = readdirSync(folder).find((name) => name.endsWith('.lock'))
  expect(left && readFileSync(join(folder, left), 'utf8')).toContain(`"pid":${running.process.pid}`)
  expect(await countServices(await again())).toBe(5)
})
