import { crc32 } from 'node:zlib'
import { change, worldOf } from '../../world/change.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'
import type { Line } from '../LocalStore.ts'
import type { State } from '../State.ts'
import { StateFileError } from '../StorageError.ts'

/** What the file says. */
export interface Stored {
  /** Its log has the same one, in every checksum */
  id: string
  /** Number of the last change that it contains; those after it are in the log */
  sequence: number
  /** Null: the log begins with it */
  state: State | null
  /** Whether there is a log that has changes: not after a clean stop */
  hasLog: boolean
}

interface StateData {
  scenario: State['scenario']
  accounts: Record<string, WorldData>
}

/** A `Line` after its checksum */
type Parsed = { sequence: number } & (
  | { account: string; changes: readonly WorldChange[] }
  | { account: string; world: WorldData | null }
  | { state: StateData }
)

const format = 'proxysim-state'
const version = 4
/** How the file ends if it has a log, and if it hasn't: that alone is written in place */
export const endings = { true: '"log":1}\n', false: '"log":0}\n' } as const

export function writeFileText({ id, sequence, state, hasLog }: Stored): string {
  const text = `{"format":"${format}","version":${version},"id":"${id}","sequence":${sequence},"state":${JSON.stringify(state && dataOf(state))}`
  return `${text},"checksum":"${digits(crc32(text))}",${endings[`${hasLog}`]}`
}

function dataOf({ scenario, accounts }: State): StateData {
  return { scenario, accounts: Object.fromEntries(accounts) as unknown as StateData['accounts'] }
}

/** @throws StateFileError if the text is not ours, or damaged */
export function readFileText(file: string, text: string): Stored {
  const value = parse(text)
  if (value === undefined) throw notOurs(file, 'it is not complete JSON')
  if (!isObject(value) || value['format'] !== format) throw notOurs(file, 'it was not written by proxysim')
  if (value['version'] !== version)
    throw notOurs(
      file,
      `it has format version ${String(value['version'])}, and this proxysim reads version ${version}`,
    )
  const { id, sequence, state, log } = value as unknown as Stored & { state: StateData | null; log: unknown }
  const hasLog = log === 1
  const content = text.slice(0, text.lastIndexOf(',"checksum":'))
  if (text !== `${content},"checksum":"${digits(crc32(content))}",${endings[`${hasLog}`]}`)
    throw notOurs(file, 'its checksum is wrong, so it is damaged or was edited')
  return { id, sequence, state: state && stateOf(state), hasLog }
}

function stateOf({ scenario, accounts }: StateData): State {
  const worlds = Object.entries(accounts).map(([login, data]) => [login, worldOf(data)] as const)
  return { scenario, accounts: new Map(worlds) }
}

export function writeLine(id: string, sequence: number, line: Line): string {
  const json = JSON.stringify({ sequence, ...('state' in line ? { state: dataOf(line.state) } : line) })
  return `${digits(crc32(json, crc32(id)))} ${json}\n`
}

export interface ReadLog {
  state: State | null
  sequence: number
  /** Bytes of complete lines, and of an incomplete one at the end */
  whole: number
  torn: number
}

/**
 * Applies to a file's state what its log adds. Only an incomplete last line is ignored: it comes from a write that was
 * never answered.
 * @throws StateFileError if a line is damaged or missing, or the log belongs to another file
 */
export function readLog(log: string, bytes: Buffer, { id, sequence: first, state }: Stored): ReadLog {
  const read: ReadLog = { state, sequence: first, whole: 0, torn: 0 }
  for (let number = 1; read.whole < bytes.length; number++) {
    const end = bytes.indexOf('\n', read.whole)
    const line = lineOf(id, bytes.subarray(read.whole, end))
    // An interrupted write leaves a part of a line; of a whole one, the line break was changed.
    if (end === -1 && !line) break
    if (end === -1 || !line) throw damaged(log, number, read.whole)
    const { sequence } = line
    if (sequence > read.sequence + 1 || (sequence > first && sequence <= read.sequence))
      throw notOurs(
        `${log}:${number}`,
        `it has change ${sequence}, but change ${read.sequence + 1} is missing`,
      )
    if (sequence > first) {
      read.state = applied(`${log}:${number}`, read.state, line)
      read.sequence = sequence
    }
    read.whole = end + 1
  }
  return { ...read, torn: bytes.length - read.whole }
}

/** The content of a line, if its checksum is right. */
function lineOf(id: string, line: Buffer): Parsed | undefined {
  const [sum, json] = [line.toString('latin1', 0, 9), line.subarray(9)]
  return sum === `${digits(crc32(json, crc32(id)))} ` ? (parse(json.toString()) as Parsed) : undefined
}

/** The state after a line. Nobody else has the map that was read, so it is changed in place. */
function applied(where: string, state: State | null, line: Parsed): State {
  if ('state' in line) return stateOf(line.state)
  const accounts = state?.accounts as Map<string, World> | undefined
  const world = 'changes' in line ? accounts?.get(line.account) : line.world && worldOf(line.world)
  if (!state || !accounts || world === undefined) throw notOurs(where, 'it changes what does not exist')
  if (world) accounts.set(line.account, 'changes' in line ? line.changes.reduce(change, world) : world)
  else accounts.delete(line.account)
  return state
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A checksum as written to files: eight hex digits. */
function digits(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}

export function notOurs(file: string, why: string): StateFileError {
  return new StateFileError(
    `${file} can't be used: ${why}. It was left unchanged. Name another file with --db, or move this one away.`,
  )
}

function damaged(log: string, number: number, before: number): StateFileError {
  return new StateFileError(
    `${log}:${number} is damaged or belongs to another file, so changes that were answered are missing. It was left unchanged. Restore it; or truncate it to ${before} bytes to go on without this line and those after it; or name another file with --db.`,
  )
}
