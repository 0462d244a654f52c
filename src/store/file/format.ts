import { crc32 } from 'node:zlib'
import { change, type Place, sharedData, worldOf } from '../../world/change.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'
import type { State } from '../State.ts'
import type { Commit } from '../Store.ts'
import { StorageError } from '../StorageError.ts'

/** What the file says. */
export interface FileContent {
  /** Its log has the same one, in every checksum */
  id: string
  /** Number of the last change that it contains; those after it are in the log */
  sequence: number
  /** Null: there is none yet, or nobody needs it in memory */
  state: State | null
  /** Whether there is a log that has changes: not after a clean stop */
  hasLog: boolean
}

interface StateData {
  scenario: State['scenario']
  accounts: Record<string, WorldData>
}

/** A line of the log after its checksum: changes of a world, a world in place of another (null: none), or everything */
type Line = { sequence: number } & (
  | { account: string; changes: readonly WorldChange[] }
  | { account: string; world: WorldData | null }
  | { state: StateData }
)

const format = 'proxysim-state'
const version = 4

export function fileText({ id, sequence, state, hasLog }: FileContent): string {
  const json = JSON.stringify({ format, version, id, sequence, state: state && dataOf(state) })
  return sealed(json.slice(0, -1), hasLog)
}

/** The text with its checksum, and whether there is a log: all of it is checked. */
function sealed(text: string, hasLog: boolean): string {
  return `${text},"checksum":"${checksum(text)}","log":${Number(hasLog)}}\n`
}

/** What accounts share is written once, with the first that has it. */
function dataOf({ scenario, accounts }: State): object {
  const places = new Map<object, Place>()
  const all = [...accounts].map(([login, world]) => [login, sharedData(world, login, places)])
  return { scenario, accounts: Object.fromEntries(all) }
}

/** @throws StorageError if the text is not ours, or damaged */
export function readFileText(file: string, text: string): FileContent {
  const value = parse(text)
  if (value === undefined) throw notOurs(file, 'it is not complete JSON')
  if (!isObject(value) || value['format'] !== format) throw notOurs(file, 'it was not written by proxysim')
  if (value['version'] !== version)
    throw notOurs(
      file,
      `it has format version ${String(value['version'])}, and this proxysim reads version ${version}`,
    )
  const { id, sequence, state, log } = value as unknown as FileContent & { state: StateData; log: unknown }
  const hasLog = log === 1
  if (text !== sealed(text.slice(0, text.lastIndexOf(',"checksum":')), hasLog))
    throw notOurs(file, 'its checksum is wrong, so it is damaged or was edited')
  return { id, sequence, state: stateOf(state), hasLog }
}

function stateOf({ scenario, accounts }: StateData): State {
  const worlds = new Map<Place, World>()
  const worldAt = (login: Place): World => {
    const world = worlds.get(login) ?? worldOf(accounts[login] as WorldData, worldAt)
    worlds.set(login, world)
    return world
  }
  return { scenario, accounts: new Map(Object.keys(accounts).map((login) => [login, worldAt(login)])) }
}

/** @param seal the checksum of the log's id @param places of tables in earlier lines of the log */
export function lineText(
  seal: number,
  sequence: number,
  written: Commit | State,
  places: WeakMap<object, Place>,
): string {
  let line: object
  if ('accounts' in written) line = { sequence, state: dataOf(written) }
  else {
    const { login: account, after, changes, isReplacement } = written
    line = isReplacement
      ? { sequence, account, world: after ? sharedData(after, sequence, places) : null }
      : { sequence, account, changes: changes.map(({ patch }) => patch) }
  }
  const json = JSON.stringify(line)
  return `${checksum(json, seal)} ${json}\n`
}

/**
 * Brings a file's content up to date with its log. Only an incomplete last line is ignored: it comes from a write that
 * was never answered.
 * @returns the bytes of such a line
 * @throws StorageError if a line is damaged or missing, or the log belongs to another file
 */
export function readLog(log: string, bytes: Buffer, content: FileContent): number {
  const { id, sequence: contained, hasLog } = content
  const placed = new Map<Place, World>()
  let read = 0
  for (let number = 1; read < bytes.length; number++) {
    const end = bytes.indexOf('\n', read)
    const line = lineOf(id, bytes.subarray(read, end))
    // An interrupted write leaves a part of a line; of a whole one, the line break was changed.
    if (end === -1 && !line) break
    if (end === -1 || !line) throw damaged(log, number, read)
    const { sequence } = line
    if (sequence > content.sequence + 1 || (sequence > contained && sequence <= content.sequence))
      throw notOurs(
        `${log}:${number}`,
        `it has change ${sequence}, but change ${content.sequence + 1} is missing`,
      )
    if (sequence > contained) {
      if (!hasLog) throw notOurs(log, `its file was stopped without one, so the two don't belong together`)
      content.state = applied(`${log}:${number}`, content.state as State, line, placed)
      content.sequence = sequence
    }
    read = end + 1
  }
  return bytes.length - read
}

/** The content of a line, if its checksum is right. */
function lineOf(id: string, line: Buffer): Line | undefined {
  const json = line.subarray(9)
  const isWhole = line.toString('latin1', 0, 9) === `${checksum(json, crc32(id))} `
  return isWhole ? (parse(json.toString()) as Line) : undefined
}

/** The state after a line. Nobody else has the map that was read, so it is changed in place. */
function applied(where: string, state: State, line: Line, placed: Map<Place, World>): State {
  if ('state' in line) return stateOf(line.state)
  const accounts = state.accounts as Map<string, World>
  const { account, sequence } = line
  const needed = (world: World | undefined): World => {
    if (!world) throw notOurs(where, 'it needs what is missing, so it belongs to another file')
    return world
  }
  if ('changes' in line) accounts.set(account, line.changes.reduce(change, needed(accounts.get(account))))
  else if (line.world === null) accounts.delete(account)
  else {
    const world = worldOf(line.world, (place) => needed(placed.get(place)))
    placed.set(sequence, world)
    accounts.set(account, world)
  }
  return state
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Eight hex digits. */
function checksum(content: string | Buffer, seed = 0): string {
  return crc32(content, seed).toString(16).padStart(8, '0')
}

export function notOurs(file: string, why: string): StorageError {
  return new StorageError(
    `${file} can't be used: ${why}. It was left unchanged. Name another file with --db, or move this one away.`,
  )
}

function damaged(log: string, number: number, before: number): StorageError {
  return new StorageError(
    `${log}:${number} is damaged or belongs to another file, so changes that were answered are missing. It was left unchanged. Restore it; or truncate it to ${before} bytes to go on without this line and those after it; or name another file with --db.`,
  )
}
