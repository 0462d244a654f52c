import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folder } from '../../support/start.ts'
import { Child } from '../../hardening/crash/Child.ts'
import { files, open } from './opened.ts'

/** Runs a command as the first process of a process table of its own, as a container does. */
const container = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const hasContainers = spawnSync(container[0] as string, [...container.slice(1), 'true']).status === 0
if (!hasContainers)
  process.stderr.write('Skipped what needs containers: unshare may not make process tables here.\n')

function child(...args: ConstructorParameters<typeof Child>): Child {
  const made = new Child(...args)
  onTestFinished(async () => void (await made.end('SIGKILL')))
  return made
}

const inUse = (file: string, pid = process.pid): string =>
  `${file} is in use by another simulator (process ${pid}). Stop it, or name another file with --db.`

describe('a file belongs to one process', () => {
  it('refuses a second process, which leaves the file unchanged', async () => {
    const path = folder()
    const db = join(path, 'db.json')
    await (await open(db)).store.close()
    const first = await open(db)
    symlinkSync(db, join(path, 'link.json'))
    for (const name of ['db.json', './db.json', 'link.json'])
      await expect(open(`${path}/${name}`)).rejects.toThrow(inUse(db))
    first.touch(1)
    await first.store.flushed()
    await first.store.close()
    const again = await open(db)
    expect(again.store.world('a')?.credit).toBe(1)
    await again.store.close()
    expect(readdirSync(path)).toEqual(['db.json', 'link.json'])
  })

  it('is the one that a link leads to, even if it is not there yet', async () => {
    const path = folder()
    const other = folder()
    symlinkSync(join(other, 'next.json'), join(path, 'link.json'))
    symlinkSync('db.json', join(other, 'next.json'))
    const first = await open(join(path, 'link.json'))
    await expect(open(join(other, 'db.json'))).rejects.toThrow(inUse(join(other, 'db.json')))
    await first.store.close()
    expect(files(other)).toEqual(['db.json', 'next.json'])
    expect(lstatSync(join(path, 'link.json')).isSymbolicLink()).toBe(true)
  })

  it('is not found through a circle of links', async () => {
    const link = join(folder(), 'link.json')
    symlinkSync(link, link)
    await expect(open(link)).rejects.toThrow(
      `${link} can't be used (ELOOP: too many symbolic links encountered). Name another file with --db.`,
    )
  })

  it('refuses a hard link to it', async () => {
    const path = folder()
    const db = join(path, 'db.json')
    const other = join(folder(), 'other.json')
    await (await open(db)).store.close()
    linkSync(db, other)
    const first = await open(db)
    await expect(open(other)).rejects.toThrow(inUse(other))
    const third = join(path, 'third.json')
    linkSync(db, third)
    await expect(open(third)).rejects.toThrow(inUse(third))
    await first.store.close()
  })

  it('refuses a hard link made while it is in use', async () => {
    const path = folder()
    const db = join(path, 'db.json')
    await (await open(db)).store.close()
    const first = await open(db)
    const late = join(path, 'late.json')
    linkSync(db, late)
    await expect(open(late)).rejects.toThrow(/It has another name, a hard link: it may be in use under that/)
    first.touch(1)
    await first.store.close()
  })

  it('whatever the length of its name', async () => {
    const deep = join(folder(), 'x'.repeat(100), 'y'.repeat(100))
    mkdirSync(deep, { recursive: true })
    for (const name of ['db.json', `${'z'.repeat(200)}.json`]) {
      const db = join(deep, name)
      const first = await open(db)
      await expect(open(db)).rejects.toThrow(inUse(db))
      await first.store.close()
      expect(readdirSync(deep)).toContain(name)
      await (await open(db)).store.close()
    }
    expect(files(deep)).toEqual(readdirSync(deep).toSorted())
  })

  it('takes over from a process that was killed, and removes what it left', { timeout: 30_000 }, async () => {
    const path = folder()
    const db = join(path, 'db.json')
    await (await child({ db }).ready()).end('SIGKILL')
    expect(readdirSync(path).filter((name) => name.endsWith('.sock'))).toHaveLength(1)
    writeFileSync(`${db}.0123456789abcdef.sock`, 'no socket, and not ours')
    const { store } = await open(db)
    expect(Object.keys(store.state.accounts)).not.toEqual(['a'])
    await store.close()
    expect(readdirSync(path)).toEqual(['db.json', 'db.json.0123456789abcdef.sock'])
  })

  it('does not take over from a suspended process', { timeout: 30_000 }, async () => {
    const db = join(folder(), 'db.json')
    const first = await child({ db }).ready()
    first.process.kill('SIGSTOP')
    await expect(open(db)).rejects.toThrow(`${db} is in use by another simulator. Stop it`)
    first.process.kill('SIGCONT')
    expect(await first.end('SIGTERM')).toBe(0)
  })

  it.skipIf(!hasContainers)(
    'sees a process in another container, though both are process 1',
    { timeout: 60_000 },
    async () => {
      const path = folder()
      const db = join(path, 'db.json')
      const first = await child({ db }, { within: container }).ready()
      expect((await first.call('GET', '/api/services')).status).not.toBe(500)
      for (const within of [container, [...container, '--net', '--uts', '--ipc']]) {
        const second = child({ db }, { within })
        expect(await second.ended()).toBe(2)
        expect(second.errors).toContain(inUse(db, 1))
      }
      await expect(open(db)).rejects.toThrow(inUse(db, 1))
      expect((await first.call('POST', '/__admin/reset')).status).toBe(200)
      await first.end('SIGKILL')
      const { store } = await open(db)
      await store.close()
    },
  )

  it.skipIf(!hasContainers)('names the host if it is another one', { timeout: 30_000 }, async () => {
    const db = join(folder(), 'db.json')
    const within = ['unshare', '--uts', '--kill-child', 'sh', '-c', 'hostname elsewhere; exec "$0" "$@"']
    await child({ db }, { within: [...within] }).ready()
    expect(hostname()).not.toBe('elsewhere')
    await expect(open(db)).rejects.toThrow(/in use by another simulator \(process \d+ on elsewhere\)/)
  })

  it('is locked by exactly one of many that start at once', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 20; round++) {
      const db = join(folder(), 'db.json')
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => open(db)))
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      const losers = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(winners).toHaveLength(1)
      expect(new Set(losers.map(({ reason }) => (reason as Error).message))).toEqual(new Set([inUse(db)]))
      await winners[0]?.value.store.close()
    }
  })
})

it("a folder that can't be created is reported, and does not hang", { timeout: 30_000 }, async () => {
  const program = join(import.meta.dirname, '../../../src/cli.ts')
  const cli = spawn(process.execPath, ['--import', 'tsx', program, '--port', '0', '--db', '/proc/x/y/z'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void cli.kill('SIGKILL'))
  let errors = ''
  cli.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(cli, 'close')) as [number]
  expect(errors).toBe(
    "proxysim: The folder of /proc/x/y/z can't be created (ENOENT: no such file or directory). Name another file with --db.\n",
  )
  expect(code).toBe(2)
})
