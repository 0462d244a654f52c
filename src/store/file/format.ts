import { crc32 } from 'node:zlib'
import { describeMistake } from '../../lib/jsonMistake.ts'
import { applyPatch, worldFromJson } from '../../world/change.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'
import { type ReplacedState, LocalState, type StateChange } from '../LocalState.ts'
import type { State } from '../State.ts'
import { StorageError } from '../StorageError.ts'

/** A line of a log: its number, and its checksum, which seeds the checksum of the next line. */
export interface Position {
  sequence: number
  checksum: string
}

export interface FileContent {
  /** The last line whose change the file contains; later changes are in the log */
  position: Position
  /** Null if there is no file yet */
  state: LocalState | null
  /** Whether a log with later changes may exist; false after a clean stop */
  hasLog: boolean
  /** The state of a file whose checksum is wrong, as it was parsed */
  edited?: unknown
}

interface StateData {
  scenario: State['scenario']
  accounts: Record<string, WorldData>
}

/** The first line of a log, with the position of the change before the next line */
interface Header {
  version: number
  after: Position
}

/** A line of a log, after its checksum. */
type Line = { sequence: number } & (
  | { account: string; patches: readonly WorldChange[] }
  | { account: string; replacement: WorldData | null; time: string }
  | { state: StateData; time: string }
)

const format = 'proxysim-state'
const version = 7

/**
 * Marks the end of a log with the number of the last change. Without it, the log was cut off or its last write was
 * interrupted.
 */
export function endMark({ sequence }: Position): string {
  return `.${sequence}`
}

export function fileText({ position, state, hasLog }: FileContent): string {
  const { beforeLoad } = state ?? {}
  const replaced = beforeLoad && { ...beforeLoad, state: toJson(beforeLoad.state) }
  const json = JSON.stringify({
    format,
    version,
    position,
    state: state && toJson(state),
    beforeLoad: replaced,
  })
  return withChecksum(json.slice(0, -1), hasLog)
}

function toJson({ scenario, accounts }: Pick<State, 'scenario' | 'accounts'>): object {
  return { scenario, accounts: Object.fromEntries(accounts) }
}

/** Completes a JSON text with its checksum and a flag for the log. */
function withChecksum(text: string, hasLog: boolean): string {
  return `${text},"checksum":"${checksum(text)}","log":${Number(hasLog)}}\n`
}

/** @throws StorageError if another program wrote the file, or it is incomplete */
export function readFileText(file: string, text: string): FileContent {
  const value = parse(text)
  if (value === undefined) throw unusableFile(file, `it is not valid JSON: ${describeMistake(text)}`)
  if (!isObject(value) || value['format'] !== format)
    throw unusableFile(file, 'it was not written by proxysim')
  if (value['version'] !== version)
    throw unusableFile(
      file,
      `it has format version ${String(value['version'])}, and this proxysim reads version ${version}`,
    )
  const hasLog = value['log'] === 1
  const { position, state, beforeLoad } = value as unknown as FileContent & {
    state: StateData
    beforeLoad?: Omit<ReplacedState, 'state'> & { state: StateData }
  }
  if (text !== withChecksum(text.slice(0, text.lastIndexOf(',"checksum":')), hasLog))
    return { position, state: null, hasLog, edited: state }
  const replaced = beforeLoad && { ...beforeLoad, state: parseState(beforeLoad.state) }
  return { position, state: new LocalState(parseState(state), replaced), hasLog }
}

function parseState({ scenario, accounts }: StateData): State {
  const worlds = Object.entries(accounts).map(([login, data]) => [login, worldFromJson(data)] as const)
  return { scenario, accounts: new Map(worlds) }
}

export function headerText(after: Position): string {
  return withLineChecksum({ format: 'proxysim-log', version, after })
}

/**
 * Renders changes as lines of the log.
 * @param last the line before the first one
 */
export function renderLines(
  changes: readonly StateChange[],
  last: Position,
): { text: string; position: Position } {
  let text = ''
  let position = last
  for (const change of changes) {
    const sequence = position.sequence + 1
    const line = withLineChecksum({ sequence, ...toLine(change) }, position.checksum)
    position = { sequence, checksum: line.slice(0, 8) }
    text += line
  }
  return { text, position }
}

function toLine(change: StateChange): object {
  if ('after' in change) return { account: change.account, patches: change.patches }
  return 'replacement' in change ? change : { state: toJson(change.state), time: change.time }
}

/** @param previous the checksum of the previous line */
function withLineChecksum(line: object, previous?: string): string {
  const json = JSON.stringify(line)
  return `${checksum(json, previous)} ${json}\n`
}

/** The end of the last whole line of a log, and a warning if changes may be missing after it. */
interface LogEnd {
  bytes: number
  warning: string | undefined
}

/**
 * Brings a file's content up to date with its log.
 * @throws StorageError if a line is damaged or missing, or the log belongs to another file
 */
export function readLog(log: string, bytes: Buffer, content: FileContent): LogEnd {
  const { position: contained, hasLog } = content
  const zero = bytes.indexOf(0)
  if (zero >= 0)
    throw damagedLog(log, 'has NUL bytes, as after a power failure', bytes.lastIndexOf('\n', zero) + 1)
  let last: WholeLine | undefined
  for (const whole of readLines(log, bytes)) {
    const { sequence, checksum: ownChecksum } = whole.position
    if (!last && sequence > contained.sequence)
      throw unusableFile(
        log,
        `it begins after change ${sequence}, but its file ends with change ${contained.sequence}`,
      )
    if (sequence === contained.sequence && ownChecksum !== contained.checksum)
      throw unusableFile(log, 'it belongs to another file')
    last = whole
    if (sequence <= contained.sequence || 'after' in whole.line) continue
    if (!hasLog)
      throw unusableFile(log, `its file was closed without a log, so the two don't belong together`)
    content.state?.apply(toStateChange(content.state, whole.line))
    content.position = whole.position
  }
  const end = last?.end ?? 0
  return { bytes: end, warning: hasLog ? findLoss(log, bytes, end, last?.position) : undefined }
}

interface WholeLine {
  line: Line | Header
  position: Position
  /** Offset after its line break */
  end: number
}

/** Reads the whole lines of a log. @throws StorageError at one that is damaged, or doesn't follow the one before it */
function* readLines(log: string, bytes: Buffer): Generator<WholeLine> {
  let position: Position | undefined
  let start = 0
  for (let number = 1, end = 0; (end = bytes.indexOf('\n', start)) >= 0; number++, start = end + 1) {
    const text = bytes.subarray(start, end)
    const line = parseLine(text, position)
    if (!line) throw damagedLog(`${log}:${number}`, 'is damaged, or a line before it is missing', start)
    position =
      'after' in line ? line.after : { sequence: line.sequence, checksum: text.toString('latin1', 0, 8) }
    yield { line, position, end: end + 1 }
  }
}

/**
 * A warning if changes may be missing at the end of a log.
 * @param start the end of its last whole line
 * @throws StorageError if the end mark counts more changes, or the end can't be that of an interrupted write
 */
function findLoss(log: string, bytes: Buffer, start: number, last: Position | undefined): string | undefined {
  if (!last) throw damagedLog(log, 'has no first line', 0)
  const mark = endMark(last)
  const tail = bytes.subarray(start)
  const end = tail.toString('latin1').trimEnd() // a killed process may have left the spaces of a health check
  if (end === mark) return undefined
  const missing = `changes after change ${last.sequence} are missing`
  if (mark.startsWith(end))
    return `The end mark of ${log} is missing, so the log was probably truncated, and ${missing}.`
  // An interrupted write leaves the beginning of a line. A whole line without a line break means that the log was edited.
  const line = tail.subarray(0, tail.lastIndexOf('}') + 1)
  const isWhole = line.length < tail.length && parseLine(line, last)
  if (isWhole || !/^[\da-f]/.test(end))
    throw damagedLog(log, `is damaged at its end: ${missing}, or it was edited`, start)
  return `The last line of ${log} is incomplete (${tail.length} bytes) and was dropped. If the simulator was killed while writing it, no confirmed change is lost. If the log was truncated in another way, ${missing}.`
}

/** Whether a log contains no change, as after a first start that was killed before it wrote the file. */
export function hasNoChange(bytes: Buffer): boolean {
  const end = bytes.indexOf('\n')
  const header = parseLine(bytes.subarray(0, Math.max(end, 0)))
  const isNew = header && 'after' in header && header.after.sequence === 0
  return bytes.length === 0 || (isNew === true && /^\.0? *$/.test(bytes.subarray(end + 1).toString()))
}

/** Parses a line without its line break; undefined if its checksum is wrong. @param previous the previous line */
function parseLine(line: Buffer, previous?: Position): Line | Header | undefined {
  const json = line.subarray(9)
  const isWhole = line.toString('latin1', 0, 9) === `${checksum(json, previous?.checksum)} `
  const value = isWhole ? (parse(json.toString()) as Line | Header | undefined) : undefined
  if (!value) return undefined
  const isNext = 'after' in value ? !previous : value.sequence === (previous?.sequence ?? NaN) + 1
  return isNext ? value : undefined
}

/**
 * The change in a line.
 * @param state the state before the change
 */
function toStateChange({ accounts }: LocalState, line: Line): StateChange {
  if ('state' in line) return { state: parseState(line.state), time: line.time }
  const { account } = line
  if (!('patches' in line))
    return { account, replacement: line.replacement && worldFromJson(line.replacement), time: line.time }
  const { patches } = line
  return { account, patches, after: patches.reduce(applyPatch, accounts.get(account) as World) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A checksum of eight hex digits. @param previous the checksum of the previous line */
function checksum(content: string | Buffer, previous = '0'): string {
  return crc32(content, Number.parseInt(previous, 16)).toString(16).padStart(8, '0')
}

export function unusableFile(
  file: string,
  problem: string,
  advice = 'Move it away, or use another file.',
): StorageError {
  const end = /[.?]$/.test(problem) ? '' : '.'
  return new StorageError(`${file} can't be used: ${problem}${end} It was left unchanged.`, { advice })
}

/** @param validBytes number of bytes before the damage */
function damagedLog(location: string, problem: string, validBytes: number): StorageError {
  // A log without its first line is also refused.
  const shorten =
    validBytes > 0
      ? ` Or truncate it to ${validBytes} bytes, which removes this line and all later ones.`
      : ''
  return new StorageError(
    `${location} ${problem}, so confirmed changes are missing. It was left unchanged.`,
    { advice: `Restore it, or use another file.${shorten}` },
  )
}
