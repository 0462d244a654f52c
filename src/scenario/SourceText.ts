import { isObject } from '../world/mergePatch.ts'
import { jsonMistake } from './jsonMistake.ts'
import { locatorOf, parseYaml } from './parseYaml.ts'
import type { Issue } from '../Issue.ts'
import { longestYaml } from '../longestYaml.ts'
import { placeIn, readSourceText, type Place } from './readSourceText.ts'
import { ScenarioError } from './ScenarioError.ts'

export type Path = readonly (string | number)[]

/** A parsed YAML or JSON text, which can map a path back to its line. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** An issue with the value at a path, or with its key; if it doesn't exist, at its closest ancestor. */
  issue: (path: Path, message: string, isKey?: boolean) => Issue
}

/** From this length on, JSON is parsed as such: a large state loads fast, and nobody needs its line numbers. */
const jsonOnlyFrom = 256 * 1024
/** Maximum accounts per scenario */
const mostAccounts = 100_000

/**
 * Parses a scenario or fixture.
 * @param file its name in messages
 * @throws ScenarioError with line and column
 */
export function readSource(text: string, file: string): SourceText {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const refuse = (message: string, place: Partial<Place> = {}): never => {
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

/** Parses such a file. @throws ScenarioError, TooLong */
export async function readSourceFile(file: string, shown = file, longest = Infinity): Promise<SourceText> {
  return readSource(await readSourceText(file, shown, longest), shown)
}

function readYaml(text: string, file: string): SourceText {
  const parsed = parseYaml(text)
  const issueAt = (offset: number, path: Path, message: string): Issue => {
    const { line, col: column } = parsed.lines.linePos(offset)
    return { file, line, column, path: path.join('.'), message }
  }
  if ('mistakes' in parsed)
    throw new ScenarioError(parsed.mistakes.map(({ offset, message }) => issueAt(offset, [], message)))
  const locate = locatorOf(parsed.document)
  return {
    file,
    value: parsed.value,
    issue: (path, message, isKey) => issueAt(locate(path, isKey), path, message),
  }
}

function readLargeJson(text: string, file: string): SourceText {
  const refuse = (message: string, path = ''): never => {
    throw new ScenarioError([{ file, path, message }])
  }
  let value: unknown
  let mistake: string | undefined
  try {
    mistake = jsonMistake(text)
    value = mistake === undefined && JSON.parse(text)
  } catch (error) {
    mistake = `it is not valid JSON: ${(error as Error).message}`
  }
  if (mistake !== undefined) refuse(mistake)
  const accounts = isObject(value) && isObject(value['accounts']) ? Object.keys(value['accounts']).length : 0
  if (accounts > mostAccounts) refuse(`there are ${accounts}; at most ${mostAccounts} are taken`, 'accounts')
  return {
    file,
    value: value as Record<string, unknown>,
    issue: (path, message) => ({ file, path: path.join('.'), message }),
  }
}
