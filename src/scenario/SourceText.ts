import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml'
import type { Issue } from '../lib/Issue.ts'
import { duplicateKey, hasPrototypeKey, isDeep, parseJson } from '../lib/json.ts'
import { findJsonMistake } from '../lib/jsonMistake.ts'
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

/** Reads a scenario or fixture. @throws ScenarioError */
export async function readSourceFile(file: string): Promise<SourceText> {
  return readSource(await readSourceText(file), file)
}

/** Reads the text of a scenario file, which must be UTF-8. @throws ScenarioError */
export async function readSourceText(file: string): Promise<string> {
  const refuse = (message: string): never => {
    throw new ScenarioError([{ file, path: '', message }])
  }
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
  const body = withoutMark(text)
  if (body.trim() === '' || isDeep(body) || parseJson(body) !== undefined) return
  const mistake = body.length > maxYamlBytes ? undefined : findJsonMistake(body)
  const message = `Not valid JSON${mistake ? `: ${mistake.problem}` : ''}`
  throw new ScenarioError([{ file, ...(mistake && locateOffset(body, mistake.index)), path: '', message }])
}

/** A text without a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
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
  const body = withoutMark(text)
  const refuse = (message: string, offset?: number): never => {
    const place = offset === undefined ? {} : locateOffset(body, offset)
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
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
  if (!isObject(value))
    return refuse(
      value === null ? `Empty. ${expected}` : expected,
      value === null ? 0 : body.search(/[^\s#]/),
    )
  if (hasPrototypeKey(value)) refuse('Unknown field "__proto__"', body.indexOf('__proto__'))
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      if (size <= maxYamlBytes) root ??= parse(body)
      const place = root ? locateOffset(body, findOffset(root, path, isKey)) : {}
      return { file, ...place, path: path.join('.'), message }
    },
  }
}

/** The parser's own search for duplicate keys takes quadratic time. Keys are text as it is written: the login 007 isn't 7. */
const options = {
  schema: 'core',
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  merge: false,
} as const

/** Maximum nesting, as in JSON */
const maxDepth = 100

/** Parses YAML, in which a carriage return alone ends a line, too. Offsets are those of the text. */
function parse(text: string): Document {
  return parseDocument(text.replaceAll(/\r(?!\n)/g, '\n'), options)
}

function parseYaml(text: string, refuse: (message: string, offset?: number) => never): Document {
  try {
    const document = parse(text)
    const [error] = [...document.errors, ...document.warnings]
    if (error?.code === 'MULTIPLE_DOCS')
      refuse('A second document begins here. A file may contain only one', error.pos[0])
    if (error?.code === 'NON_STRING_KEY') refuse('A key must be text. Put quotes around it', error.pos[0])
    if (error?.message.startsWith('Maximum call stack')) refuse(tooDeep)
    if (error) refuse(`Not valid YAML: ${error.message}`, error.pos[0])
    checkNodes(document, refuse)
    return document
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refuse(tooDeep)
  }
}

const tooDeep = `Nested too deeply. At most ${maxDepth} levels are allowed`

/** Refuses anchors, keys that appear twice, and numbers that are probably meant as text. */
function checkNodes(document: Document, refuse: (message: string, offset?: number) => never): void {
  visit(document, {
    Alias: (_key, { range }) => refuse('Anchors and aliases are not supported. Repeat the value', range?.[0]),
    Node(_key, node, path) {
      // With aliases, a short text can have a huge value.
      if (node.anchor !== undefined)
        refuse('Anchors and aliases are not supported. Repeat the value', node.range?.[0])
      if (path.length > 2 * maxDepth) refuse(tooDeep, node.range?.[0])
      if (isScalar(node) && typeof node.value === 'number' && /^[-+]?0\d+$/.test(node.source ?? ''))
        refuse(
          `Write ${node.value} if ${node.source} is a number, or put quotes around it if it is text`,
          node.range?.[0],
        )
      if (!isMap(node)) return
      const keys = new Set<unknown>()
      for (const { key } of node.items) {
        const { value, range } = key as { value: unknown } & Node
        if (keys.has(value)) refuse('This key appears twice', range?.[0])
        keys.add(value)
      }
    },
  })
}

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

/** Converts an offset to a line and a column, both starting at 1. */
function locateOffset(text: string, offset: number): { line: number; column: number } {
  const starts = [
    0,
    ...Array.from(text.slice(0, offset).matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length),
  ]
  return { line: starts.length, column: offset - (starts.at(-1) ?? 0) + 1 }
}
