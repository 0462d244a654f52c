import { isObject } from '../world/mergePatch.ts'
import { deepest, parseYaml } from './parseYaml.ts'
import { parseYamlAside } from './parseYamlAside.ts'
import { JsonError, parseLongJson } from './parseLongJson.ts'
import type { Issue } from '../Issue.ts'
import { longestYaml } from '../longestYaml.ts'
import { ScenarioError } from './ScenarioError.ts'

export type Path = readonly (string | number)[]

/** A parsed YAML or JSON text, which can map a path back to its line. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** An issue with the value at a path, or with its key; if it doesn't exist, at its closest ancestor. */
  issue: (path: Path, message: string, isKey?: boolean) => Issue
  /** How many parts of the path exist in the text. */
  reach: (path: Path) => number
}

/** From this length on, JSON is parsed as such: a large state loads fast, and nobody needs its line numbers. */
const jsonOnlyFrom = 256 * 1024
/** From this length on, YAML is parsed in another thread: a dense list of that takes 70 ms, a scenario 20. */
const asideFrom = 32 * 1024
/** Maximum accounts per scenario */
const mostAccounts = 100_000

/**
 * Parses a scenario or fixture.
 * @param file its name in messages
 * @throws ScenarioError with line and column
 */
export async function readSource(text: string, file: string): Promise<SourceText> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const refuse = (message: string, place: { line?: number; column?: number } = {}): never => {
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
  // The JSON parser rejects control characters itself.
  if (body.length >= jsonOnlyFrom && /^\s*\{/.test(body)) return readLargeJson(body, file)
  const size = Buffer.byteLength(body)
  if (size > longestYaml)
    refuse(`it has ${size} bytes; YAML may have ${longestYaml} (JSON may be larger: begin with "{")`)
  const control = body.search(/[\u0000-\u0008\u000e-\u001f]/)
  if (control >= 0)
    refuse('there is a control character here: this is not a text file', placeIn(body, control))
  return readYaml(body, file)
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

async function readYaml(text: string, file: string): Promise<SourceText> {
  const parsed = await (text.length < asideFrom ? parseYaml(text) : parseYamlAside(text))
  const at = placeAmong(parsed.lineStarts)
  if ('mistakes' in parsed)
    throw new ScenarioError(
      parsed.mistakes.map(({ offset, message }) => ({ file, ...at(offset), path: '', message })),
    )
  const { value, places } = parsed
  const locate = locator(value, places)
  return {
    file,
    value,
    issue: (path, message, isKey = false) => ({
      file,
      ...at(locate(path, isKey).offset),
      path: path.join('.'),
      message,
    }),
    reach: (path) => locate(path).reach,
  }
}

/** @param lineStarts offsets, in order; an empty line may be there twice */
function placeAmong(lineStarts: Int32Array): (offset: number) => { line: number; column: number } {
  return (offset) => {
    let [line, end] = [0, lineStarts.length]
    while (line < end) {
      const middle = (line + end) >> 1
      if ((lineStarts[middle] as number) < offset) line = middle + 1
      else end = middle
    }
    return lineStarts[line] === offset
      ? { line: line + 1, column: 1 }
      : { line, column: offset - (lineStarts[line - 1] as number) + 1 }
  }
}

/** Finds a path's position in the text, and how many of its parts exist. */
function locator(
  value: Record<string, unknown>,
  places: Int32Array,
): (path: Path, isKey?: boolean) => { offset: number; reach: number } {
  const known = new Map<object, Map<string, number>>()
  /** By name of a list's or map's members, which follow it at `at` */
  const membersOf = (holder: object, at: number): Map<string, number> => {
    const before = known.get(holder)
    if (before) return before
    const members = new Map<string, number>()
    let next = at + 3
    for (const name of Object.keys(holder)) {
      members.set(name, next)
      next += 3 * (places[next + 2] as number)
    }
    known.set(holder, members)
    return members
  }
  return (path, isKey = false) => {
    let found: unknown = value
    let at = 0
    for (const [reach, part] of path.entries()) {
      const name = String(Array.isArray(found) ? Number(part) : part)
      const member = typeof found === 'object' && found ? membersOf(found, at).get(name) : undefined
      if (member === undefined) return { offset: places[at] as number, reach }
      at = member
      found = (found as Record<string, unknown>)[name]
    }
    return { offset: places[isKey ? at : at + 1] as number, reach: path.length }
  }
}

async function readLargeJson(text: string, file: string): Promise<SourceText> {
  const value = await parseLongJson(text, deepest).catch((error: Error) => {
    throw error instanceof JsonError ? new ScenarioError([{ file, path: '', message: error.message }]) : error
  })
  const accounts = isObject(value) && isObject(value['accounts']) ? Object.keys(value['accounts']).length : 0
  if (accounts > mostAccounts)
    throw new ScenarioError([
      { file, path: 'accounts', message: `there are ${accounts}; at most ${mostAccounts} are taken` },
    ])
  return {
    file,
    value: value as Record<string, unknown>,
    issue: (path, message) => ({ file, path: path.join('.'), message }),
    reach: (path) => reachOf(value, path),
  }
}

function reachOf(value: unknown, path: Path): number {
  let found = value
  for (const [reach, part] of path.entries()) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return reach
    found = (found as Record<string | number, unknown>)[part]
  }
  return path.length
}
