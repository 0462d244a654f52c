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
import type { Issue } from '../lib/Issue.ts'
import { duplicateKey, hasPrototypeKey, isDeep, parseJson } from '../lib/json.ts'
import { findJsonMistake, lineAndColumn } from '../lib/jsonMistake.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
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

/** Checks that a text is JSON, rather than YAML. @param file its name in messages @throws ScenarioError with line and column */
export function requireJson(text: string, file: string): void {
  const body = normalized(text)
  if (body.trim() === '' || isDeep(body) || parseJson(body) !== undefined) return
  const { problem, index } = findJsonMistake(body)
  refuseIn(body, file)(`Not valid JSON: ${problem}`, index)
}

function refuseIn(text: string, file: string): Refuse {
  return (message, offset) => {
    const place = offset === undefined ? {} : lineAndColumn(text, offset)
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
}

/** A text without a byte order mark, in which a carriage return alone ends a line, too. */
function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r(?!\n)/g, '\n')
}

/**
 * Parses a scenario or fixture. A `.json` file must be JSON; any other is YAML, which includes JSON.
 * @param file its name in messages
 * @param expected what the text must be, for the message if it isn't a map
 * @throws ScenarioError with line and column
 */
export function readSource(
  text: string,
  file: string,
  expected = 'A scenario is a map of fields: description, and accounts or extends',
): SourceText {
  const body = normalized(text)
  const refuse = refuseIn(body, file)
  const size = Buffer.byteLength(body)
  const tooLong = textSizeIssue(size, true)
  if (tooLong !== undefined) refuse(tooLong)
  if (/\.json$/i.test(file)) requireJson(text, file)
  const json = parseJson(body)
  // YAML rejects duplicate keys; in JSON, the last one would win.
  const duplicate = json === undefined ? undefined : duplicateKey(body, json)
  const isJson = json !== undefined && duplicate === undefined
  const tooLongYaml = isJson ? undefined : textSizeIssue(size, false)
  if (tooLongYaml !== undefined)
    refuse(duplicate === undefined ? tooLongYaml : `The key ${JSON.stringify(duplicate)} appears twice`)
  let root = isJson ? undefined : parseYaml(body, refuse)
  const value: unknown = root ? root.toJS() : json
  if (!isObject(value)) return refuse(expected, 0)
  if (hasPrototypeKey(value)) refuse('Unknown field "__proto__"', body.indexOf('__proto__'))
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      if (size <= maxYamlBytes) root ??= parseYaml(body, refuse)
      const place = root ? lineAndColumn(body, findOffset(root, path, isKey)) : {}
      return { file, ...place, path: path.join('.'), message }
    },
  }
}

/** Keys are text as it is written: the login 007 isn't 7. The parser's own search for duplicates takes quadratic time. */
const options = { schema: 'core', stringKeys: true, uniqueKeys: false, merge: false } as const

/** Maximum nesting, as in JSON */
const maxDepth = 100

/**
 * Parses YAML. It is read token by token, and refused at the first that can't be right, because the parser's time for thousands of
 * mistakes or levels isn't bounded.
 */
function parseYaml(text: string, refuse: Refuse): Document {
  const parser = new Parser()
  const composer = new Composer(options)
  let isFirst = true
  const compose = (tokens: Iterable<CST.Token>): void => {
    for (const token of tokens) {
      if (token.type === 'error') refuse(`Not valid YAML: ${token.message}`, token.offset)
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
  const [error] = [...document.errors, ...document.warnings]
  if (error) refuse(`Not valid YAML: ${error.message}`, error.pos[0])
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        const { value, range } = key as { value: unknown } & Node
        if (keys.has(value)) refuse('This key appears twice', range?.[0])
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
