import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../src/server.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { openFileStorage } from '../../../src/store/file/FileStorage.ts'
import { LocalStore } from '../../../src/store/LocalStore.ts'
import type { State } from '../../../src/store/State.ts'
import { StorageError } from '../../../src/store/StorageError.ts'
import { worldFromJson } from '../../../src/world/change.ts'
import type { World, WorldData } from '../../../src/world/World.ts'
import { createFolder } from '../../support/start.ts'
import { run } from '../support/simulators.ts'

const contract = await loadContract()
const records = { clients: {}, products: {}, services: {}, invoices: {} }
const account = {
  version: 0,
  origin: { load: 0 },
  clock: { offset: 0 },
  credit: 0,
  password: 'Ünïcödé 🙂',
  ...records,
}
const world = (part: object): World => worldFromJson({ ...account, ...part } as unknown as WorldData)
const small: State = {
  scenario: { name: 'small', document: { description: 'Small.', accounts: {} } },
  accounts: new Map([['a', world({})]]),
}
const newFile = (): string => join(createFolder(), 'db.json')

/** The files of a simulator that isn't running. */
async function open(file: string, minLogBytes = 1e9) {
  const warnings: string[] = []
  const log = await openFileStorage(file, { warn: (text) => warnings.push(text), minLogBytes })
  const { savedState: found } = log
  const store = await LocalStore.open(found ?? small, { contract, journal: 10, storage: log })
  return {
    warnings,
    store,
    pay: async (credit: number) => store.transact('a', () => ({ value: undefined, change: { credit } })),
    credit: async () => (await store.world('a'))?.credit,
  }
}

/** Opens and closes a state file. @returns its credit */
async function creditIn(file: string): Promise<number | undefined> {
  const { credit, store } = await open(file)
  const held = await credit()
  await store.close()
  return held
}

/** A state file and a log that both contain changes, as after a kill. */
async function killed(changes = 20) {
  const path = newFile()
  const first = await open(path)
  await first.pay(1)
  await first.store.close()
  const second = await open(path)
  for (let i = 2; i <= changes; i++) await second.pay(i)
  const file = copyFile(path)
  await second.store.close()
  return { file, log: `${file}.log`, closed: path }
}

function copyFile(file: string): string {
  const copy = newFile()
  for (const name of ['', '.log']) if (existsSync(file + name)) copyFileSync(file + name, copy + name)
  return copy
}

/** Continues with a file, in a new account. */
async function forkInto(file: string, log: string): Promise<void> {
  const { store } = await open(file)
  await store.create('b', world({}))
  await store.transact('b', () => ({ value: undefined, change: { credit: 3 } }))
  copyFileSync(`${file}.log`, log)
}

const isLock = (name: string): boolean => name.endsWith('.lock')

/** The files in the folder, without locks. */
function contents(file: string): Record<string, string> {
  const names = readdirSync(dirname(file)).filter((name) => !isLock(name))
  return Object.fromEntries(
    names.map((name) => {
      const path = join(dirname(file), name)
      return [name, statSync(path).isFile() ? readFileSync(path, 'latin1') : 'a folder']
    }),
  )
}

test('a byte that changed is found wherever it is, and nothing is overwritten', {
  timeout: 240_000,
}, async () => {
  const { file, log } = await killed(4)
  for (const target of [file, log]) {
    const bytes = readFileSync(target)
    for (let at = 0; at < bytes.length; at += at < bytes.length - 5 ? 5 : 1) {
      const other = [(bytes[at] as number) ^ 1, 0x0a, 0x22][at % 3] as number
      if (other === bytes[at]) continue
      const changed = Buffer.from(bytes)
      changed[at] = other
      writeFileSync(target, changed)
      const opening = openFileStorage(file, { warn: () => {} })
      await expect(opening, `${basename(target)}, byte ${at}`).rejects.toThrow(StorageError)
      expect(readFileSync(target).equals(changed)).toBe(true)
    }
    writeFileSync(target, bytes)
  }
  expect(await creditIn(file)).toBe(4)
})

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')))
const replace = (path: string, from: string, to: string): void =>
  edit(path, (text) => text.replace(from, () => to))
const lines = (path: string, change: (all: string[]) => string[]): void =>
  edit(path, (text) => change(text.split('\n')).join('\n'))

test.each<[what: string, why: RegExp, spoil: (file: string, log: string) => unknown]>([
  [
    'is another program’s',
    /^[^(]*db\.json can't be used: it was not written by proxysim/,
    (file) => writeFileSync(file, '{"mine":1}'),
  ],
  ['is cut off', /it is not valid JSON: unexpected end at position 100 /, (file) => truncateSync(file, 100)],
  [
    'was edited',
    /its checksum is wrong, so it is damaged or was edited, but not after a clean stop/,
    (file) => replace(file, '"credit":1', '"credit":2'),
  ],
  ['has another format', /format version 2/, (file) => replace(file, '"version":7', '"version":2')],
  [
    'is a folder',
    /it is a folder, not a regular file\. Name a file in it, such as .*db\.json\/db\.json\./,
    (file) => [rmSync(file), mkdirSync(file)],
  ],
  ['is missing', /it is the log of .*db\.json, which is missing/, (file) => rmSync(file)],
  ['lost its log', /its log .*db\.json\.log is missing/, (_, log) => rmSync(log)],
  [
    'lacks a line',
    /log:4 is damaged, or a line before it is missing/,
    (_, log) => lines(log, (all) => all.toSpliced(3, 1)),
  ],
  [
    'has half a line',
    /log:3 is damaged.*truncate it to \d+ bytes/,
    (_, log) => lines(log, (all) => all.with(2, 'x')),
  ],
  [
    'lacks its last line',
    /log is damaged at its end: changes after change 19 are missing.*truncate it to \d+ bytes/,
    (_, log) => lines(log, (all) => all.toSpliced(-2, 1)),
  ],
  [
    'has a log with NUL bytes',
    /log has NUL bytes, as after a power failure, .*truncate it to \d+ bytes/,
    (_, log) => edit(log, (text) => `${text.slice(0, -50)}${'\0'.repeat(50)}`),
  ],
  [
    'went on without its log',
    /log can't be used: it belongs to another file/,
    async (file, log) => {
      const { closed } = await killed(2)
      const other = copyFile(closed)
      await forkInto(closed, log)
      const { pay, store } = await open(other)
      await pay(3)
      await store.close()
      await open(other)
      copyFileSync(other, file)
    },
  ],
  [
    'has the log of another file',
    /log can't be used: it belongs to another file/,
    async (_, log) => copyFileSync((await killed()).log, log),
  ],
])('a file that %s is refused, and left as it is', async (_what, why, spoil) => {
  const { file, log } = await killed()
  await spoil(file, log)
  const before = contents(file)
  await expect(open(file)).rejects.toThrow(why)
  expect(contents(file)).toEqual(before)
})

test('a log that was cut off anywhere loses the lines after it, and a warning says so', async () => {
  const { file, log } = await killed(5)
  const bytes = readFileSync(log)
  const whole = bytes.lastIndexOf('\n', bytes.length - 4) + 1
  const cuts: [length: number, credit: number, warning: RegExp][] = [
    [bytes.length - 1, 5, /^The end mark of .* is missing.*changes after change 5 are missing/],
    [bytes.length - 2, 5, /^The end mark of .* is missing.*changes after change 5 are missing/],
    [bytes.length - 3, 4, /incomplete \(\d+ bytes\) and was dropped.*changes after change 4 are missing/],
    [whole + 20, 4, /incomplete \(20 bytes\) and was dropped.*changes after change 4 are missing/],
    [whole + 1, 4, /incomplete \(1 bytes\)/],
    [whole, 4, /^The end mark of .* is missing.*changes after change 4 are missing/],
  ]
  for (const [length, left, warning] of cuts) {
    const copy = copyFile(file)
    truncateSync(`${copy}.log`, length)
    const { credit, pay, store, warnings } = await open(copy)
    expect(await credit()).toBe(left)
    expect(warnings).toEqual([expect.stringMatching(warning)])
    await pay(9)
    await store.close()
    expect(await creditIn(copy)).toBe(9)
  }
})

test('the file is rewritten while changes go on, and any partial state after a crash is valid', async () => {
  const file = newFile()
  const { pay, store, warnings } = await open(file, 2000)
  const copies: [string, number][] = []
  let answered = 0
  for (let i = 1; i <= 300; i++) {
    const paying = pay(i).then(() => (answered = i))
    if (i % 3 === 0) await paying
    if (i % 10 === 0) copies.push([copyFile(file), answered])
  }
  const paying = async () => pay(301).then(() => statSync(`${file}.log`).size)
  await expect.poll(paying).toBeLessThan(2500)
  for (const [copy, least] of copies) expect(await creditIn(copy)).toBeGreaterThanOrEqual(least)
  await store.close()
  expect(warnings).toEqual([])
  expect(Object.keys(contents(file))).toEqual(['db.json'])
  expect(await creditIn(file)).toBe(301)
})

type Spoil = (file: string) => unknown
const removeLocks: Spoil = (file) =>
  readdirSync(dirname(file))
    .filter(isLock)
    .forEach((name) => rmSync(join(dirname(file), name)))
const replaceFile = (path: string): void =>
  [copyFileSync(path, `${path}.x`), renameSync(`${path}.x`, path)].at(1)

/** What happens to the files while they are in use, and where a clean stop saves the state; undefined if it need not */
test.each<[what: string, spoil: Spoil, saved?: string]>([
  ['the log is removed', (file) => rmSync(`${file}.log`), ''],
  ['the log is written to', (file) => writeFileSync(`${file}.log`, 'x', { flag: 'a' }), '.saved'],
  ['the log is truncated', (file) => truncateSync(`${file}.log`), '.saved'],
  ['the file is removed', (file) => rmSync(file), ''],
  ['the file is replaced', (file) => replaceFile(file), '.saved'],
  ['the file is edited', (file) => replace(file, '"credit":0', '"credit":7'), '.saved'],
  ['the folder is moved away', (file) => renameSync(dirname(file), join(createFolder(), 'away')), ''],
  ['the lock is removed', removeLocks],
])('once %s, changes are refused, and a clean stop saves the state', async (_what, spoil, saved) => {
  const file = newFile()
  const { pay, credit, store, warnings } = await open(file)
  await pay(1)
  expect(store.health()).toEqual({ warnings: [] })
  spoil(file)
  const names = (): string[] => readdirSync(dirname(file)).filter((name) => !isLock(name))
  const before = existsSync(dirname(file)) ? contents(file) : {}
  const stale = store.read('a')
  const late = store.transact('a', () => ({ value: 1, change: { credit: 9 } }), {
    arrivedIn: stale,
  })
  const paying = [pay(2), pay(3), store.remove('a')]
  const read = credit()
  const interference = /was removed or changed by another program while it was in use|lost its lock/
  for (const one of [...paying, late, store.replace(small)]) await expect(one).rejects.toThrow(interference)
  expect(store.health().problem).toMatch(interference)
  expect(await read, 'unsaved changes are never shown').toBe(1)
  const failure = await store.close().then(() => '', String)
  expect(failure).toMatch(
    [/^$/, /The state was saved to \S*db\.json\.saved/, interference][
      saved === '' ? 0 : saved ? 1 : 2
    ] as RegExp,
  )
  expect(contents(file)).toMatchObject(saved === '' ? {} : before)
  expect(names().filter((name) => name.includes('saved'))).toHaveLength(saved ? 1 : 0)
  expect(await creditIn(file.concat(saved ?? ''))).toBe(1)
  expect(warnings.join()).toMatch(saved === '' && !before['db.json'] ? /was saved there again/ : /^$/)
})

test('changes of one turn are sent in order', async () => {
  const file = newFile()
  const { pay, credit, store } = await open(file)
  const told: string[] = []
  store.on(({ type }) => told.push(type))
  await Promise.all([pay(1), store.replace(small), pay(2), pay(3)])
  expect(told).toEqual(['change', 'reset', 'change', 'change'])
  expect(await credit()).toBe(3)
  await store.replace({ ...small, accounts: new Map([['z', world({})]]) })
  expect(await (await open(copyFile(file))).store.logins()).toEqual(['z'])
  await store.close()
})

/** Makes a function of `node:fs` fail, until the test ends or the returned function is called. */
function failing(
  name: 'fsyncSync' | 'openSync' | 'ftruncateSync' | 'writeSync',
  fails: (target: unknown) => boolean,
  code = 'EIO',
) {
  const original = fs[name] as (...args: unknown[]) => unknown
  const restore = (): void => {
    Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
  const replacement = (...args: unknown[]): unknown => {
    if (fails(args[0])) throw Object.assign(new Error(`${code}: i/o error, ${name}`), { code })
    return original(...args)
  }
  Object.assign(fs, { [name]: replacement })
  syncBuiltinESMExports()
  onTestFinished(restore)
  return restore
}

const isFolder = (target: unknown): boolean =>
  (typeof target === 'number'
    ? fs.fstatSync(target)
    : statSync(target as string, { throwIfNoEntry: false })
  )?.isDirectory() === true

test('a start that cannot write says so', async () => {
  const { file } = await killed(5)
  failing('fsyncSync', () => true)
  await expect(open(file)).rejects.toThrow(
    /^\S*db\.json can't be written \(the folder \S* can't be synced: EIO: .*\)\. Use another file\.$/,
  )
  expect(Object.keys(contents(file)), 'no draft is left').toEqual(['db.json', 'db.json.log'])
  failing('fsyncSync', () => true, 'ENOSPC')
  await expect(open(newFile())).rejects.toThrow(/Free disk space, or use another file\.$/)
  failing('openSync', () => true, 'EACCES')
  await expect(open(newFile())).rejects.toThrow(/Check the permissions, or use another file\.$/)
})

test("a write that fails, and can't be undone at once either, is undone by the next one", async () => {
  const file = newFile()
  const { pay, credit, store } = await open(file)
  await pay(1)
  let partial = 0
  const restore = [
    failing('ftruncateSync', () => true),
    failing('writeSync', (target) => {
      if (partial++ === 0)
        fs.writeFileSync(`/dev/fd/${String(target)}`, 'half a line of the log'.repeat(20), { flag: 'a' })
      return true
    }),
  ]
  await expect(pay(2)).rejects.toThrow(/could not be written .*EIO.*Nothing was changed/)
  expect(store.health().problem).toMatch(
    /log can't be written \(EIO: .*\)\. Changes are refused\. Check the disk\.$/,
  )
  for (const one of restore) one()
  expect(store.health()).toEqual({ warnings: [] })
  expect(await credit()).toBe(1)
  await pay(3)
  expect(await creditIn(copyFile(file))).toBe(3)
  await store.close()
})

test('a process that was stopped while another one took over the file writes nothing into it', async () => {
  const file = newFile()
  const stopped = await open(file, 1)
  const accounts = new Map(Array.from({ length: 50 }, (_, i) => [`a${i}`, world({})]))
  const removeLock = (): void => {
    for (const name of readdirSync(dirname(file)).filter(isLock)) rmSync(join(dirname(file), name))
  }
  await stopped.store.replace({ ...small, accounts: new Map([...accounts, ['a', world({})]]) }) // begins to rewrite the file
  removeLock() // as a process does that finds no sign of life
  const next = await open(file)
  await next.pay(7)
  await expect.poll(() => stopped.warnings).toEqual([expect.stringContaining('db.json lost its lock')])
  await expect(stopped.pay(8)).rejects.toThrow('lost its lock')
  await expect(stopped.store.close()).rejects.toThrow('lost its lock')
  expect(Object.keys(contents(file))).toEqual(['db.json', 'db.json.log'])
  expect(await creditIn(copyFile(file))).toBe(7)
  await next.store.close()
  expect(await creditIn(file)).toBe(7)
})

test('a backup opens like the file that it is of', async () => {
  const { file } = await killed()
  const log = await openFileStorage(file, { warn: () => {} })
  const other = `${file}.y`
  writeFileSync(other, 'of somebody else')
  symlinkSync(other, `${file}.bak`)
  expect(log.backUp()).toBe(`${file}.bak`)
  expect(readFileSync(other, 'utf8')).toBe('of somebody else')
  const backup = readFileSync(`${file}.bak`, 'utf8')
  expect(backup).toMatch(/^{"format":"proxysim-state","version":7,/)
  const restore = failing('fsyncSync', () => true)
  expect(() => log.backUp()).toThrow(/\.bak can't be written \(EIO: .*\)/)
  restore()
  expect(readFileSync(`${file}.bak`, 'utf8'), 'the earlier backup is whole').toBe(backup)
  renameSync(`${file}.bak`, `${file}.x`)
  mkdirSync(`${file}.bak`)
  expect(() => log.backUp()).toThrow(
    /\.bak can't be written \(EISDIR: .*\)\. Nothing was changed\. Move that folder away, or use another file\.$/,
  )
  await log.close()
  expect(await creditIn(`${file}.x`)).toBe(20)
})

test('a link leads to the file; a circle of links is refused', async () => {
  const [file, link, circle] = [newFile(), newFile(), newFile()]
  const { store } = await open(file)
  symlinkSync(file, link)
  await expect(open(link)).rejects.toThrow('is in use by another simulator')
  await store.close()
  symlinkSync(circle, circle)
  await expect(open(circle)).rejects.toThrow(/can't be used \(ELOOP: [a-z ]+\)\. Use another file\./)
})

test('a state replaced by a load or reset can be restored after a kill and after a stop', async () => {
  const file = newFile()
  const { pay, store } = await open(file)
  await pay(7)
  await store.replace({ ...small, accounts: new Map([['a', world({ credit: 1 })]]) })
  const restored = async (path: string) => {
    const again = await open(path)
    const snapshots = again.store.snapshots()
    await again.store.restore('before-load')
    const credit = await again.credit()
    await again.store.close()
    return { credit, snapshots: JSON.stringify(snapshots) }
  }
  const before = JSON.stringify(store.snapshots())
  expect(await restored(copyFile(file))).toEqual({ credit: 7, snapshots: before })
  await store.replaceAccount('a', world({ credit: 2 }))
  const one = JSON.stringify(store.snapshots())
  expect(await restored(copyFile(file))).toEqual({ credit: 1, snapshots: one })
  await store.close()
  const closed = copyFile(file)
  expect(await restored(closed)).toEqual({ credit: 1, snapshots: one })
  expect(await creditIn(closed)).toBe(1)
})

test('the health check warns until the file can be rewritten again', async () => {
  const file = newFile()
  const { pay, store, warnings } = await open(file, 300)
  const restore = failing('fsyncSync', (target) => isFolder(target))
  for (let i = 1; i <= 100; i++) await pay(i)
  await expect.poll(() => warnings).toHaveLength(1)
  expect(store.health()).toEqual({ warnings })
  restore()
  const warningsAfterPay = async () => pay(0).then(() => store.health().warnings)
  await expect.poll(warningsAfterPay).toEqual([])
  await store.close()
})

test('health and requests give the reason why changes are refused, and a stop saves the state', async () => {
  const db = newFile()
  const sim = await run({ db })
  expect((await sim.order()).status).toBe(200)
  rmSync(db)
  const error = `${db} was removed or changed by another program while it was in use. Changes are refused. Stop the simulator, which saves its state, then start it again.`
  for (const response of [await sim.order(), await sim.admin('GET', '/health')])
    expect(response).toMatchObject({ status: 503, json: { error } })
  expect(await sim.credit()).toBe(230)
  await sim.close()
  expect(await (await run({ db })).credit()).toBe(230)
})

type Edited = Record<
  'reseller' | 'x',
  Record<'clients' | 'services', Record<string, unknown>> & { credit: unknown }
>
/** Edits the state file of a stopped simulator. @returns functions that start it again */
async function editStopped(change: (accounts: Edited) => void) {
  const db = newFile()
  const start = (acceptEdits = false) => startServer({ db, acceptEdits })
  await (await start()).close()
  const value = JSON.parse(readFileSync(db, 'utf8')) as { state: { accounts: Edited } }
  change(value.state.accounts)
  writeFileSync(db, JSON.stringify(value, null, 2))
  const edited = contents(db)
  await expect(start()).rejects.toThrow(
    /was edited\. It was left unchanged\. If you edited it, start with --accept-edits/,
  )
  return { start, edited, contents: () => contents(db) }
}

test.each<[what: string, change: (accounts: Edited) => void, credit: number]>([
  ['credit', ({ reseller }) => (reseller.credit = 7.5), 7.5],
  ['layout', () => {}, 250],
  ['number of clients', ({ reseller }) => (reseller.clients['99'] = { email: 'new@example.com' }), 250],
])('after a clean stop, another %s is accepted if that is asked for', async (_what, change, credit) => {
  const { start } = await editStopped(change)
  for (const accepts of [true, false]) {
    const { simulation, close } = await start(accepts)
    expect((await simulation.store.world('reseller'))?.credit).toBe(credit)
    await close()
  }
})

test.each<[what: string, change: (accounts: Edited) => void, message: RegExp]>([
  ['type', ({ reseller }) => (reseller.credit = 'much'), /invalid: state\.accounts\.reseller\.credit: /],
  [
    'address that is bound already',
    ({ reseller: { services } }) => Object.assign(services['5002'] as object, { bindedip: '192.0.2.10' }),
    /invalid: state\.accounts\.reseller\.services\.5002\.bindedip: /,
  ],
  ['field', ({ reseller }) => Object.assign(reseller, { kredit: 1 }), /reseller\.kredit: Unknown field/],
  [
    'field of a record',
    ({ reseller: { services } }) => Object.assign(services['5001'] as object, { statu: 'Suspended' }),
    /reseller\.services\.5001\.statu: Unknown field/,
  ],
  ['structure', (accounts) => Object.assign(accounts, { x: null }), /invalid: Its structure is wrong/],
])('after a clean stop, a wrong %s is refused in any case', async (_what, change, message) => {
  const { start, edited, contents: now } = await editStopped(change)
  await expect(start(true)).rejects.toThrow(message)
  expect(now()).toEqual(edited)
})

test('a first start that was killed before it wrote the file is begun again', async () => {
  const file = newFile()
  const { store } = await open(file)
  copyFileSync(`${file}.log`, `${file}.x`)
  await store.close()
  const other = newFile()
  renameSync(`${file}.x`, `${other}.log`)
  expect(await creditIn(other)).toBe(0)
})

test.skipIf(process.platform === 'win32')(
  'log, backup and drafts have the permissions of the file',
  async () => {
    for (const mode of [0o600, 0o666]) {
      const file = newFile()
      await (await open(file)).store.close()
      chmodSync(file, mode)
      const log = await openFileStorage(file, { warn: () => {} })
      log.backUp()
      const store = await LocalStore.open(log.savedState as State, { contract, journal: 10, storage: log })
      const files = ['', '.log', '.bak'].map((suffix) => statSync(file + suffix).mode & 0o777)
      expect(files).toEqual([mode, mode, mode])
      await store.close()
      expect(statSync(file).mode & 0o777).toBe(mode)
    }
  },
)
