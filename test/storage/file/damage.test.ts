import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { openFileStorage } from '../../../src/store/file/FileLog.ts'
import { LocalStore } from '../../../src/store/LocalStore.ts'
import type { State } from '../../../src/store/State.ts'
import { StateFileError } from '../../../src/store/StorageError.ts'
import { worldOf } from '../../../src/world/change.ts'
import type { World, WorldData } from '../../../src/world/World.ts'
import { newFolder } from '../support/simulators.ts'

const contract = await loadContract()
const records = { clients: {}, products: {}, services: {}, invoices: {} }
const small: State = {
  scenario: { name: 'small', document: { description: 'Small.', accounts: {} } },
  accounts: new Map([
    [
      'a',
      worldOf({
        version: 0,
        origin: { load: 0 },
        credit: 0,
        password: 'Ünïcödé 🙂',
        ...records,
      } as unknown as WorldData),
    ],
  ]),
}

/** The files, without a simulator around. */
async function open(file: string, minLogBytes = 1e9) {
  const warnings: string[] = []
  const log = await openFileStorage(file, { warn: (text) => warnings.push(text), minLogBytes })
  const { found } = log
  const store = await LocalStore.open(found ?? small, { contract, journal: 10, log })
  return {
    warnings,
    store,
    pay: async (credit: number) => store.transact('a', () => ({ value: undefined, change: { credit } })),
    credit: async () => (await store.world('a'))?.credit,
  }
}

/** A file with changes both in it and in its log, as a kill would leave it. */
async function killed(changes = 20): Promise<{ file: string; log: string }> {
  const path = newFolder()
  const first = await open(join(path, 'db.json'))
  await first.pay(1)
  await first.store.close()
  const second = await open(join(path, 'db.json'))
  for (let i = 2; i <= changes; i++) await second.pay(i)
  const file = copyOf(join(path, 'db.json'))
  await second.store.close()
  return { file, log: `${file}.log` }
}

function copyOf(file: string): string {
  const copy = join(newFolder(), basename(file))
  for (const name of ['', '.log']) if (existsSync(file + name)) copyFileSync(file + name, copy + name)
  return copy
}

/** A new file is written in the background. */
async function firstFile(file: string): Promise<void> {
  await expect.poll(() => readFileSync(`${file}.log`).length).toBe(0)
}

/** What the folder holds, but for locks. */
function contents(file: string): Record<string, string> {
  const names = readdirSync(dirname(file)).filter((name) => !name.endsWith('.lock'))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dirname(file), name), 'latin1')]))
}

test('a byte that changed is found wherever it is, and nothing is overwritten', {
  timeout: 60_000,
}, async () => {
  const { file, log } = await killed(4)
  for (const target of [file, log]) {
    const bytes = readFileSync(target)
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      for (const other of [byte ^ 1, 0x0a, 0x22].slice(at % 3, (at % 3) + 1)) {
        if (other === byte) continue
        const changed = Buffer.from(bytes)
        changed[at] = other
        writeFileSync(target, changed)
        await expect(
          openFileStorage(file, { warn: () => {} }),
          `${basename(target)}, byte ${at}`,
        ).rejects.toThrow(StateFileError)
        expect(readFileSync(target).equals(changed)).toBe(true)
      }
    }
    writeFileSync(target, bytes)
  }
  expect(await (await open(file)).credit()).toBe(4)
})

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')))
const lines = (path: string, change: (all: string[]) => string[]): void =>
  edit(path, (text) => change(text.split('\n')).join('\n'))

test.each<[what: string, spoil: (file: string, log: string) => unknown, why: RegExp]>([
  [
    'is another program’s',
    (file) => writeFileSync(file, '{"mine":1}'),
    /db\.json can't be used: it was not written by proxysim/,
  ],
  ['is cut off', (file) => truncateSync(file, 100), /it is not complete JSON/],
  [
    'was edited',
    (file) => edit(file, (text) => text.replace('"credit":1', '"credit":2')),
    /its checksum is wrong/,
  ],
  [
    'has another format',
    (file) => edit(file, (text) => text.replace('"version":4', '"version":2')),
    /format version 2/,
  ],
  ['is a folder', (file) => [rmSync(file), mkdirSync(file)], /not a regular file/],
  ['is missing', (file) => rmSync(file), /it is the log of .*db\.json, which is missing/],
  ['lost its log', (_, log) => rmSync(log), /its log .*db\.json\.log is missing/],
  [
    'has a log with a line missing',
    (_, log) => lines(log, (all) => all.toSpliced(3, 1)),
    /log:4 can't be used: it has change 6, but change 5 is missing/,
  ],
  [
    'has a log that begins late',
    (_, log) => lines(log, (all) => all.slice(1)),
    /log:1 can't be used: it has change 3, but change 2 is missing/,
  ],
  [
    'has a log with a line twice',
    (_, log) => lines(log, (all) => all.toSpliced(3, 0, all[3] as string)),
    /log:5 can't be used/,
  ],
  [
    'has a log with half a line',
    (_, log) => lines(log, (all) => all.with(2, 'x')),
    /log:3 is damaged.*truncate it to \d+ bytes/,
  ],
  [
    'has a log whose last line break was changed',
    (_, log) => edit(log, (text) => `${text.slice(0, -1)}x`),
    /log:19 is damaged/,
  ],
  [
    'has the log of another file',
    async (_, log) => copyFileSync((await killed()).log, log),
    /log:1 is damaged or belongs to another file/,
  ],
])('a file that %s is refused, and left as it is', async (_what, spoil, why) => {
  const { file, log } = await killed()
  await spoil(file, log)
  const read = (): unknown =>
    existsSync(file) && !why.source.includes('regular') ? contents(file) : undefined
  const before = read()
  await expect(open(file)).rejects.toThrow(why)
  expect(read()).toEqual(before)
})

test('of a log that was cut off anywhere, at most the last line is missing, and a warning says so', async () => {
  const { file, log } = await killed(5)
  const bytes = readFileSync(log)
  const whole = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  for (const length of [whole, whole + 1, whole + 20, bytes.length - 1]) {
    const copy = copyOf(file)
    truncateSync(`${copy}.log`, length)
    const opened = await open(copy)
    expect(await opened.credit()).toBe(4)
    const dropped = opened.warnings.map(
      (text) => /incomplete \((\d+) bytes\) and was dropped/.exec(text)?.[1],
    )
    expect(dropped).toEqual(length === whole ? [] : [String(length - whole)])
    await opened.pay(9)
    await opened.store.close()
    const again = await open(copy)
    expect(await again.credit()).toBe(9)
    await again.store.close()
  }
})

test('the file is rewritten while changes go on, and whatever a crash leaves of that is right', async () => {
  const file = join(newFolder(), 'db.json')
  const { pay, store, warnings } = await open(file, 2000)
  const copies: [string, number][] = []
  let answered = 0
  for (let i = 1; i <= 300; i++) {
    const paying = pay(i).then(() => (answered = i))
    if (i % 3 === 0) await paying
    if (i % 10 === 0) copies.push([copyOf(file), answered])
  }
  await pay(301)
  expect(readFileSync(`${file}.log`).length).toBeLessThan(30_000)
  for (const [copy, least] of copies) {
    const opened = await open(copy)
    expect(await opened.credit()).toBeGreaterThanOrEqual(least)
    await opened.store.close()
  }
  await store.close()
  expect(warnings).toEqual([])
  expect(Object.keys(contents(file))).toEqual(['db.json'])
  const again = await open(file)
  expect(await again.credit()).toBe(301)
  await again.store.close()
})

test.each<[what: string, spoil: (file: string) => void]>([
  ['removed', (file) => rmSync(`${file}.log`)],
  ['written to', (file) => writeFileSync(`${file}.log`, 'x', { flag: 'a' })],
  ['replaced', (file) => [copyFileSync(`${file}.log`, `${file}.x`), renameSync(`${file}.x`, `${file}.log`)]],
  [
    'taken over',
    (file) =>
      readdirSync(dirname(file)).forEach(
        (name) => name.endsWith('.lock') && rmSync(join(dirname(file), name)),
      ),
  ],
])(
  'once its log is %s while in use, changes are refused and nothing is overwritten',
  async (_what, spoil) => {
    const file = join(newFolder(), 'db.json')
    const { pay, credit, store } = await open(file)
    await firstFile(file)
    await pay(1)
    spoil(file)
    const before = contents(file)
    for (let i = 2; i < 4; i++)
      await expect(pay(i)).rejects.toThrow(/was removed or changed by another program while it was in use/)
    expect(await credit()).toBe(1)
    expect(store.health().warnings).toEqual([expect.stringContaining('Changes are refused')])
    await expect(store.close()).rejects.toThrow('was removed or changed')
    expect(contents(file)).toEqual(before)
  },
)

test('a file that another program replaces is not overwritten', async () => {
  const file = join(newFolder(), 'db.json')
  const { pay, store } = await open(file)
  await firstFile(file)
  await pay(1)
  writeFileSync(`${file}.other`, 'of somebody else')
  renameSync(`${file}.other`, file)
  const before = contents(file)
  await expect(store.close()).rejects.toThrow(
    /another program replaced it while it was in use.*No change is lost/,
  )
  expect(contents(file)).toEqual(before)
})

test('a folder that vanishes while the file is replaced is reported', async () => {
  const file = join(newFolder(), 'db.json')
  const { store, warnings } = await open(file, 1)
  await firstFile(file)
  const [world] = [...small.accounts.values()] as [World]
  const accounts = new Map(Array.from({ length: 50 }, (_, i) => [`a${i}`, world]))
  await store.replace({ ...small, accounts })
  renameSync(dirname(file), join(newFolder(), 'away'))
  await expect.poll(() => warnings).toEqual([expect.stringContaining('could not be replaced')])
  await expect(store.close()).rejects.toThrow('Changes are refused')
})

test.skipIf(!existsSync('/proc/self'))(
  'a folder that cannot be made is reported, and does not hang',
  async () => {
    await expect(open('/proc/x/y/db.json')).rejects.toThrow(
      /can't be used \(ENOENT.*Name another file with --db/,
    )
  },
)

test('changes of one turn share a write, and are told in the order in which they were made', async () => {
  const { pay, credit, store } = await open(join(newFolder(), 'db.json'))
  const told: string[] = []
  store.on(({ type }) => told.push(type))
  await Promise.all([pay(1), store.replace(small), pay(2), pay(3)])
  expect(told).toEqual(['change', 'reset', 'change', 'change'])
  expect(await credit()).toBe(3)
  await store.close()
})

test('a backup opens like the file that it is of', async () => {
  const { file } = await killed()
  const log = await openFileStorage(file, { warn: () => {} })
  expect(log.backUp()).toBe(`${file}.bak`)
  await log.close()
  const opened = await open(`${file}.bak`)
  expect(await opened.credit()).toBe(20)
  await opened.store.close()
})

test('a link leads to the file; a circle of links is refused', async () => {
  const [path, other] = [newFolder(), newFolder()]
  const first = await open(join(other, 'db.json'))
  symlinkSync(join(other, 'db.json'), join(path, 'link.json'))
  await expect(open(join(path, 'link.json'))).rejects.toThrow('is in use by another simulator')
  await first.store.close()
  symlinkSync(join(path, 'circle'), join(path, 'circle'))
  await expect(open(join(path, 'circle'))).rejects.toThrow(/circle can't be used \(ELOOP/)
})
