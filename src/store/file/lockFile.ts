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
import { performance } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError, systemReason } from '../StorageError.ts'

/** Milliseconds between two checks for rival processes. */
const checkInterval = 500
/** Milliseconds after which an owner that doesn't touch its lock counts as dead. */
const maxSilence = 5000
/** Milliseconds for which two processes that start at the same time withdraw and retry. */
const retryFor = 1000

/** The content of a lock file; empty if its owner was killed while writing it. */
interface Owner {
  pid?: number
  host?: string
  /** The host, boot and container in which the process id is valid */
  pidNamespace?: string
  /** The start of the process, because process ids are reused */
  started?: string | undefined
}

export interface Lock {
  /** Name for drafts of files. Another process that takes the lock removes the draft */
  readonly draft: string
  /** Whether this process still has the lock. Another one takes it if this one seems dead */
  isHeld(): boolean
  /** Whether this process has lost the lock, and another one has it */
  isTakenOver(): boolean
  release(): void
}

/**
 * Locks a file for this process with a lock file beside it. Each process first writes a lock file with a unique name, then
 * checks for others, so that of two processes, at least one sees the other and withdraws. Any process may remove the lock of a
 * dead owner.
 *
 * Whether an owner on another machine or in another container is alive can't be looked up, so an owner touches its lock while
 * another lock file exists. Otherwise nothing is written after the lock is taken.
 * @throws StorageError that names the process that has the lock
 */
export async function lockFile(file: string): Promise<Lock> {
  const ownPath = `${file}.${randomBytes(6).toString('hex')}.lock`
  const touchTimer = setInterval(
    () => ignoreErrors(() => touchIfContended(file, ownPath)),
    checkInterval,
  ).unref()
  const release = (): void => {
    clearInterval(touchTimer)
    ignoreErrors(() => rmSync(ownPath, { force: true }))
  }
  const isHeld = (): boolean => existsSync(ownPath)
  const isRivalThere = (): boolean | undefined => ignoreErrors(() => listOtherLocks(file, ownPath).length > 0)
  const states = { isHeld, isTakenOver: () => !isHeld() && isRivalThere() === true }
  const { pid } = process
  const owner: Owner = { pid, host: hostname(), pidNamespace: getPidNamespace(), started: processStart(pid) }
  try {
    for (const began = performance.now(); ; await sleep(Math.random() * 100)) {
      writeFileSync(ownPath, JSON.stringify(owner), { flag: 'wx' })
      const rival = await findLiveOwner(file, ownPath)
      if (!rival) return { draft: draftOf(ownPath), ...states, release }
      if (performance.now() - began > retryFor) throw inUseError(file, rival)
      rmSync(ownPath)
    }
  } catch (error) {
    release()
    throw error
  }
}

function draftOf(lock: string): string {
  return lock.replace(/lock$/, 'tmp')
}

/** The lock files of other processes. */
function listOtherLocks(file: string, ownPath: string): string[] {
  return readdirSync(dirname(file))
    .filter(
      (name) =>
        name.startsWith(basename(file)) && /^\.[\da-f]{12}\.lock$/.test(name.slice(basename(file).length)),
    )
    .map((name) => join(dirname(file), name))
    .filter((path) => path !== ownPath)
}

function touchIfContended(file: string, ownPath: string): void {
  if (listOtherLocks(file, ownPath).length > 0) utimesSync(ownPath, new Date(), new Date())
}

/** Finds another live process that has or wants the lock, and removes lock files of dead processes. */
async function findLiveOwner(file: string, ownPath: string): Promise<Owner | undefined> {
  for (const path of listOtherLocks(file, ownPath)) {
    const owner = ignoreErrors(() => JSON.parse(readFileSync(path, 'utf8')) as Owner) ?? {}
    if (await isAlive(path, owner)) return owner
    removeLock(file, path)
  }
  return undefined
}

/** Removes a lock, and then the draft of its owner, who can't replace a file after that. @throws StorageError if that fails, for example for another user's lock in /tmp */
function removeLock(file: string, path: string): void {
  try {
    rmSync(path, { force: true })
    rmSync(draftOf(path), { force: true })
  } catch (cause) {
    throw new StorageError(
      `${file} is locked by ${path}. Its owner no longer runs, but the lock can't be removed (${systemReason(cause)}).`,
      { advice: 'Remove the lock, or use another file.', cause },
    )
  }
}

/**
 * Whether the owner of a lock file is alive: its process is running, or it keeps touching the file. Times of different clocks aren't
 * compared.
 */
async function isAlive(path: string, { pid, started, ...owner }: Owner): Promise<boolean> {
  if (pid !== undefined && owner.pidNamespace === getPidNamespace()) {
    const runningSince = processStart(pid)
    if (runningSince !== 'unknown') return runningSince !== undefined && runningSince === started
  }
  const touched = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs
  const first = touched()
  for (const until = performance.now() + maxSilence; performance.now() < until; await sleep(50)) {
    const now = touched()
    if (now !== first || now === undefined) return now !== undefined
  }
  return false
}

/** The start of a process in ticks since the machine's boot; undefined if there is no such process. */
function processStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  const stat = ignoreErrors(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === undefined) return 'unknown' // there is no /proc, or this user can't read it
  const [, state, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ')
  return state === 'Z' ? undefined : fields[18]
}

/** The host, boot and container in which our process ids are valid. */
function getPidNamespace(): string {
  const boot = ignoreErrors(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const container = ignoreErrors(() => readlinkSync('/proc/self/ns/pid'))
  return [hostname(), boot, container].join(' ')
}

/** Ignores errors that are expected here, such as a lock that was taken over or a read-only folder. */
function ignoreErrors<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

function inUseError(file: string, { pid, host }: Owner): StorageError {
  // The lock file is empty while its owner is writing it.
  const owner = pid === undefined ? '' : ` (process ${pid}${host === hostname() ? '' : ` on ${host}`})`
  return new StorageError(`${file} is in use by another simulator${owner}.`, {
    advice: 'Stop it, or use another file.',
  })
}
