import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { StateFileError } from '../../../src/store/StorageError.ts'
import type { World } from '../../../src/world/World.ts'
import { folder, start } from '../../support/start.ts'
import { contents, copyOf, files, logOf, open, smallState } from './opened.ts'

/** Every value of every byte, as PROXYSIM_ROUNDS asks for the long trial of crashes. */
const isLong = process.env['PROXYSIM_ROUNDS'] !== undefined

/** A file in use, with changes of other than plain letters in its log. */
async function inUse(options: { fsync?: boolean } = {}) {
  const path = folder()
  const file = join(path, 'db.json')
  const first = await open(file)
  const names = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`c${i}`, { email: `ü${i}@example.com` }]),
  )
  first.store.change('a', first.store.world('a') as World, { credit: 1, clients: names })
  await first.store.close()
  const opened = await open(file, options)
  for (const i of [2, 3, 4]) opened.touch(i)
  opened.store.change('a', opened.store.world('a') as World, { password: 'Ünïcödé 🙂' })
  for (let i = 5; i < 20; i++) opened.touch(i)
  await opened.store.flushed()
  return { path, file, log: logOf(file), ...opened }
}

/** Every change of a byte that is tried: other bits, and what means something in JSON, UTF-8 or a line. */
function changesOf(byte: number): number[] {
  const bits = [byte ^ 1, byte ^ 2, byte ^ 0x10, byte ^ 0x20, byte ^ 0x80, byte ^ 0xff]
  return [...new Set([...bits, 0, 0x0a, 0x20, 0x22, 0x30, 0x31])].filter((other) => other !== byte)
}

describe('a corrupted byte', () => {
  it.each(['file', 'log'] as const)(
    'in the last kilobyte of the %s is found, or what is read is right',
    {
      timeout: isLong ? 600_000 : 30_000,
    },
    async (which) => {
      const { path, store } = await inUse()
      const file = copyOf(path)
      const state = structuredClone(store.state)
      await store.close()
      const log = logOf(file)
      const originals = { file: readFileSync(file), log: readFileSync(log) }
      const [target, bytes] = [which === 'file' ? file : log, originals[which]]
      let refused = 0
      let tried = 0
      for (let at = bytes.length - 1024; at < bytes.length; at++)
        for (const [i, value] of changesOf(bytes[at] as number).entries()) {
          if (!isLong && (at + i * 4) % 32 !== 0) continue
          const changed = Buffer.from(bytes)
          changed[at] = value
          writeFileSync(target, changed)
          tried++
          const opened = await open(file).catch((error: unknown) => error)
          if (opened instanceof StateFileError && readFileSync(target).equals(changed)) {
            refused++
            continue
          }
          const { store: read } = opened as Awaited<ReturnType<typeof open>>
          expect(read.state, `${at}: ${value}`).toEqual(state)
          await read.close()
          for (const name of files(join(file, '..'))) rmSync(join(file, '..', name))
          writeFileSync(file, originals.file)
          writeFileSync(log, originals.log)
        }
      expect(tried).toBeGreaterThan(isLong ? 8000 : 200)
      expect(refused).toBe(tried)
      if (isLong) process.stderr.write(`${JSON.stringify({ which, tried, refused })}\n`)
    },
  )
})

describe('a file', () => {
  it('that was edited is refused with that reason', async () => {
    const { file, store } = await inUse()
    await store.close()
    writeFileSync(file, readFileSync(file, 'utf8').replace('"credit":19', '"credit":20'))
    await expect(open(file)).rejects.toThrow('its checksum is wrong, so it is damaged or was edited')
  })

  it('that refers to a missing log is refused, unless told to do without it', async () => {
    const { path, store } = await inUse()
    const file = copyOf(path)
    await store.close()
    rmSync(logOf(file))
    const before = contents(join(file, '..'))
    await expect(open(file)).rejects.toThrow(`${file}.2.log, the log of its last changes, is missing`)
    expect(contents(join(file, '..'))).toEqual(before)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"log":"\w+"/, '"log":null'))
    const opened = await open(file)
    expect(opened.store.world('a')?.credit).toBe(1)
    opened.touch(2)
    await opened.store.flushed()
    const again = await open(copyOf(join(file, '..')))
    expect(again.store.world('a')?.credit).toBe(2)
    await again.store.close()
    await opened.store.close()
  })
})

describe('while a file is in use', () => {
  it.each([
    ['removed', (log: string) => rmSync(log)],
    ['truncated', (log: string) => truncateSync(log, 100)],
  ])('a log that is %s is noticed, and the whole state is rewritten', async (_what, spoil) => {
    const { path, log, store, touch, warnings } = await inUse()
    spoil(log)
    const before = structuredClone(store.state)
    touch(20)
    await expect(store.flushed()).rejects.toThrow(
      /db\.json\.2\.log was (removed|truncated) while it was in use/,
    )
    expect(store.state).toEqual(before)
    await expect
      .poll(async () => {
        touch(21)
        return store.flushed().then(
          () => 'taken',
          () => 'refused',
        )
      })
      .toBe('taken')
    const again = await open(copyOf(path))
    expect(again.store.state).toEqual(store.state)
    await again.store.close()
    expect(warnings).toEqual([])
    await store.close()
    expect(files(path)).toEqual(['db.json'])
  })

  it('a folder that is removed stops changes until it is back, and nothing else', async () => {
    const path = join(folder(), 'sub')
    const file = join(path, 'db.json')
    const { simulation, call, close } = await start({ db: file, scenario: 'default' })
    await expect.poll(() => existsSync(file)).toBe(true)
    const order = () => call<{ error?: string }>('POST', '/api/product/101', { body: { clientid: 11 } })
    rmSync(path, { recursive: true })
    const state = structuredClone(simulation.store.state)
    for (let i = 0; i < 3; i++) {
      const { status, headers, json } = await order()
      expect(status).toBe(503)
      expect(headers['sim-case']).toBe('storage-failed')
      const missing = `and the whole state can't be rewritten: the folder ${path} is missing. Create it again, and try again.`
      expect(json.error).toMatch(/log was removed while it was in use. Nothing was changed, /)
      expect(json.error).toContain(missing)
      expect((await call('GET', '/api/billing/credit')).status).toBe(200)
      expect(await call('GET', '/__admin/health')).toMatchObject({
        status: 200,
        json: { warnings: [expect.stringContaining(`Changes are refused, ${missing}`)] },
      })
    }
    expect(simulation.store.state).toEqual(state)
    mkdirSync(path)
    expect((await order()).json.error).toContain('the whole state is being rewritten: try again.')
    await expect.poll(async () => (await order()).status).toBe(200)
    expect((await call('GET', '/__admin/health')).json).not.toHaveProperty('warnings')
    const after = structuredClone(simulation.store.state)
    const again = await open(copyOf(path))
    expect(again.store.state).toEqual(after)
    await again.store.close()
    await close()
  })

  it('a folder that stays away is reported at each attempt to rewrite the state, and at the end', async () => {
    const { path, file, store, touch, warnings } = await inUse()
    rmSync(path, { recursive: true })
    for (let i = 1; i <= 3; i++) {
      touch(20)
      await expect(store.flushed()).rejects.toThrow('was removed while it was in use')
      await setImmediate()
      expect(warnings).toEqual(
        Array.from({ length: i }, () => `${file} could not be replaced (ENOENT: no such file or directory).`),
      )
    }
    await expect(store.close()).rejects.toThrow(
      `The state was not saved: ${file} could not be replaced (ENOENT: no such file or directory).`,
    )
  })

  it('a log that is removed and a file that another process replaces are not tried again and again', async () => {
    const { path, file, log, store, touch, warnings } = await inUse()
    rmSync(log)
    writeFileSync(`${file}.other`, 'of somebody else')
    renameSync(`${file}.other`, file)
    touch(20)
    await expect(store.flushed()).rejects.toThrow('was removed while it was in use')
    const failure = `${file} could not be replaced (another program replaced it while it was in use).`
    await expect
      .poll(() => store.health().warnings)
      .toEqual([
        `${log} was removed while it was in use. Changes are refused, and ${failure} Each change makes another attempt.`,
      ])
    await expect(store.close()).rejects.toThrow(`The state was not saved: ${failure}`)
    expect(warnings).toEqual([failure])
    expect(contents(path)).toEqual({ 'db.json': 'of somebody else' })
  })

  it('exactly the acknowledged changes survive if the log is removed during a sync', async () => {
    const { path, log, store } = await inUse({ fsync: true })
    const outcomes: Promise<number | undefined>[] = []
    for (let i = 0; i < 40; i++) {
      const services = { [`n${i}`]: { username: `n${i}` } as World['services'][string] }
      store.change('a', store.world('a') as World, { services })
      outcomes.push(
        store.flushed().then(
          () => i,
          () => undefined,
        ),
      )
      await setImmediate()
      if (i === 20) rmSync(log)
    }
    const taken = (await Promise.all(outcomes)).filter((i) => i !== undefined).map((i) => `n${i}`)
    expect(taken.length).toBeLessThan(40)
    const there = (all: World['services'] = {}) => Object.keys(all).filter((name) => name.startsWith('n'))
    expect(there(store.world('a')?.services)).toEqual(taken)
    await store.close()
    const again = await open(join(path, 'db.json'))
    expect(there(again.store.world('a')?.services)).toEqual(taken)
    await again.store.close()
  })

  it('moving the log away loses nothing', async () => {
    const { path, file, log, store, touch } = await inUse()
    renameSync(log, join(path, 'away'))
    touch(20)
    await store.flushed()
    const state = structuredClone(store.state)
    await expect(open(copyOf(path))).rejects.toThrow('the log of its last changes, is missing')
    await store.close()
    const again = await open(file)
    expect(again.store.state).toEqual(state)
    await again.store.close()
  })

  it.each([
    ['written to', (log: string) => writeFileSync(log, 'x', { flag: 'a' })],
    [
      'replaced',
      (log: string) => {
        copyFileSync(log, `${log}.copy`)
        renameSync(`${log}.copy`, log)
      },
    ],
  ])('a log that another process has %s stops all changes, and is left unchanged', async (_what, spoil) => {
    const { path, log, store, touch } = await inUse()
    spoil(log)
    const before = contents(path)
    const state = structuredClone(store.state)
    for (let i = 0; i < 3; i++) {
      touch(20)
      await expect(store.flushed()).rejects.toThrow(`${log} was changed by another program`)
    }
    expect(store.state).toEqual(state)
    await expect(store.close()).rejects.toThrow(`${log} was changed by another program`)
    expect(contents(path)).toEqual(before)
  })

  it('a file that another process replaces is not overwritten', async () => {
    const { path, file, store } = await inUse()
    writeFileSync(`${file}.other`, 'of somebody else')
    renameSync(`${file}.other`, file)
    const before = contents(path)
    await expect(store.close()).rejects.toThrow(
      /could not be replaced \(another program replaced it while it was in use\).*No change is lost/,
    )
    expect(contents(path)).toEqual(before)
  })
})

describe('a version 1 file, which has no checksums,', () => {
  const v1 = (generation: number): string =>
    JSON.stringify({ format: 'proxysim-state', version: 1, generation, state: smallState() })
  const line = (credit: number): string => `${JSON.stringify({ accounts: { a: { credit } } })}\n`

  it.each([
    ['alone', { 'db.json': v1(3) }, 0],
    ['with its log', { 'db.json': v1(3), 'db.json.3.log': line(1) + line(2) }, 2],
    ['with two logs', { 'db.json': v1(3), 'db.json.3.log': line(1), 'db.json.4.log': line(2) }, 2],
    ['with a log that is torn', { 'db.json': v1(3), 'db.json.3.log': line(1) + line(2).slice(0, -4) }, 1],
    ['with an empty log', { 'db.json': v1(3), 'db.json.3.log': '' }, 0],
    [
      'without a file yet',
      { 'db.json.0.log': `${JSON.stringify([{ accounts: null }, smallState()])}\n${line(2)}` },
      2,
    ],
  ])('%s is read, and is of version 2 afterwards', async (_what, given, credit) => {
    const path = folder()
    for (const [name, text] of Object.entries(given)) writeFileSync(join(path, name), text)
    const file = join(path, 'db.json')
    const { store, touch } = await open(file)
    expect(store.world('a')?.credit).toBe(credit)
    touch(5)
    await store.flushed()
    const killed = await open(copyOf(path))
    expect(killed.store.state).toEqual(store.state)
    await killed.store.close()
    await store.close()
    expect(files(path)).toEqual(['db.json'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 2, log: null })
    const again = await open(file)
    expect(again.store.world('a')?.credit).toBe(5)
    await again.store.close()
  })

  it.each([
    [
      'a log that is missing before others',
      { 'db.json': v1(3), 'db.json.4.log': line(1) },
      /does not continue what comes before/,
    ],
    [
      'a line that is not JSON',
      { 'db.json': v1(3), 'db.json.3.log': `${line(1)}{"a\n` },
      /db\.json\.3\.log:2 is/,
    ],
    [
      'a byte that is not UTF-8',
      { 'db.json': Buffer.from(v1(3).replace('Small', 'Sm\xe9ll'), 'latin1') },
      /not complete JSON/,
    ],
  ])('is refused with %s', async (_what, given, why) => {
    const path = folder()
    for (const [name, bytes] of Object.entries(given)) writeFileSync(join(path, name), bytes)
    const before = contents(path)
    await expect(open(join(path, 'db.json'))).rejects.toThrow(why)
    expect(contents(path)).toEqual(before)
  })
})
