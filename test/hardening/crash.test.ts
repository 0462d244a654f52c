import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../support/start.ts'
import { Child } from './crash/Child.ts'
import {
  check,
  keepOrdering,
  keepPatching,
  keepUpdating,
  Ledger,
  scenario,
  settle,
  type Ids,
} from './crash/ledger.ts'

/** Kills; PROXYSIM_ROUNDS=50 for the long trial. */
const rounds = Number(process.env['PROXYSIM_ROUNDS'] ?? 5)

function place(): { folder: string; db: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'proxysim-crash-'))
  onTestFinished(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  })
  const file = join(folder, 'start.json')
  writeFileSync(file, JSON.stringify(scenario))
  return { folder, db: join(folder, 'db.json'), file }
}

function child(...args: ConstructorParameters<typeof Child>): Child {
  const made = new Child(...args)
  onTestFinished(async () => void (await made.end('SIGKILL')))
  return made
}

const order = (one: Child) => one.call<Ids & { error?: string }>('POST', '/api/product/101', { clientid: 11 })
const countServices = async (one: Child) => (await one.call<unknown[]>('GET', '/api/services')).body.length

/** How many bytes a file of that process may have from now on, `soft:hard`: a disk that is full. */
function limitFiles({ process: { pid } }: Child, bytes: string): void {
  execFileSync('prlimit', [`--fsize=${bytes}`, '--pid', String(pid)])
}

/** The log that changes go into, once a new file is there. */
async function logOf(db: string): Promise<string> {
  const logs = () =>
    readdirSync(dirname(db)).filter((name) => name.startsWith(basename(db)) && name.endsWith('.log'))
  await expect.poll(() => existsSync(db) && logs().length === 1).toBe(true)
  return join(dirname(db), logs()[0] as string)
}

/** Waits for as much work as chance says, however fast the machine is; five seconds at most. */
async function someWork(ledger: Ledger): Promise<void> {
  const before = { small: ledger.changes, large: ledger.bulk.answered }
  const goal = { small: Math.random() * 200, large: Math.random() * 4 }
  const late = performance.now() + 5000
  while (
    performance.now() < late &&
    (ledger.changes - before.small < goal.small || ledger.bulk.answered - before.large < goal.large)
  )
    await sleep(Math.random() * 10)
}

test.each([false, true])(
  `${rounds} kills at random moments under load, fsync: %s`,
  {
    timeout: 60_000 + rounds * 20_000,
  },
  async (fsync) => {
    const { db, file, folder } = place()
    const ledger = new Ledger()
    let changes = 0
    let generation = 0 // of the log: how often the file was begun to be replaced
    let running = await child({ db, scenario: file, fsync }).ready()
    for (let round = 0; round < rounds; round++) {
      const load = [
        ...Array.from({ length: 6 }, () => keepOrdering(running, ledger)),
        ...[1, 2, 3, 4].map((service) => keepUpdating(running, ledger, service)),
        keepPatching(running, ledger),
      ]
      const clients = Promise.allSettled(load)
      await someWork(ledger)
      await running.end('SIGKILL')
      for (const outcome of await clients)
        expect(outcome, 'only the kill may end a client').toMatchObject({
          reason: { code: expect.stringMatching(/^ECONN|^EPIPE/) },
        })
      generation = Math.max(
        generation,
        ...readdirSync(folder).map((name) => Number(/\.(\d+)\.log$/.exec(name)?.[1] ?? 0)),
      )
      running = await child({ db, fsync }).ready()
      await check(running, ledger)
      await settle(running, ledger)
      changes =
        ledger.orders.length + [...ledger.updates.values()].reduce((sum, { answered }) => sum + answered, 0)
    }
    expect(changes).toBeGreaterThan(rounds)
    if (process.env['PROXYSIM_ROUNDS'])
      process.stderr.write(
        `${JSON.stringify({ fsync, rounds, changes, generation, bulk: ledger.bulk.answered })}\n`,
      )
  },
)

test('a kill during resets leaves either the old or the new state', { timeout: 60_000 }, async () => {
  const { db, file } = place()
  let running = await child({ db, scenario: file }).ready()
  for (let round = 0; round < 2; round++) {
    let extra = [0] // services beyond the scenario's, as the last answer and the question under way leave them
    const load = async () => {
      for (let now = (await countServices(running)) - 4; ; now = now === 0 ? 1 : 0) {
        extra = [now, now === 0 ? 1 : 0]
        if (now === 0) await order(running)
        else await running.call('POST', '/__admin/reset')
      }
    }
    const kill = sleep(100 + Math.random() * 200).then(() => running.end('SIGKILL'))
    await expect(load()).rejects.toThrow(/ECONN|EPIPE|socket hang up/)
    await kill
    running = await child({ db }).ready()
    expect(extra).toContain((await countServices(running)) - 4)
    expect((await order(running)).status).toBe(200)
    await running.call('POST', '/__admin/reset')
  }
})

test('a log with a truncated last line loses only that line, with a warning', async () => {
  const { db, file, folder } = place()
  const first = await child({ db, scenario: file }).ready()
  const log = await logOf(db)
  for (let i = 0; i < 3; i++) expect((await order(first)).status).toBe(200)
  await first.end('SIGKILL')
  const { length } = readFileSync(log)
  const lastLine = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)?.length ?? 0
  copyFileSync(log, join(folder, 'kept'))
  copyFileSync(db, join(folder, 'kept-file'))
  const putBack = (): void => {
    copyFileSync(join(folder, 'kept'), log)
    copyFileSync(join(folder, 'kept-file'), db)
  }
  const cuts = [1, 2, Math.floor(lastLine / 2), lastLine - 1, lastLine]
  for (const cut of cuts) {
    putBack()
    truncateSync(log, length - cut)
    const again = await start({ db })
    const services = await again.call<unknown[]>('GET', '/api/services')
    expect(services.json, `${cut} bytes cut off`).toHaveLength(6)
    expect((await again.call<{ credit: number }>('GET', '/api/billing/credit')).json.credit).toBe(999_999.8)
    expect((await again.call('POST', '/api/product/101', { body: { clientid: 11 } })).status).toBe(200)
    await again.close()
    for (const name of readdirSync(folder)) if (name.startsWith('db.json')) rmSync(join(folder, name))
  }
  putBack()
  truncateSync(log, length - 7)
  const told = await child({ db }).ready()
  expect(told.errors).toContain(`The last line of ${log} is incomplete`)
})

test('a log that is damaged before its last line is refused with its line number, and left unchanged', async () => {
  const { db, file } = place()
  const first = await child({ db, scenario: file }).ready()
  const log = await logOf(db)
  for (let i = 0; i < 3; i++) await order(first)
  await first.end('SIGKILL')
  const lines = readFileSync(log, 'utf8').split('\n')
  lines[1] = `${lines[1]?.slice(0, 40)}`
  writeFileSync(log, lines.join('\n'))
  const refused = child({ db })
  expect(await refused.ended()).toBe(2)
  expect(refused.errors).toContain(`${log}:2 is damaged`)
  expect(readFileSync(log, 'utf8')).toBe(lines.join('\n'))
})

test('a full disk refuses changes but keeps earlier ones, and recovers once there is space', {
  timeout: 60_000,
}, async () => {
  const { db, file } = place()
  const running = await child({ db, scenario: file }).ready()
  const log = await logOf(db)
  await order(running)
  limitFiles(running, `${statSync(log).size + 3000}:unlimited`) // so many bytes a file may have: room for a few orders, and a part of one
  const answers = await Promise.all(Array.from({ length: 20 }, () => order(running)))
  const more = [await order(running), await order(running)]
  const all = [...answers, ...more]
  const refused = all.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, body } of refused) {
    expect(status).toBe(503)
    expect(body.error).toMatch(/could not be written to .*db\.json\.1\.log.*nothing was changed/)
  }
  expect(running.errors).toContain('could not be written')
  const paid = 1 + all.length - refused.length
  expect(await countServices(running)).toBe(4 + paid)
  expect((await running.call<{ credit: number }>('GET', '/api/billing/credit')).body.credit).toBe(
    (100_000_000 - paid * 10) / 100,
  )

  limitFiles(running, 'unlimited:unlimited')
  expect((await order(running)).status).toBe(200)
  await running.end('SIGKILL')
  const again = await child({ db }).ready()
  expect(again.errors, 'what is on disk is whole').toBe('')
  expect(await countServices(again)).toBe(4 + paid + 1)
})

test('a full disk refuses changes by the control plane, and nothing changes', {
  timeout: 60_000,
}, async () => {
  const { db, file } = place()
  const running = await child({ db, scenario: file }).ready()
  const log = await logOf(db)
  await order(running)
  await running.call('PUT', '/__admin/clock', { now: '2030-01-15T12:00:00Z', frozen: true })
  const { id } = (await running.call<{ id: string }>('POST', '/__admin/snapshots')).body
  const exported = async () => (await running.call<object>('GET', '/__admin/scenario')).body
  const before = await exported()
  limitFiles(running, `${statSync(log).size}:unlimited`)
  const changes: [method: string, path: string, body?: object][] = [
    ['POST', '/accounts', { login: 'new' }],
    ['PATCH', '/accounts/reseller', { credit: 5 }],
    ['POST', '/accounts/reseller/tokens'],
    ['POST', '/faults', { operation: '*', drop: 'reset' }],
    ['PUT', '/clock', { now: '2031-01-01T00:00:00Z' }],
    ['POST', '/clock/advance', { by: 'PT1H' }],
    ['POST', '/scenarios/low-funds/load'],
    ['PUT', '/scenario', { extends: 'default', description: 'Of a test.' }],
    ['POST', `/snapshots/${id}/restore`],
    ['POST', '/reset'],
    ['DELETE', '/accounts/reseller'],
  ]
  for (const [method, path, body] of changes) {
    const { status, body: told } = await running.call<{ error: string }>(method, `/__admin${path}`, body)
    expect(status, `${method} ${path}`).toBe(503)
    expect(told.error, `${method} ${path}`).toMatch(
      /could not be written to .*db\.json\.1\.log.*nothing was changed/,
    )
    expect(await exported(), `${method} ${path}`).toEqual(before)
  }
  limitFiles(running, 'unlimited:unlimited')
  expect((await running.call('PATCH', '/__admin/accounts/reseller', { credit: 5 })).status).toBe(200)
  await running.end('SIGKILL')
  const again = await child({ db }).ready()
  expect((await again.call<{ credit: number }>('GET', '/__admin/accounts/reseller')).body.credit).toBe(5)
})

test('keeps the change log if the disk is full when the file should be replaced', {
  timeout: 60_000,
}, async () => {
  const { db, file } = place()
  const running = await child({ db, scenario: file }).ready()
  for (let i = 0; i < 5; i++) await order(running)
  limitFiles(running, '100:unlimited')
  expect(await running.end('SIGTERM')).toBe(1)
  expect(running.errors).toMatch(/db\.json could not be replaced \(EFBIG/)
  const again = await child({ db }).ready()
  expect(await countServices(again)).toBe(9)
  expect((await order(again)).status).toBe(200)
})

test('a read-only folder is reported at the start; if it becomes read-only later, changes continue', {
  timeout: 60_000,
}, async () => {
  const { db, file, folder } = place()
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined // root may write anywhere
  chmodSync(folder, 0o555)
  const refused = child({ db, scenario: file }, { user: nobody })
  expect(await refused.ended()).toBe(2)
  expect(refused.errors).toContain(db)
  expect(refused.errors).toMatch(/EACCES.*--db/)
  expect(readdirSync(folder)).toEqual(['start.json'])

  chmodSync(folder, 0o777)
  const running = await child({ db, scenario: file }, { user: nobody }).ready()
  chmodSync(folder, 0o555)
  expect((await order(running)).status).toBe(200)
  await running.end('SIGTERM')
  expect(running.errors).toMatch(/EACCES/)
  chmodSync(folder, 0o777)
  expect(await countServices(await child({ db }, { user: nobody }).ready())).toBe(5)
})

test('of many simulators started on one file, one gets it and the others name its process', {
  timeout: 60_000,
}, async () => {
  const { db, file } = place()
  const all = Array.from({ length: 4 }, () => child({ db, scenario: file }))
  const outcomes = await Promise.all(
    all.map((one) =>
      one.ready().then(
        () => one,
        () => undefined,
      ),
    ),
  )
  const winners = outcomes.filter((one) => one !== undefined)
  expect(winners).toHaveLength(1)
  for (const loser of all.filter((one) => one !== winners[0])) {
    expect(await loser.ended()).toBe(2)
    expect(loser.errors).toContain(`in use by another simulator (process ${winners[0]?.process.pid})`)
  }
  expect((await order(winners[0] as Child)).status).toBe(200)
  await winners[0]?.end('SIGTERM')
  expect(readdirSync(dirname(db)).toSorted()).toEqual(['db.json', 'start.json'])
})

/** A disk that does what a test wants of it. */
function diskOf(folder: string) {
  const broken = join(folder, 'broken')
  const preload = [fileURLToPath(new URL('crash/disk.ts', import.meta.url))]
  return { broken, options: { preload, within: ['env', `DISK_BROKEN=${broken}`] } }
}

test('a failed fsync rolls back the unconfirmed changes and rewrites the whole state', {
  timeout: 60_000,
}, async () => {
  const { db, file, folder } = place()
  const { broken, options } = diskOf(folder)
  const running = await child({ db, scenario: file, fsync: true }, options).ready()
  await logOf(db)
  expect((await order(running)).status).toBe(200)
  writeFileSync(broken, '')
  const refused = await Promise.all(Array.from({ length: 20 }, () => order(running)))
  refused.push(await order(running))
  for (const { status, body } of refused) {
    expect(status).toBe(503)
    expect(body.error).toMatch(
      /^The disk did not confirm what was written to .*\.log \(EIO: i\/o error\).*undone/,
    )
  }
  expect(await countServices(running)).toBe(5)
  expect((await running.call<{ credit: number }>('GET', '/api/billing/credit')).body.credit).toBe(999_999.9)

  rmSync(broken)
  let paid = 1
  await expect
    .poll(
      async () => {
        const { status } = await order(running)
        if (status === 200) paid++
        return status
      },
      { timeout: 10_000 },
    )
    .toBe(200)
  expect(await countServices(running)).toBe(4 + paid)
  await running.end('SIGKILL')
  const again = await child({ db }).ready()
  expect(again.errors).toBe('')
  expect(await countServices(again)).toBe(4 + paid)
})

test.skipIf(process.platform !== 'linux')(
  'with --fsync, a change is only acknowledged once the file and its folder are synced',
  { timeout: 60_000 },
  async () => {
    const { folder, file } = place()
    const db = join(folder, 'made', 'for', 'it', 'db.json')
    const { options } = diskOf(folder)
    const running = await child({ db, scenario: file, fsync: true }, options).ready()
    const log = await logOf(db)
    const synced = () =>
      running.errors
        .split('\n')
        .filter((line) => line.startsWith('synced'))
        .map((line) => line.slice(7))
    for (const made of [folder, join(folder, 'made'), join(folder, 'made', 'for')])
      expect(synced(), 'where a folder was made').toContain(made)
    const began = synced()
    const named = began.indexOf(dirname(db))
    expect(began[named - 1], 'the first log, then its name').toBe(`${db}.0.log`)
    const replaced = began.findIndex((name) => name.endsWith('.tmp'))
    expect(began.indexOf(log), 'the next log').toBeLessThan(replaced)
    expect(began.slice(replaced + 1), 'the name of the new file').toContain(dirname(db))
    for (let i = 0; i < 3; i++) {
      const before = synced().length
      expect((await order(running)).status).toBe(200)
      await expect.poll(() => synced().slice(before)).toContain(log)
    }
  },
)

test.each([
  ['became read-only', (folder: string) => chmodSync(folder, 0o555), 'EACCES: permission denied'],
  ['is gone', (folder: string) => rmSync(folder, { recursive: true }), 'ENOENT: no such file or directory'],
])(
  'a folder that %s while in use is reported at the stop, in one line',
  { timeout: 60_000 },
  async (_what, spoil, why) => {
    const outer = place().folder
    chmodSync(outer, 0o777)
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {} // root may write anywhere
    const folder = join(outer, 'folder')
    const db = join(folder, 'db.json')
    const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
    const cli = spawn(process.execPath, ['--import', 'tsx', program, '--port', '0', '--db', db], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...nobody,
    })
    onTestFinished(() => {
      cli.kill('SIGKILL')
      if (existsSync(folder)) chmodSync(folder, 0o755)
    })
    const seen = { out: '', errors: '' }
    cli.stdout.setEncoding('utf8').on('data', (text: string) => (seen.out += text))
    cli.stderr.setEncoding('utf8').on('data', (text: string) => (seen.errors += text))
    await expect.poll(() => /listening at (\S+)/.exec(seen.out), { timeout: 20_000 }).not.toBeNull()
    const [, url = ''] = /listening at (\S+)/.exec(seen.out) ?? []
    await logOf(db)
    const { status } = await fetch(`${url}/__admin/reset`, { method: 'POST' })
    expect(status).toBe(200)
    spoil(folder)
    cli.kill('SIGTERM')
    const [code] = (await once(cli, 'close')) as [number]
    expect(seen.errors.split('\n')).toEqual([expect.stringContaining(why), ''])
    expect(seen.errors).toMatch(/^proxysim: .*db\.json could not be replaced/)
    expect(code).toBe(2)
  },
)
