import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { CORE_SCHEMA, load, type State, YAMLException } from 'js-yaml'
import type { Issue } from '../lib/Issue.ts'
import { duplicateKey, hasPrototypeKey, isDeep, parseJson } from '../lib/json.ts'
import { findJsonMistake } from '../lib/jsonMistake.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { isObject } from '../world/mergePatch.ts'
import { maxTextBytes, maxTextPhrase } from './bounds.ts'
import { ScenarioError } from './ScenarioError.ts'

/* Parts of js-yaml that are missing from its published types */
declare module 'js-yaml' {
  interface LoadOptions {
    maxDepth?: number
  }
  interface State {
    anchor: string | null
    input: string
  }
}

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
  const value = isJson
    ? json
    : (parseYaml(body, (message, offset) => refuse(message, locateOffset(offset))) ?? null)
  if (!isObject(value)) {
    return refuse(
      value === null ? `Empty. ${expected}` : expected,
      locateOffset(value === null ? 0 : skipSpace(body, 0)),
    )
  }
  if (hasPrototypeKey(value)) refuse(prototypeKey, locateOffset(body.indexOf('__proto__')))
  let root: Node | undefined
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      root ??= parseNodes(body)
      return { file, ...locateOffset(findOffset(body, root, path, isKey)), path: path.join('.'), message }
    },
  }
}

const prototypeKey = 'Unknown field "__proto__"'

const options = { schema: CORE_SCHEMA, maxDepth: 200 } // each level of a block counts twice

/** Clearer messages for common mistakes that js-yaml reports */
const clearMessages: Record<string, string> = {
  'duplicated mapping key': 'This key appears twice',
  'expected a single document in the stream, but found more':
    'A second document begins here. A file may contain only one',
  'nesting exceeded maxDepth (200)': 'Nested too deeply. At most 100 levels are allowed',
}

function parseYaml(text: string, refuse: (message: string, offset: number) => never): unknown {
  /** The maps and lists directly in each open value, with their offsets */
  const open = [{ start: 0, inside: new Map<unknown, number>() }]
  try {
    return load(text, {
      ...options,
      listener(event, { anchor, position, input, result }) {
        if (event !== 'close') return void open.push({ start: position, inside: new Map() })
        const { start, inside } = open.pop() as (typeof open)[number]
        // A map or list as a key would be converted: {{ login }} is two maps, and would become [object Object].
        const values = isObject(result) && inside.size > 0 ? new Set(Object.values(result)) : undefined
        for (const [value, offset] of inside)
          if (values && value !== result && !values.has(value))
            refuse('A key must be text. Put quotes around it', skipSpace(text, offset))
        if (typeof result === 'object' && result !== null) open.at(-1)?.inside.set(result, start)
        // A number as a key would be converted too: the login 007 would become 7. As a value, 007 is probably meant as a string.
        else if (typeof result !== 'string') {
          const written =
            /[^\s,{}[\]]*\s*$/.exec(input.slice(Math.max(0, position - 100), position))?.[0] ?? ''
          const word = written.trim()
          const isKey = matchesAt(/\s*:/y, input, position)
          if (isKey ? word !== String(result) : /^[-+]?0\d+$/.test(word))
            refuse(
              isKey
                ? `Put quotes around ${word || 'this key'}; otherwise it is read as ${result}`
                : `Write ${result} if ${word} is a number, or put quotes around it if it is text`,
              position - written.length,
            )
        }
        // With aliases, a short text can have a huge value.
        if (anchor !== null)
          refuse(
            'Anchors and aliases are not supported. Repeat the value',
            text.lastIndexOf(`&${anchor}`, position),
          )
      },
    })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const offset = mark?.position ?? text.lastIndexOf('\n---') + 1
    return refuse(clearMessages[reason] ?? `Not valid YAML: ${reason}`, Math.min(offset, text.length))
  }
}

function matchesAt(pattern: RegExp, text: string, offset: number): boolean {
  pattern.lastIndex = offset
  return pattern.test(text)
}

/** A value in a text, with its position. */
interface Node {
  /** The offset of the value, or of the space before it */
  start: number
  value: unknown
  /** The items of a list, or the keys and values of a map */
  children: Node[]
}

/** Parses the nodes of a text, which only issues need. In JSON that isn't valid YAML, all issues are located at the top. */
function parseNodes(text: string): Node {
  const top: Node = { start: 0, value: undefined, children: [] }
  const open = [top]
  const listener = (event: string, { position, result }: State): void => {
    if (event === 'open') return void open.push({ start: position, value: undefined, children: [] })
    const node = open.pop() as Node
    node.value = result
    // A list or map that could have been a key was parsed as a map with one key.
    const [only, ...more] = node.children
    if (only && more.length === 0 && only.value === result) node.children = only.children
    open.at(-1)?.children.push(node)
  }
  try {
    load(text, { ...options, json: true, listener })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
  }
  return top.children[0] ?? top
}

/** The offset of the value at a path. For a list or map, this is the offset of its key. */
function findOffset(text: string, root: Node, path: PathIssue['path'], isKey: boolean): number {
  let [key, value] = [root, root]
  for (const part of path) {
    const { children, value: parent } = value
    const at = Array.isArray(parent)
      ? Number(part)
      : children.findIndex(
          (one, i) =>
            String(one.value) === String(part) &&
            (children[i + 1]?.value ?? null) === (parent as Fields)[part],
        )
    const child = children[at]
    if (!child) return skipSpace(text, key.start)
    key = child
    value = Array.isArray(parent) ? child : (children[at + 1] ?? child) // a flow map's key may have no value
  }
  return skipSpace(text, (isKey || typeof value.value === 'object' ? key : value).start)
}

type Fields = Record<string | number, unknown>

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
