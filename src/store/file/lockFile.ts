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
import { StorageError } from '../StorageError.ts'

/** Milliseconds between two signs of life of who has the lock, and after how many without one it is dead */
const beat = 500
const maxSilence = 5000
/** For so long, it may be that another one that starts withdraws as we do. */
const patience = 1000

/** What a lock file says, if it was written completely. */
interface Holder {
  pid?: number
  host?: string
  /** Where that process id is known: on this machine, in this container */
  space?: string
}

export interface Lock {
  /** False once somebody else took it, as we gave no sign of life */
  isOurs(): boolean
  release(): void
}

/**
 * Locks a file for this process with a lock file beside it. Each process has one with a name of its own, and writes it
 * before it looks for others: of two, at least one sees the other and withdraws. Anyone may remove a dead one's.
 * @throws StorageError that names the process which has the lock
 */
export async function lockFile(file: string): Promise<Lock> {
  const own = `${file}.${randomBytes(6).toString('hex')}.lock`
  const heart = setInterval(() => attempt(() => utimesSync(own, new Date(), new Date())), beat).unref()
  const release = (): void => {
    clearInterval(heart)
    attempt(() => rmSync(own, { force: true }))
  }
  try {
    for (const began = performance.now(); ; await sleep(Math.random() * 100)) {
      writeFileSync(own, JSON.stringify({ pid: process.pid, host: hostname(), space: space() }))
      const rival = await findRival(file, own)
      if (!rival) return { isOurs: () => existsSync(own), release }
      if (performance.now() - began > patience) throw inUse(file, rival)
      rmSync(own)
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Another process that is alive and has the lock or wants it. What the dead left is removed. */
async function findRival(file: string, own: string): Promise<Holder | undefined> {
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name)
    if (path === own || !/^\.[\da-f]{12}\.lock$/.test(name.replace(basename(file), ''))) continue
    const holder = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as Holder) ?? {}
    if (await isAlive(path, holder)) return holder
    rmSync(path, { force: true })
  }
  return undefined
}

/** Whether the owner of a lock file gives signs of life. Clocks aren't compared: it may be on another machine. */
async function isAlive(path: string, holder: Holder): Promise<boolean> {
  if (holder.pid !== undefined && holder.space === space()) return isRunning(holder.pid)
  const touched = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs
  const first = touched()
  for (const until = performance.now() + maxSilence; performance.now() < until; await sleep(50)) {
    const now = touched()
    if (now !== first || now === undefined) return now !== undefined
  }
  return false
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Which process ids we know: those of this machine, or of this container. */
function space(): string {
  return `${hostname()} ${attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`
}

/** What may fail: the lock was taken over, or the folder became read-only. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

function inUse(file: string, { pid, host }: Holder): StorageError {
  const where = host === hostname() ? '' : ` on ${host}`
  return new StorageError(
    `${file} is in use by another simulator (process ${pid}${where}). Stop it, or name another file with --db.`,
  )
}
