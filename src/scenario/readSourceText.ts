import { readFile, stat } from 'node:fs/promises'
import { maxTextBytes, maxTextPhrase } from './bounds.ts'
import { placesIn } from './positions.ts'
import { ScenarioError } from './ScenarioError.ts'

/**
 * The text of a scenario or fixture file: YAML or JSON, in UTF-8.
 * @param shown the file's name in messages
 * @throws ScenarioError
 */
export async function readSourceText(file: string, shown = file): Promise<string> {
  const refuse = (message: string, place: object = {}): never => {
    throw new ScenarioError([{ file: shown, ...place, path: '', message }])
  }
  const unreadable = (error: NodeJS.ErrnoException) => refuse(`Can't be read (${error.code})`)
  const about = await stat(file).catch(unreadable)
  // A pipe may be a shell's `<(command)`.
  if (!about.isFile() && !about.isFIFO()) refuse('Not a file')
  if (about.size > maxTextBytes) refuse(`${about.size} bytes. ${maxTextPhrase}`)
  const bytes = await readFile(file).catch(unreadable)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // What is decoded with replacement characters differs from the first bad byte on.
    const replaced = Buffer.from(bytes.toString())
    const end = replaced.findIndex((byte, at) => byte !== bytes[at])
    const before = bytes.subarray(0, end).toString()
    return refuse('Not UTF-8 text', placesIn(before)(before.length))
  }
}
