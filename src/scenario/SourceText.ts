import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  visit,
} from 'yaml'
import { withoutMark } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import { shorten } from '../lib/text.ts'
import { findLostKey, findTooDeep, maxDepth, parseJson } from '../lib/json.ts'
import { findJsonMistake, lineAndColumn } from '../lib/jsonMistake.ts'
import { type PathIssue, pathText } from '../lib/PathIssue.ts'
import { isObject } from '../world/mergePatch.ts'
import { maxTextBytes, maxYamlBytes, textSizeIssue } from './bounds.ts'
import { ScenarioError } from './ScenarioError.ts'

/** A parsed YAML or JSON text that can locate its values. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /**
   * Adds the location of a value or of its key to an issue; if neither exists, that of the closest ancestor. In JSON of more than
   * 256 KB, issues have no location.
   */
  locate: (issue: PathIssue) => Issue
}

/** Reports a mistake at an offset of a text, or in the whole text. */
type Refuse = (message: string, offset?: number) => never

/** Reads a scenario or fixture. @throws ScenarioError */
export async function readSourceFile(file: string): Promise<SourceText> {
  return readSource(await readSourceText(file), file)
}

/** Reads the text of a scenario file, which must be UTF-8. @throws ScenarioError */
export async function readSourceText(file: string): Promise<string> {
  const refuse = refuseIn('', file)
  const unreadable = (error: NodeJS.ErrnoException): never => refuse(`Can't be read (${error.code})`)
  const stats = await stat(file).catch(unreadable)
  // A pipe may come from a shell's `<(command)`.
  if (!stats.isFile() && !stats.isFIFO()) refuse('Not a regular file')
  if (stats.size > maxTextBytes) refuse(textSizeIssue(stats.size, true) ?? '')
  const bytes = await readFile(file).catch(unreadable)
  return isUtf8(bytes) ? bytes.toString() : refuse('Not UTF-8 text. Save it as UTF-8')
}

function refuseIn(text: string, file: string): Refuse {
  return (message, offset) => {
    const place = offset === undefined ? {} : lineAndColumn(text, offset)
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
}

/** A text without a byte order mark, in which a carriage return alone ends a line, too. */
function normalized(text: string): string {
  return withoutMark(text).replaceAll(/\r(?!\n)/g, '\n')
}

/**
 * Parses a scenario or fixture as YAML, which includes JSON.
 * @param file its name in messages
 * @param mustBeJson whether only JSON is accepted. @default that the name ends in `.json`
 * @param expected what the text must be, for the message if it isn't a map
 * @throws ScenarioError with line and column
 */
export function readSource(
  text: string,
  file: string,
  mustBeJson = /\.json$/i.test(file),
  expected = 'A scenario is a map of fields: description, and accounts or extends',
): SourceText {
  const body = normalized(text)
  const refuse = refuseIn(body, file)
  const size = Buffer.byteLength(body)
  const json = parseJson(body)
  const tooLong = textSizeIssue(size, mustBeJson || json !== undefined)
  if (tooLong !== undefined) refuse(tooLong)
  if (json === undefined && mustBeJson && body.trim() !== '') {
    const deep = findTooDeep(body)
    if (deep >= 0) refuse(tooDeep, deep)
    const { problem, index } = findJsonMistake(body)
    refuse(`Not valid JSON: ${problem}`, index)
  }
  const lostKey = json === undefined ? undefined : findLostKey(body, json)
  if (lostKey !== undefined && size > maxYamlBytes) refuse(lostKey)
  let root = json === undefined || lostKey !== undefined ? parseYaml(body, refuse) : undefined
  const value = root ? (root.toJS() as unknown) : json
  if (!isObject(value)) return refuse(expected, 0)
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      if (size <= maxYamlBytes) root ??= parseYaml(body, refuse)
      const place = root ? lineAndColumn(body, findOffset(root, path, isKey)) : {}
      return { file, ...place, path: pathText(path), message }
    },
  }
}

/** Keys are text as it is written: the login 007 isn't 7. The parser's own search for duplicates takes quadratic time. */
const options = { schema: 'core', stringKeys: true, uniqueKeys: false, merge: false } as const

/**
 * Parses YAML. It is read token by token, and refused at the first mistake, because the parser's time for thousands of mistakes or
 * levels isn't bounded.
 */
function parseYaml(text: string, refuse: Refuse): Document {
  const parser = new Parser()
  const composer = new Composer(options)
  let mistake: [offset: number, message: string] | undefined
  const refuseFirst = (offset: number, message: string): never => {
    mistake ??= [offset, `Not valid YAML: ${shorten(message)}`]
    return refuse(mistake[1], mistake[0])
  }
  // A private member. Without it, the composer collects all mistakes with stack traces: 4 s for a quarter of a megabyte. It catches
  // what is thrown at a level, and reports it as a mistake of the level above.
  Object.assign(composer, {
    onError: (at: number | [number, number] | CST.Token, _code: string, message: string) =>
      refuseFirst(typeof at === 'number' ? at : Array.isArray(at) ? at[0] : at.offset, message),
  })
  let isFirst = true
  const compose = (tokens: Iterable<CST.Token>): void => {
    for (const token of tokens) {
      if (token.type === 'error') refuseFirst(token.offset, token.message)
      if (token.type === 'document' && !isFirst) refuse('A file may contain only one document', token.offset)
      isFirst &&= token.type !== 'document'
      Array.from(composer.next(token))
    }
  }
  let before = ''
  for (const lexeme of new Lexer().lex(text)) {
    // With aliases, a short text can have a huge value.
    if (/^[&*]/.test(lexeme) && before !== scalarMark)
      refuse('Anchors and aliases are not supported. Repeat the value', parser.offset)
    before = lexeme
    compose(parser.next(lexeme))
    if (parser.stack.length > maxDepth + 2) refuse(tooDeep, parser.offset) // with the document and a scalar
  }
  compose(parser.end())
  const [document] = Array.from(composer.end(true, text.length)) as [Document]
  const [error] = document.errors
  if (error) refuseFirst(error.pos[0], error.message)
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        const { value, range } = key as { value: unknown } & Node
        if (keys.has(value)) refuse('This key appears twice', range?.[0])
        if (value === '__proto__') refuse('Unknown field "__proto__"', range?.[0])
        keys.add(value)
      }
    },
  })
  return document
}

const tooDeep = `Nested too deeply. At most ${maxDepth} levels are allowed`

/** The lexer's token before a scalar */
const scalarMark = '\u001F'

/** The offset of the value at a path. For a list or map, this is the offset of its key. */
function findOffset({ contents }: Document, path: PathIssue['path'], isKey: boolean): number {
  let key: Node | null = contents
  let value: unknown = contents
  for (const part of path) {
    const item = isSeq(value) ? (value.items[Number(part)] as Node | undefined) : undefined
    const pair = isMap(value)
      ? value.items.find((one) => isScalar(one.key) && one.key.value === String(part))
      : undefined
    if (!item && !pair) break
    key = item ?? (pair?.key as Node)
    value = item ?? pair?.value
  }
  const isShown = !isKey && isScalar(value) && value.value !== null
  return (isShown ? (value as Node) : key)?.range?.[0] ?? 0
}
