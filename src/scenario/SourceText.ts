import type { Issue } from '../Issue.ts'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../world/invariants.ts'
import { maxTextBytes, maxTextPhrase } from './bounds.ts'
import { parseJson } from './parseJson.ts'
import { parseYaml } from './parseYaml.ts'
import { offsetOf, placesIn, type Position } from './positions.ts'
import { readSourceText } from './readSourceText.ts'
import { ScenarioError } from './ScenarioError.ts'
import { TextError } from './TextError.ts'

/** A parsed YAML or JSON text, which can tell where in it something is. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** An issue with the value at a path, or with its key; if it doesn't exist, at its closest ancestor. */
  locate: (issue: PathIssue) => Issue
}

const noMap = 'A scenario is a map of fields: description, and accounts or extends'

/**
 * Parses a scenario or fixture.
 * @param file its name in messages
 * @throws ScenarioError with line and column
 */
export function readSource(text: string, file: string): SourceText {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const size = Buffer.byteLength(body)
  if (size > maxTextBytes)
    throw new ScenarioError([{ file, path: '', message: `${size} bytes. ${maxTextPhrase}` }])
  const placeOf = placesIn(body)
  try {
    const { value, locate } = parse(body)
    let root: Position | undefined
    return {
      file,
      value,
      locate: ({ path, message, isKey }) => {
        root ??= locate()
        return { file, ...placeOf(offsetOf(root, path, isKey)), path: path.join('.'), message }
      },
    }
  } catch (error) {
    if (!(error instanceof TextError)) throw error
    throw new ScenarioError(
      error.issues.map(({ message, offset }) => ({ file, ...placeOf(offset), path: '', message })),
    )
  }
}

/** Reads such a file. @throws ScenarioError */
export async function readSourceFile(file: string, shown = file): Promise<SourceText> {
  return readSource(await readSourceText(file, shown), shown)
}

function parse(text: string): { value: Record<string, unknown>; locate: () => Position } {
  const { value, locate } = (/^\s*\{/.test(text) ? parseJson(text) : undefined) ?? parseYaml(readable(text))
  if (isObject(value)) return { value, locate }
  const message = value === null ? `Empty. ${noMap}` : noMap
  throw new TextError({ message, offset: value === null ? 0 : locate().value })
}

function readable(text: string): string {
  const offset = text.search(/[\u0000-\u0008\u000e-\u001f]/)
  if (offset >= 0) throw new TextError({ message: 'A control character: this is not a text file', offset })
  return text
}
