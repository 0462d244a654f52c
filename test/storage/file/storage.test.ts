import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileStorage } from '../../../src/storage/file/fileStorage.ts'
import type { Storage } from '../../../src/storage/Storage.ts'
import type { State } from '../../../src/state/State.ts'
import { Store } from '../../../src/state/Store.ts'
import type { World } from '../../../src/world/World.ts'
import { folder, start, type Started } from '../../support/start.ts'
import { scenarioWith } from '../../support/scenario.ts'

const rich = scenarioWith({ credit: 100_000 })

async function credit({ call }: Started): Promise<number> {
  return (await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit
}

async function order({ call }: Started): Promise<number> {
  return (await call('POST', '/api/product/101', { body: { clientid: 11 } })).status
}

/** Copies the files as they are at this moment, as a kill would leave them; the lock of a dead process is no lock. */
function copyOf(source: string): string {
  const copy = folder()
  for (const name of readdirSync(source))
    if (!name.endsWith('.tmp') && !name.includes('.lock')) copyFileSync(join(source, name), join(copy, name))
  return join(copy, 'db.json')
}

/** Name → bytes of all files, but the lock. */
function contents(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path)
      .filter((name) => !name.includes('.lock') && statSync(join(path, name)).isFile())
      .map((name) => [name, readFileSync(join(path, name), 'latin1')]),
  )
}

describe('a start with a file', () => {
  it('resumes what the file holds', async () => {
    const db = join(folder(), 'sub', 'folder', 'db.json')
    const first = await start({ db, scenario: rich })
    expect(await order(first)).toBe(200)
    await first.call('PUT', '/api/service/5001', { body: { setip: '192.0.2.20' } })
    const state = structuredClone(first.simulation.store.state)
    await first.close()
    expect(readdirSync(join(db, '..'))).toEqual(['db.json'])

    const second = await start({ db })
    expect(second.simulation.store.state).toEqual(state)
    expect(await credit(second)).toBe(99_980)
    const { headers } = await second.call('PUT', '/api/service/5006', { body: { setip: '192.0.2.20' } })
    expect(headers['sim-case']).toBe('ip-already-bound')
    expect(await order(second)).toBe(200)
  })

  it('starts afresh where a scenario is named', async () => {
    const db = join(folder(), 'db.json')
    const first = await start({ db, scenario: rich })
    await order(first)
    await first.close()
    const second = await start({ db, scenario: rich })
    expect(await credit(second)).toBe(100_000)
    await second.close()
    const third = await start({ db })
    expect(await credit(third)).toBe(100_000)
  })

  it('remembers which scenario a reset goes back to', async () => {
    const db = join(folder(), 'db.json')
    const first = await start({ db, scenario: rich })
    await order(first)
    await first.close()
    const second = await start({ db })
    await second.simulation.reset()
    expect(await credit(second)).toBe(100_000)
    const third = await start({ db: copyOf(join(db, '..')) })
    expect(await credit(third)).toBe(100_000)
  })
})

describe('a change that was answered', () => {
  it('is there after a kill at any moment', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    for (let orders = 1; orders <= 5; orders++) {
      expect(await order(running)).toBe(200)
      const resumed = await start({ db: copyOf(path) })
      expect(resumed.simulation.store.state).toEqual(running.simulation.store.state)
      expect(await credit(resumed)).toBe(100_000 - orders * 20)
      await resumed.close()
    }
  })

  it('is there when many come at once', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    await Promise.all(Array.from({ length: 100 }, () => order(running)))
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(98_000)
    expect(resumed.simulation.store.state).toEqual(running.simulation.store.state)
  })

  it('is there with fsync too', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich, fsync: true })
    await Promise.all(Array.from({ length: 20 }, () => order(running)))
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(99_600)
  })

  it('is there when it is a reset', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    await order(running)
    await running.simulation.reset()
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(100_000)
    expect(resumed.simulation.store.state.accounts['reseller']?.services).not.toHaveProperty('5007')
  })
})

it('is there soon after a first start, not only when the log has grown', async () => {
  const db = join(folder(), 'db.json')
  await start({ db, scenario: 'default' })
  await expect.poll(() => existsSync(db)).toBe(true)
})

describe('a file that is not ours', () => {
  it('is left alone where a log would be, too', async () => {
    const db = join(folder(), 'db.json')
    writeFileSync(`${db}.0.log`, 'my own log\n')
    await expect(start({ db })).rejects.toThrow('does not begin like a change log')
    expect(readFileSync(`${db}.0.log`, 'utf8')).toBe('my own log\n')
  })

  it.each([
    ['foreign JSON', '{"posts":[]}', 'not a state of this program'],
    ['an array', '[]', 'not a state of this program'],
    ['null', 'null', 'not a state of this program'],
    ['no JSON', 'hello', 'not whole JSON'],
    ['nothing', '', 'not whole JSON'],
    ['half of ours', '{"format":"proxysim-state","version":1,"gener', 'not whole JSON'],
    [
      'another version',
      '{"format":"proxysim-state","version":2,"generation":0,"state":{}}',
      'version 2, this program reads version 1',
    ],
    [
      'ours without a state',
      '{"format":"proxysim-state","version":1,"generation":0,"state":{}}',
      'parts of it are missing',
    ],
    ['bytes', '\u0000\u0001\u0002', 'not whole JSON'],
  ])('is refused and left alone: %s', async (_what, text, why) => {
    const path = folder()
    const db = join(path, 'db.json')
    writeFileSync(db, text)
    for (const scenario of [undefined, 'default']) {
      const refused = start({ db, ...(scenario !== undefined && { scenario }) })
      await expect(refused).rejects.toThrow(why)
      await expect(refused).rejects.toThrow(db)
      await expect(refused).rejects.toThrow('--db')
    }
    expect(contents(path)).toEqual({ 'db.json': text })
    expect(readdirSync(path)).toEqual(['db.json'])
  })

  it('is refused where it is a folder, or lies in none', async () => {
    const path = folder()
    mkdirSync(join(path, 'db.json'))
    writeFileSync(join(path, 'file'), '')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow("can't be read (EISDIR")
    await expect(start({ db: join(path, 'file', 'db.json') })).rejects.toThrow("can't be made")
    expect(readdirSync(path).toSorted()).toEqual(['db.json', 'file'])
  })

  it('is refused where its log is a folder', async () => {
    const path = folder()
    mkdirSync(join(path, 'db.json.0.log'))
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow("can't be used (EISDIR")
    expect(readdirSync(path)).toEqual(['db.json.0.log'])
  })

  it("is refused where its log is somebody else's", async () => {
    const path = folder()
    writeFileSync(join(path, 'db.json.0.log'), '{"posts":[]}\n')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow('is no state')
    expect(contents(path)).toEqual({ 'db.json.0.log': '{"posts":[]}\n' })
  })

  it('is refused where the log of a lost file is all that is left', async () => {
    const path = folder()
    writeFileSync(join(path, 'db.json.3.log'), '')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow('db.json is missing, but its log')
    expect(contents(path)).toEqual({ 'db.json.3.log': '' })
  })
})

describe('a file is for one process', () => {
  it('refuses a second one, which leaves it alone', async () => {
    const path = folder()
    const db = join(path, 'db.json')
    await (await start({ db, scenario: rich })).close()
    const first = await start({ db })
    await order(first)
    symlinkSync(db, join(path, 'link.json'))
    for (const name of ['db.json', './db.json', 'link.json'])
      await expect(start({ db: `${path}/${name}` })).rejects.toThrow(
        `is in use by another simulator (process ${process.pid})`,
      )
    expect(await order(first)).toBe(200)
    await first.close()
    expect(await credit(await start({ db }))).toBe(99_960)
  })

  it.each([
    ['a dead process', () => JSON.stringify({ pid: spawnSync('true').pid, started: '1' })],
    ['another one with the same number', () => JSON.stringify({ pid: process.pid, started: '1' })],
    ['nobody', () => 'not json'],
    ['nothing', () => ''],
  ])('takes over a lock of %s', async (_what, lock) => {
    const path = folder()
    writeFileSync(join(path, 'db.json.lock'), lock())
    const running = await start({ db: join(path, 'db.json') })
    expect((await running.call('GET', '/api/services')).status).toBe(200)
    await running.close()
    expect(readdirSync(path)).toEqual(['db.json'])
  })
})

/** A small state; its changes are those of `touch`. */
function smallState(): State {
  return {
    scenario: { name: 'small', document: { description: 'Small.', accounts: {} } },
    accounts: { a: { credit: 0, services: {}, next: {} } as unknown as World },
  }
}

interface Opened {
  storage: Storage
  store: Store
  warnings: string[]
  /** Sets the credit, and adds a record of that number. */
  touch: (i: number) => void
}

async function open(file: string, minLogBytes = 1024 * 1024): Promise<Opened> {
  const warnings: string[] = []
  const storage = await openFileStorage(file, {
    fsync: false,
    minLogBytes,
    warn: (text) => warnings.push(text),
  })
  const store = new Store(storage.found ?? smallState(), storage)
  await store.flushed()
  const touch = (i: number): void => {
    const world = store.world('a') as World
    const record = { username: `u${i}`, password: 'x'.repeat(50) } as World['services'][string]
    store.change('a', world, { credit: i, services: { [i]: record, [i - 3]: null } })
  }
  return { storage, store, warnings, touch }
}

describe('a log', () => {
  /** Files of a run that was killed after three changes. */
  async function killed(): Promise<{ path: string; file: string; log: string }> {
    const path = folder()
    const first = await open(join(path, 'db.json'))
    await first.store.close()
    const { store, touch } = await open(join(path, 'db.json'))
    for (const i of [1, 2, 3]) touch(i)
    await store.flushed()
    const file = copyOf(path)
    await store.close()
    const copied = join(file, '..')
    const log = readdirSync(copied).find((name) => name.endsWith('.log')) ?? ''
    return { path: copied, file, log: join(copied, log) }
  }

  it('with a torn last line loses that line, says so, and is mended', async () => {
    const { file, log } = await killed()
    const whole = readFileSync(log)
    expect(whole.toString().trimEnd().split('\n')).toHaveLength(3)
    for (const cut of [1, 2, 20]) {
      writeFileSync(log, whole.subarray(0, -cut))
      const { store, warnings } = await open(file)
      expect(store.world('a')?.credit).toBe(2)
      expect(warnings).toEqual([expect.stringContaining(`The last line of ${log} was torn`)])
      await store.close()
      const again = await open(file)
      expect(again.store.world('a')?.credit).toBe(2)
      expect(again.warnings).toEqual([])
      await again.store.close()
      // as before the next cut
      rewrite(file, log, whole)
    }
  })

  /** Puts the log back as it was: the file is the one it was made beside. */
  function rewrite(file: string, log: string, bytes: Buffer): void {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { generation: number; state: State }
    const generation = Number(/\.(\d+)\.log$/.exec(log)?.[1])
    writeFileSync(file, JSON.stringify({ ...stored, generation, state: smallState() }))
    writeFileSync(log, bytes)
  }

  it('with a broken line amid others is refused and left alone', async () => {
    const { path, file, log } = await killed()
    const lines = readFileSync(log, 'utf8').split('\n')
    for (const broken of ['{"accounts":{"a":', 'null', '5', '[1]', '']) {
      writeFileSync(log, [lines[0], broken, lines[2], ''].join('\n'))
      const before = contents(path)
      await expect(open(file)).rejects.toThrow(`${log}:2 is broken, and lines come after it`)
      expect(contents(path)).toEqual(before)
      expect(existsSync(`${file}.lock`)).toBe(false)
    }
  })

  it('goes on after a reset that was torn', async () => {
    const { file, log } = await killed()
    const text = readFileSync(log, 'utf8')
    const reset = JSON.stringify([{ scenario: null, accounts: null }, smallState()])
    writeFileSync(log, text + reset.slice(0, -10))
    const { store, touch } = await open(file)
    expect(store.world('a')?.credit).toBe(3)
    touch(4)
    await store.flushed()
    const again = await open(copyOf(join(file, '..')))
    expect(again.store.world('a')?.credit).toBe(4)
    expect(again.store.world('a')?.services).toHaveProperty('2')
    await again.store.close()
    await store.close()
  })
})

function generationOf(file: string): number {
  return (JSON.parse(readFileSync(file, 'utf8')) as { generation: number }).generation
}

describe('the replacing of the file', () => {
  it('while changes go on loses nothing and leaves nothing over', async () => {
    const path = folder()
    const file = join(path, 'db.json')
    const { store, touch } = await open(file, 2000)
    const generations = new Set<number>()
    for (let i = 1; i <= 2000; i++) {
      touch(i)
      if (i % 7 === 0) await store.flushed()
      if (i % 100 !== 0) continue
      await store.flushed()
      const copy = copyOf(path)
      const resumed = await open(copy)
      expect(resumed.store.state).toEqual(store.state)
      await resumed.store.close()
      generations.add(generationOf(copy))
    }
    expect(generations.size).toBeGreaterThan(3)
    const state = structuredClone(store.state)
    await store.close()
    expect(readdirSync(path)).toEqual(['db.json'])
    const resumed = await open(file)
    expect(resumed.store.state).toEqual(state)
    await resumed.store.close()
  })

  it('comes only when the log has outgrown the file', async () => {
    const path = folder()
    const file = join(path, 'db.json')
    const { store } = await open(file, 100)
    await expect.poll(() => existsSync(file)).toBe(true)
    const world = store.world('a') as World
    const large = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [i, { username: `user ${i}` } as World['services'][string]]),
    )
    store.change('a', world, { services: large })
    await store.flushed()
    await expect.poll(() => statSync(file).size).toBeGreaterThan(40_000)
    const generation = generationOf(file)
    for (let i = 0; i < 200; i++) {
      store.change('a', world, { credit: i })
      await store.flushed()
    }
    expect(generationOf(file)).toBe(generation)
    await store.close()
  })

  /** The file, its log, and the log of the changes made while it was replaced. */
  async function crashed(): Promise<{
    file: string
    /** Of the old file */
    generation: number
    old: string
    logs: [string, string]
    replaced: string
    state: State
  }> {
    const path = folder()
    const file = join(path, 'db.json')
    const first = await open(file)
    await first.store.close()
    const old = readFileSync(file, 'utf8')
    const generation = generationOf(file)

    const second = await open(file)
    for (const i of [1, 2, 3, 4]) second.touch(i)
    await second.store.flushed()
    const firstLog = readFileSync(`${file}.${generation}.log`, 'utf8')
    for (const i of [5, 6, 7]) second.touch(i)
    await second.store.flushed()
    const secondLog = readFileSync(`${file}.${generation}.log`, 'utf8').slice(firstLog.length)
    const state = structuredClone(second.store.state)
    const replaced = JSON.stringify({ ...(JSON.parse(old) as object), generation: generation + 1, state })
    await second.store.close()
    const copy = join(folder(), 'db.json')
    return { file: copy, generation, old, logs: [firstLog, secondLog], replaced, state }
  }

  it.each([
    ['before the next log', { second: false, replaced: false, firstGone: false, draft: false }],
    ['after the next log was begun', { second: true, replaced: false, firstGone: false, draft: false }],
    ['amid the writing', { second: true, replaced: false, firstGone: false, draft: true }],
    ['before the last log was removed', { second: true, replaced: true, firstGone: false, draft: false }],
    ['at the end', { second: true, replaced: true, firstGone: true, draft: false }],
  ])('survives a kill %s', async (_when, { second, replaced, firstGone, draft }) => {
    const made = await crashed()
    const { generation } = made
    const [firstLog, secondLog] = made.logs
    writeFileSync(made.file, replaced ? made.replaced : made.old)
    if (!firstGone) writeFileSync(`${made.file}.${generation}.log`, second ? firstLog : firstLog + secondLog)
    if (second) writeFileSync(`${made.file}.${generation + 1}.log`, secondLog)
    if (draft) writeFileSync(`${made.file}.4242.tmp`, made.replaced.slice(0, 100))
    const { store, warnings } = await open(made.file)
    expect(store.state).toEqual(made.state)
    expect(warnings).toEqual([])
    await store.close()
    expect(readdirSync(join(made.file, '..'))).toEqual(['db.json'])
    const again = await open(made.file)
    expect(again.store.state).toEqual(made.state)
    await again.store.close()
  })

  it('survives a last line that is torn while the next log is still empty', async () => {
    const made = await crashed()
    const { generation } = made
    writeFileSync(made.file, made.old)
    writeFileSync(`${made.file}.${generation}.log`, `${made.logs[0]}{"accounts":{"a"`)
    writeFileSync(`${made.file}.${generation + 1}.log`, '')
    const { store, warnings, touch } = await open(made.file)
    expect(store.world('a')?.credit).toBe(4)
    expect(warnings).toHaveLength(1)
    touch(5)
    await store.close()
    const again = await open(made.file)
    expect(again.store.world('a')?.credit).toBe(5)
    await again.store.close()
  })
})
