import { randomBytes } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StateFileError, systemReason } from '../StorageError.ts'

/** Milliseconds between two signs of life of who has the lock, and after how many without one it is dead */
const beat = 500
const longestSilence = 5000

/** What a lock file says. */
interface Holder {
  pid: number
  host: string
  /** Where that process id is known: on this machine, in this container */
  space: string
  /** Whether it has the lock, or still looks for others that want it */
  isHeld: boolean
}

export interface Lock {
  /** False once somebody else took it, as we gave no sign of life */
  isOurs(): boolean
  release(): void
}

/**
 * Locks a file for this process with a lock file beside it. Each claim has a name of its own, and is there before its
 * owner looks for others: of two, at least one sees the other and withdraws, and anyone may remove a dead one's.
 * @throws StateFileError that names the process which has the lock
 */
export async function lockFile(file: string): Promise<Lock> {
  const own = `${file}.${randomBytes(6).toString('hex')}.lock`
  const holder: Holder = { pid: process.pid, host: hostname(), space: space(), isHeld: false }
  const heart = setInterval(() => touch(own), beat).unref()
  const release = (): void => {
    clearInterval(heart)
    remove(own)
  }
  try {
    for (;;) {
      write(file, own, holder)
      const rival = await findRival(file, own)
      if (!rival) break
      const { path, holder: other } = rival
      if (other.isHeld) throw inUse(file, other)
      // Of those that still look, the first by name stays, and will be alone once the others have seen it.
      if (path < own) remove(own)
      await sleep(path < own ? 20 + Math.random() * 100 : 10)
    }
    write(file, own, { ...holder, isHeld: true })
    return { isOurs: () => existsSync(own), release }
  } catch (error) {
    release()
    throw error
  }
}

function write(file: string, path: string, holder: Holder): void {
  try {
    writeFileSync(path, JSON.stringify(holder))
  } catch (error) {
    throw new StateFileError(
      `No file can be created next to ${file} (${systemReason(error)}). Name another file with --db.`,
      { cause: error },
    )
  }
}

/** Somebody else who has the lock or wants it. What the dead left is removed. */
async function findRival(
  file: string,
  own: string,
): Promise<{ path: string; holder: Partial<Holder> } | undefined> {
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name)
    if (path === own || !/^\.[\da-f]{12}\.lock$/.test(name.replace(basename(file), ''))) continue
    if (await isAlive(path)) return { path, holder: read(path) }
    remove(path)
  }
  return undefined
}

/** What a lock file says, if it was written completely. */
function read(path: string): Partial<Holder> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return {}
  }
}

/** Whether the owner of a lock file gives signs of life. Clocks aren't compared: it may be on another machine. */
async function isAlive(path: string): Promise<boolean> {
  const first = touchedAt(path)
  for (const until = performance.now() + longestSilence; performance.now() < until; await sleep(50)) {
    const { pid, isHeld, ...other } = read(path)
    if (pid !== undefined && other.space === space()) {
      if (!isRunning(pid)) return false
      if (!isHeld) return true
    }
    const now = touchedAt(path)
    if (now !== first || now === undefined) return now !== undefined
  }
  return false
}

function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // It was removed: the next change notices.
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder became read-only.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function space(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux: no containers
  }
}

function inUse(file: string, { pid, host }: Partial<Holder>): StateFileError {
  const where = host === hostname() ? '' : ` on ${host}`
  return new StateFileError(
    `${file} is in use by another simulator (process ${pid}${where}). Stop it, or name another file with --db.`,
  )
}
