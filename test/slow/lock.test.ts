import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openFileStorage, type FileStorage } from '../../src/store/file/FileStorage.ts'
import { Child, launchServer } from '../storage/support/Child.ts'
import { createFolder } from '../support/start.ts'

/** Runs a command as the first process of a new process namespace, as in a container. */
const container = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const hasContainers = spawnSync(container[0] as string, [...container.slice(1), 'true']).status === 0

const open = (file: string): Promise<FileStorage> => openFileStorage(file, { warn: () => {} })
const inUse = (file: string, process: string): string =>
  `${file} is in use by another simulator (process ${process}). Stop it, or use another file.`

test('a second process is refused, with the id of the first; a dead one’s lock is taken over immediately', async () => {
  const db = join(createFolder(), 'db.json')
  const first = await Child.start({ db })
  await expect(open(db)).rejects.toThrow(inUse(db, String(first.process.pid)))
  const stderr = expect.stringContaining(inUse(db, String(first.process.pid))) as unknown
  expect(await launchServer({ db }).ended).toMatchObject({ code: 2, stderr })
  expect((await first.call('POST', '/__admin/reset')).status).toBe(200)
  await first.end('SIGKILL')
  const began = performance.now()
  await (await open(db)).close()
  expect(performance.now() - began, 'less than a lock without signs of life takes').toBeLessThan(2500)
  expect(readdirSync(join(db, '..')).filter((name) => name.endsWith('.lock'))).toEqual([])
})

test.skipIf(!hasContainers)('so is one in another container, though both are process 1', async () => {
  const db = join(createFolder(), 'db.json')
  const first = await Child.start({ db }, container)
  for (const within of [container, [...container, '--net', '--uts', '--ipc']]) {
    const stderr = expect.stringContaining(inUse(db, '1')) as unknown
    expect(await launchServer({ db }, within).ended).toMatchObject({ code: 2, stderr })
  }
  await expect(open(db)).rejects.toThrow(inUse(db, '1'))
  expect((await first.call('POST', '/__admin/reset')).status).toBe(200)
})

test.skipIf(!hasContainers)(
  'one that slept while another took its file changes nothing when it wakes',
  async () => {
    const db = join(createFolder(), 'db.json')
    const first = await Child.start({ db }, container)
    const { pid } = first.process
    const inside = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    const order = (of: Child) => of.call<{ serviceId: number }>('POST', '/api/product/101', { clientid: 11 })
    const { serviceId } = (await order(first)).json
    process.kill(inside, 'SIGSTOP')
    const second = await Child.start({ db })
    const late = order(first)
    process.kill(inside, 'SIGCONT')
    expect(await late).toMatchObject({
      status: 503,
      json: { error: expect.stringContaining('another program') },
    })
    expect((await order(first)).status).toBe(503)
    expect((await order(second)).json).toMatchObject({ serviceId: serviceId + 1 })
  },
)

test('a lock of another machine is taken once it gives no sign of life, and so is one that is empty', async () => {
  const db = join(createFolder(), 'db.json')
  const lock = `${db}.0123456789ab.lock`
  writeFileSync(lock, '{"pid":4194303,"host":"elsewhere","pidNamespace":"elsewhere"}')
  const heart = setInterval(() => utimesSync(lock, 0, performance.now()), 100)
  await expect(open(db)).rejects.toThrow(inUse(db, '4194303 on elsewhere'))
  clearInterval(heart)
  writeFileSync(lock, '') // as if its owner had been killed while writing it
  const taken = await open(db)
  const [own = ''] = readdirSync(join(db, '..'))
  const touched = (): number => statSync(join(db, '..', own)).mtimeMs
  const idle = touched()
  await sleep(1200)
  expect(touched(), 'nobody wants the lock').toBe(idle)
  writeFileSync(lock, '')
  await expect.poll(touched).toBeGreaterThan(idle)
  await taken.close()
  expect(readdirSync(join(db, '..'))).toEqual([basename(lock)])
})

test('a lock of a dead owner that can’t be removed is named', async () => {
  const db = join(createFolder(), 'db.json')
  const lock = `${db}.0123456789ab.lock`
  mkdirSync(lock) // like a lock of another user in a sticky folder, but also for root
  await expect(open(db)).rejects.toThrow(
    `${db} is locked by ${lock}. Its owner no longer runs, but the lock can't be removed (`,
  )
  expect(readdirSync(join(db, '..'))).toEqual([basename(lock)])
})

/** Writes a lock of this process with changed fields. */
async function leaveLock(
  edit: (owner: { started: string; pidNamespace: string }) => object,
): Promise<string> {
  const db = join(createFolder(), 'db.json')
  const log = await open(db)
  const [name = ''] = readdirSync(join(db, '..'))
  const lock = join(db, '..', name)
  const owner = JSON.parse(readFileSync(lock, 'utf8')) as { started: string; pidNamespace: string }
  await log.close()
  writeFileSync(lock, JSON.stringify({ ...owner, ...edit(owner) }))
  return db
}

test('a lock of a process whose id is used again is taken at once', async () => {
  const db = await leaveLock(({ started }) => ({ started: `${Number(started) - 1}` }))
  const began = performance.now()
  await (await open(db)).close()
  expect(performance.now() - began, 'less than a lock without signs of life takes').toBeLessThan(2500)
  expect(readdirSync(join(db, '..'))).toEqual([])
})

test('a lock from before the machine was restarted is taken', async () => {
  const db = await leaveLock(({ pidNamespace }) => ({ pidNamespace: `earlier ${pidNamespace}` }))
  await (await open(db)).close()
  expect(readdirSync(join(db, '..'))).toEqual([])
})

test.skipIf(!hasContainers)(
  'a container that was killed starts again, with the same process id',
  async () => {
    const db = join(createFolder(), 'db.json')
    for (let i = 0; i < 2; i++) await (await Child.start({ db }, container)).end('SIGKILL')
    expect((await (await Child.start({ db }, container)).call('POST', '/__admin/reset')).status).toBe(200)
  },
)

test('of many that start at once, exactly one gets the file', async () => {
  for (let round = 0; round < 3; round++) {
    const db = join(createFolder(), 'db.json')
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => open(db)))
    const winners = outcomes.filter((one) => one.status === 'fulfilled')
    const reasons = outcomes
      .filter((one) => one.status === 'rejected')
      .map(({ reason }) => (reason as Error).message)
    expect(winners).toHaveLength(1)
    expect(new Set(reasons)).toEqual(new Set([inUse(db, String(process.pid))]))
    await winners[0]?.value.close()
  }
})
