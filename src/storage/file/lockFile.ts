import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { StateFileError, systemReason } from '../StorageError.ts'

/**
 * Takes a file for this process alone.
 * @returns gives it free again
 * @throws StateFileError that names the process that has it
 */
export function lockFile(file: string): () => void {
  const lock = `${file}.lock`
  const mine = `${lock}.${process.pid}`
  const me = JSON.stringify({ pid: process.pid, started: startOf(process.pid), by: randomUUID() })
  try {
    writeFileSync(mine, me)
  } catch (error) {
    throw new StateFileError(
      `${file} can't be written beside (${systemReason(error)}). Name another file with --db.`,
      { cause: error },
    )
  }
  try {
    for (let tries = 0; tries < 10; tries++) {
      try {
        linkSync(mine, lock) // one step: it is there, whole, or somebody else's was
        return () => {
          if (textOf(lock) === me) rmSync(lock, { force: true })
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const held = textOf(lock)
      const holder = held === undefined ? undefined : parse(held)
      if (holder && isAlive(holder))
        throw new StateFileError(
          `${file} is in use by another simulator (process ${holder.pid}). Stop it, or name another file with --db.`,
        )
      if (held !== undefined) takeAway(lock, held)
    }
    throw new StateFileError(`${file} is being taken by other simulators. Name another file with --db.`)
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Removes the lock of a dead process; if another got in meanwhile, gives it its lock back. */
function takeAway(lock: string, held: string): void {
  const aside = `${lock}.${process.pid}.old`
  try {
    renameSync(lock, aside)
    if (textOf(aside) !== held) linkSync(aside, lock)
  } catch {
    // somebody else did it: the next try sees
  } finally {
    rmSync(aside, { force: true })
  }
}

interface Holder {
  pid: number
  started: string
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (pid === process.pid) return startOf(pid) === started
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return startOf(pid) === started
}

/** When a process was started, so that another one that got the same number later is not taken for it. */
function startOf(pid: number): string {
  // Linux; elsewhere the number alone has to do
  return textOf(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[19] ?? ''
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
