import { readFileSync } from 'node:fs'
import { isObject } from '../../world/mergePatch.ts'
import { StateFileError } from '../StorageError.ts'
import { logFormat, type LogHeader, type LogPosition } from './ChangeLog.ts'
import { checksum, digits } from './checksum.ts'
import { decode } from './decode.ts'
import { notOurs } from './StateFile.ts'

export interface ReadLog {
  file: string
  generation: number
  /** Where to go on; undefined in a log without a header: an empty one, or one of version 1. */
  position: LogPosition | undefined
  header: LogHeader | undefined
  patches: unknown[]
  /** Bytes that are whole, and of a last line that breaks off */
  whole: number
  torn: number
}

const newline = 10
/** Begin of a line: the checksum, and what it is of */
const prefix = 9

/**
 * The patches of a log, each checked. A last line that breaks off is left out: only a write that was never answered
 * leaves one. Nothing else is.
 * @throws StateFileError if a line is damaged
 */
export function readLog(file: string, generation: number): ReadLog {
  const bytes = readFileSync(file)
  const read: ReadLog = {
    file,
    generation,
    position: undefined,
    header: undefined,
    patches: [],
    whole: 0,
    torn: 0,
  }
  const isOld = /^[[{]/.test(bytes.toString('latin1', 0, 1))
  let sum = 0
  for (let number = 1; read.whole < bytes.length; number++) {
    const end = bytes.indexOf(newline, read.whole)
    const line = bytes.subarray(read.whole, end === -1 ? bytes.length : end)
    if (end === -1) {
      if (number === 1 && !isOld && !/^[\da-f]{0,8}$|^[\da-f]{8} /.test(line.toString('latin1')))
        throw notOurs(file, 'it does not begin like a change log')
      // Whole but for its end: nothing that breaks off leaves a byte there that is not a newline.
      if (!isOld && lineOf(line.subarray(0, -1), sum)) throw damaged(file, number, read.whole)
      read.torn = line.length
      break
    }
    const value = isOld ? oldLine(line) : lineOf(line, sum)
    if (value === undefined) {
      if (number === 1) throw notOurs(file, 'it does not begin like a change log')
      throw damaged(file, number, read.whole)
    }
    read.whole = end + 1
    if (!isOld) sum = checksum(line.subarray(prefix), sum)
    if (!isOld && number === 1) {
      read.header = headerOf(file, value, generation)
      read.position = { generation, id: digits(sum), begin: read.whole, end: 0, sum }
    } else if (Array.isArray(value) && value.every(isObject)) read.patches.push(...value)
    else if (isObject(value)) read.patches.push(value)
    else throw damaged(file, number, read.whole)
  }
  if (read.position) read.position = { ...read.position, end: read.whole, sum }
  return read
}

/** What a line holds, if its checksum is right. */
function lineOf(line: Buffer, before: number): unknown {
  const json = line.subarray(prefix)
  if (line.toString('latin1', 0, prefix) !== `${digits(checksum(json, before))} `) return undefined
  return JSON.parse(decode(json))
}

/** Version 1 had the JSON alone. */
function oldLine(line: Buffer): unknown {
  try {
    return JSON.parse(decode(line))
  } catch {
    return undefined
  }
}

function headerOf(file: string, value: unknown, generation: number): LogHeader {
  if (!isObject(value) || value['format'] !== logFormat)
    throw notOurs(file, 'it does not begin like a change log')
  if (value['version'] !== 2)
    throw notOurs(
      file,
      `it has format version ${String(value['version'])}, and this proxysim reads version 2`,
    )
  if (value['generation'] !== generation)
    throw notOurs(file, `it is the log of generation ${String(value['generation'])} under another name`)
  return value as unknown as LogHeader
}

function damaged(file: string, line: number, before: number): StateFileError {
  return new StateFileError(
    `${file}:${line} is damaged, so changes that were answered are missing. It was left unchanged. Restore it; or truncate it to ${before} bytes to go on without this line and those after it; or name another file with --db.`,
  )
}
