import { readFile, stat } from 'node:fs/promises'
import { ScenarioError } from './ScenarioError.ts'

/** It is to be read in another thread. */
export class TooLong extends Error {}

/** A state of some 300,000 services. */
const largestFile = 256 * 1024 * 1024

export interface Place {
  line: number
  column: number
}

/**
 * The text of a scenario or fixture file: YAML or JSON, in UTF-8.
 * @param shown the file's name in messages
 * @throws ScenarioError, TooLong
 */
export async function readSourceText(file: string, shown = file, longest = Infinity): Promise<string> {
  const refuse = (message: string, place: Partial<Place> = {}): never => {
    throw new ScenarioError([{ file: shown, ...place, path: '', message }])
  }
  const unreadable = (error: NodeJS.ErrnoException) => refuse(`it can't be read (${error.code})`)
  const about = await stat(file).catch(unreadable)
  // A pipe may be a shell's `<(command)`.
  if (!about.isFile() && !about.isFIFO()) refuse('it is not a file')
  if (about.size > largestFile) refuse(`it has ${about.size} bytes; at most ${largestFile} are read`)
  if (about.size > longest) throw new TooLong()
  const bytes = await readFile(file).catch(unreadable)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('it is not UTF-8 text', placeOfBadByte(bytes))
  }
}

/** What was decoded with replacement characters differs from there on. */
function placeOfBadByte(bytes: Buffer): Place {
  const replaced = Buffer.from(bytes.toString())
  const end = replaced.findIndex((byte, at) => byte !== bytes[at])
  const before = bytes.subarray(0, end).toString()
  return placeIn(before, before.length)
}

export function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
