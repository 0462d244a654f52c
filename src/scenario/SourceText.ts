import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  type ScalarEvent,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml'
import type { Issue } from '../lib/Issue.ts'
import { duplicateKey, hasPrototypeKey, isDeep, parseJson } from '../lib/json.ts'
import { findJsonMistake } from '../lib/jsonMistake.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { isObject } from '../world/mergePatch.ts'
import { maxTextBytes, maxTextPhrase } from './bounds.ts'
import { ScenarioError } from './ScenarioError.ts'

/** A parsed YAML or JSON text that can locate its values. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** Adds the location of a value or of its key to an issue; if neither exists, that of the closest ancestor. */
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
  if (stats.size > maxTextBytes) refuse(`${stats.size} bytes. ${maxTextPhrase}`)
  const bytes = await readFile(file).catch(unreadable)
  return isUtf8(bytes) ? bytes.toString() : refuse('Not UTF-8 text. Save it as UTF-8')
}

/** Checks that a text is JSON, rather than YAML. @param file its name in messages @throws ScenarioError with line and column */
export function requireJson(text: string, file: string): void {
  const body = withoutMark(text)
  if (body.trim() === '' || isDeep(body) || parseJson(body) !== undefined) return
  const { index, problem } = findJsonMistake(body)
  throw new ScenarioError([
    { file, ...createLocator(body)(index), path: '', message: `Not valid JSON: ${problem}` },
  ])
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
  if (/\.json$/i.test(file)) requireJson(text, file)
  const body = withoutMark(text)
  const locateOffset = createLocator(body)
  const refuse = (message: string, place: object = {}): never => {
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
  const size = Buffer.byteLength(body)
  if (size > maxTextBytes) refuse(`${size} bytes. ${maxTextPhrase}`)
  const json = parseJson(body)
  // YAML rejects duplicate keys; in JSON, the last one would win.
  const isJson = json !== undefined && duplicateKey(body, json) === undefined
  const { value, root: parsed } = isJson
    ? { value: json, root: undefined }
    : parseYaml(body, (message, offset) => refuse(message, locateOffset(offset)))
  if (!isObject(value)) {
    return refuse(
      value === null ? `Empty. ${expected}` : expected,
      locateOffset(value === null ? 0 : skipSpace(body, 0)),
    )
  }
  if (hasPrototypeKey(value)) refuse(prototypeKey, locateOffset(body.indexOf('__proto__')))
  let root = parsed
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      root ??= parseJsonNodes(body)
      return { file, ...locateOffset(findOffset(root, path, isKey)), path: path.join('.'), message }
    },
  }
}

const prototypeKey = 'Unknown field "__proto__"'

/** Each level of a block counts twice. */
const limits = { maxDepth: 200 }

/** A value in a text, with its position. */
interface Node {
  start: number
  /** The text of a scalar: a string's content, or a number as written. Lists and maps have none */
  text?: string
  /** The value of a scalar */
  value?: unknown
  /** The parser's event of a scalar */
  event?: ScalarEvent
  /** The items of a list */
  items?: Node[]
  /** The keys and values of a map */
  entries?: [key: Node, value: Node][]
}

function parseYaml(
  text: string,
  refuse: (message: string, offset: number) => never,
): { value: unknown; root: Node | undefined } {
  try {
    const events = parseEvents(text, limits)
    // With aliases, a short text can have a huge value.
    const anchored = events.find((event) => 'anchorStart' in event && event.anchorStart >= 0)
    if (anchored && 'anchorStart' in anchored)
      refuse('Anchors and aliases are not supported. Repeat the value', anchored.anchorStart - 1)
    const [root, ...more] = buildNodes(text, events)
    if (more.length > 0)
      refuse('A second document begins here. A file may contain only one', text.lastIndexOf('\n---') + 1)
    if (root) checkNode(root, refuse)
    const [value = null] = constructFromEvents(events, { source: text, schema: CORE_SCHEMA })
    return { value, root }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const message = reason.startsWith('nesting exceeded')
      ? 'Nested too deeply. At most 100 levels are allowed'
      : `Not valid YAML: ${reason}`
    return refuse(message, Math.min(mark?.position ?? 0, text.length))
  }
}

/** Parses the nodes of a JSON text, which only issues need. If it isn't valid YAML, all issues are located at the top. */
function parseJsonNodes(text: string): Node {
  const top = { start: 0 }
  try {
    return buildNodes(text, parseEvents(text, limits))[0] ?? top
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    return top
  }
}

/** Builds a tree for each document. */
function buildNodes(text: string, events: readonly Event[]): Node[] {
  let next = 0
  /** Reads the nodes up to the end of the current document, list or map. */
  const readNodes = (): Node[] => {
    const nodes: Node[] = []
    for (let event = events[next++]; event && event.type !== EVENT_ID.POP; event = events[next++])
      if (event.type === EVENT_ID.DOCUMENT) nodes.push(...readNodes())
      else if (event.type === EVENT_ID.SCALAR) nodes.push(readScalar(text, event))
      else if (event.type === EVENT_ID.SEQUENCE) nodes.push({ start: event.start, items: readNodes() })
      else if (event.type === EVENT_ID.MAPPING) nodes.push({ start: event.start, entries: pair(readNodes()) })
    return nodes
  }
  return readNodes()
}

function readScalar(text: string, event: ScalarEvent): Node {
  const { valueStart, tagStart, style } = event
  const isQuoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
  const content = getScalarValue(text, event)
  const isPlain = style === SCALAR_STYLE.PLAIN && tagStart < 0
  return {
    start: isQuoted ? valueStart - 1 : valueStart,
    text: content,
    event,
    value: isPlain ? CORE_SCHEMA.resolveImplicitScalarTag(content).value : content,
  }
}

/** Splits a list of alternating keys and values into pairs. A key is text as it is written: the login 007 isn't 7. */
function pair(nodes: readonly Node[]): [key: Node, value: Node][] {
  return nodes.flatMap((key, i) => {
    if (i % 2 === 1) return []
    const value = nodes[i + 1] as Node
    if (key.start < 0) key.start = Math.max(value.start, 0) // an empty key has no position
    if (key.event && String(key.value) !== key.text) key.event.style = SCALAR_STYLE.SINGLE_QUOTED
    return [[key, value]]
  })
}

/** Refuses keys that appear twice or aren't text, and numbers that are probably meant as text. */
function checkNode(
  { start, text, value, items = [], entries = [] }: Node,
  refuse: (message: string, offset: number) => never,
): void {
  if (typeof value === 'number' && text && /^[-+]?0\d+$/.test(text))
    refuse(`Write ${value} if ${text} is a number, or put quotes around it if it is text`, start)
  for (const item of items) checkNode(item, refuse)
  const keys = new Set<string>()
  for (const [key, field] of entries) {
    // {{ login }} is a map in a map, and would become the key [object Object].
    if (key.text === undefined) refuse('A key must be text. Put quotes around it', key.start)
    if (keys.has(key.text)) refuse('This key appears twice', key.start)
    keys.add(key.text)
    checkNode(field, refuse)
  }
}

/** The offset of the value at a path. For a list or map, this is the offset of its key. */
function findOffset(root: Node, path: PathIssue['path'], isKey: boolean): number {
  let [key, value] = [root, root]
  for (const part of path) {
    const item = value.items?.[Number(part)]
    const child = item ? ([item, item] as const) : value.entries?.find(([{ text }]) => text === String(part))
    if (!child) return key.start
    ;[key, value] = child
  }
  return (isKey || value.text === undefined || value.value === null ? key : value).start
}

/** The start of the value after an offset. */
function skipSpace(text: string, offset: number): number {
  const space = /(?:\s|#.*)*/y
  space.lastIndex = offset
  space.exec(text)
  return space.lastIndex
}

/** Returns a function that converts offsets to lines and columns, both starting at 1. */
function createLocator(text: string): (offset: number) => { line: number; column: number } {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)]
    const line = starts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - (starts[line] as number) + 1 }
  }
}
