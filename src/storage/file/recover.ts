import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { mergePatch } from '../../world/mergePatch.ts'
import type { State } from '../../state/State.ts'
import { StateFileError } from '../../store/StorageError.ts'
import type { LogPosition } from './ChangeLog.ts'
import { digits } from './checksum.ts'
import { readLog, type ReadLog } from './readLog.ts'
import { isState, notOurs, type Stored } from './StateFile.ts'

export interface Recovered {
  state: State | undefined
  /** The log to continue; undefined: start a new one */
  log: (LogPosition & { file: string }) | undefined
  /** Generation of the next log */
  next: number
  /** Whether the file alone has everything, in the current format */
  isWhole: boolean
}

/**
 * Restores the state from the file and its logs. Each log must be the one that continues the file, or the log before
 * it. Logs without changes are removed, and an incomplete last line is truncated.
 * @throws StateFileError if something is missing, damaged or from another file; nothing is touched then
 */
export function recover(file: string, stored: Stored | null, warn: (message: string) => void): Recovered {
  const all = logsOf(file)
  const first = stored?.generation ?? 0
  const logs = all
    .filter(({ generation }) => generation >= first)
    .map((log) => readLog(log.file, log.generation))
  const begun: ReadLog[] = []
  const isNamed = ({ position }: ReadLog): boolean => position !== undefined && position.id === stored?.log
  for (let last = logs.at(-1); last && last.patches.length === 0 && !isNamed(last); last = logs.at(-1)) {
    begun.push(last)
    logs.pop()
  }
  assertChain(file, stored, logs, begun)
  let state: State | undefined = stored?.state
  for (const { patches } of logs) state = replay(state, patches)
  if (state && !isState(state)) throw notOurs(file, 'it is not a valid state once its log is applied')

  for (const { file: log, torn, whole } of [...logs, ...begun]) {
    if (torn === 0) continue
    warn(
      `The last line of ${log} is incomplete (${torn} bytes) and was dropped; the request behind it was never answered.`,
    )
    truncateSync(log, whole)
  }
  for (const { file: log } of begun) rmSync(log)
  for (const old of all) if (old.generation < first) rmSync(old.file, { force: true })
  const last = logs.at(-1)
  return {
    state,
    log: last?.position && { ...last.position, file: last.file },
    next: last ? last.generation + 1 : first,
    isWhole: last ? logs.length === 1 && isNamed(last) && last.patches.length === 0 : stored?.version === 2,
  }
}

/** @throws StateFileError if a log is missing or out of place */
function assertChain(
  file: string,
  stored: Stored | null,
  logs: readonly ReadLog[],
  begun: readonly ReadLog[],
): void {
  const [first] = logs
  const generation = stored?.generation ?? 0
  const name = logName(file, generation)
  const foreign = (log: ReadLog): StateFileError =>
    new StateFileError(
      `${log.file} does not continue what comes before it: a log is missing, was truncated, or is from another state. Nothing was changed. Restore the files that belong together, move the log away, or name another file with --db.`,
    )
  if (!stored) {
    // An empty log implies a file too: without one, the first log has to be generation 0.
    const found = first ?? begun.at(-1)
    if (found && found.generation !== 0)
      throw new StateFileError(
        `${file} is missing, but its log ${found.file} exists. Put the file back, move the log away, or name another file with --db.`,
      )
  } else if (stored.version === 2 && stored.log === null) {
    if (first) throw foreign(first)
  } else if (stored.version === 2 && first?.generation !== generation)
    throw new StateFileError(missingLog(file, name, stored))
  else if (stored.version === 2 && first?.position?.id !== stored.log) throw foreign(first as ReadLog)
  else if (first && first.generation !== generation) throw foreign(first)

  for (const [i, { position, generation: number, torn }] of logs.entries()) {
    const next = logs[i + 1]
    if (!next) continue
    const follows = next.header
      ? next.header.after === (position ? digits(position.sum) : null)
      : position === undefined // both are version 1
    if (torn > 0 || next.generation !== number + 1 || !follows) throw foreign(next)
  }
}

function missingLog(file: string, log: string, { log: name }: Stored): string {
  const linked =
    statSync(file).nlink > 1 ? ' (It has another name, a hard link: it may be in use under that.)' : ''
  return `${file} was in use when its process ended, and ${log}, the log of its last changes, is missing.${linked} Put the log back; or, to go on without those changes, write "log":null instead of "log":"${name}" at the end of ${file}; or name another file with --db.`
}

function replay(state: State | undefined, patches: readonly unknown[]): State | undefined {
  return patches.reduce((value, patch) => mergePatch(value ?? {}, patch), state as unknown) as
    | State
    | undefined
}

export function logName(file: string, generation: number): string {
  return `${file}.${generation}.log`
}

/** The logs next to a file, lowest generation first. */
export function logsOf(file: string): { file: string; generation: number }[] {
  const start = `${basename(file)}.`
  return readdirSync(dirname(file))
    .flatMap((name) => {
      const [, number] = (name.startsWith(start) && /^(\d+)\.log$/.exec(name.slice(start.length))) || []
      return number === undefined ? [] : [{ file: join(dirname(file), name), generation: Number(number) }]
    })
    .toSorted((a, b) => a.generation - b.generation)
}
