import { readFileSync } from 'node:fs'
import { isObject } from '../../world/mergePatch.ts'
import { StateFileError } from '../../store/StorageError.ts'
import { logFormat, type LogHeader, type LogPosition } from './ChangeLog.ts'
import { checksum, digits } from './checksum.ts'
import { decode, notOurs } from './StateFile.ts'

export interface ReadLog {
  file: string
  generation: number
  /** Where to continue; undefined if there is no header: an empty log, or version 1 */
  position: LogPosition | undefined
  header: LogHeader | undefined
  patches: unknown[]
  /** Bytes of complete lines, and of an incomplete last line */
  whole: number
  torn: number
}

const newline = 10
/** Length of a line's prefix: the checksum and a space */
const prefix = 9

/**
 * Reads the patches of a log, and verifies each. Only an incomplete last line is ignored, as it can only come from a
 * write that was never acknowledged.
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
      // A complete line whose newline has changed: an interrupted write can't leave another byte there.
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

/** The content of a line, if its checksum is right. */
function lineOf(line: Buffer, before: number): unknown {
  const json = line.subarray(prefix)
  if (line.toString('latin1', 0, prefix) !== `${digits(checksum(json, before))} `) return undefined
  return JSON.parse(decode(json))
}

/** Version 1 had only the JSON. */
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
