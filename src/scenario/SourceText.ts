import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { FAILSAFE_SCHEMA, load, type State, Type, types, YAMLException } from 'js-yaml'
import type { Issue } from '../lib/Issue.ts'
import { jsonOf } from '../lib/json.ts'
import type { PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { maxTextBytes, maxTextPhrase } from './bounds.ts'
import { ScenarioError } from './ScenarioError.ts'

/** What the published types of js-yaml don't know */
declare module 'js-yaml' {
  // oxlint-disable-next-line no-shadow -- it is the same
  export const types: Record<'null' | 'bool', Type>
  interface LoadOptions {
    maxDepth?: number
  }
  interface State {
    anchor: string | null
  }
}

/** A parsed YAML or JSON text, which can tell where in it something is. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** An issue with the value at a path, or with its key; if it doesn't exist, at its closest ancestor. */
  locate: (issue: PathIssue) => Issue
}

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
  const value = jsonOf(body) ?? parseYaml(body, file, placeOf)
  if (!isObject(value)) {
    const what = value === null || value === undefined ? 'Empty. ' : ''
    const message = `${what}A scenario is a map of fields: description, and accounts or extends`
    throw new ScenarioError([{ file, ...placeOf(what ? 0 : startOf(body, 0)), path: '', message }])
  }
  let root: Node | undefined
  return {
    file,
    value,
    locate({ path, message, isKey = false }) {
      root ??= nodesOf(body)
      return { file, ...placeOf(offsetOf(body, root, path, isKey)), path: path.join('.'), message }
    },
  }
}

/** Reads such a file. @throws ScenarioError */
export async function readSourceFile(file: string, shown = file): Promise<SourceText> {
  return readSource(await readSourceText(file, shown), shown)
}

/**
 * The text of a scenario or fixture file: YAML or JSON, in UTF-8.
 * @param shown the file's name in messages
 * @throws ScenarioError
 */
export async function readSourceText(file: string, shown = file): Promise<string> {
  const refuse = (message: string): never => {
    throw new ScenarioError([{ file: shown, path: '', message }])
  }
  const unreadable = (error: NodeJS.ErrnoException): never => refuse(`Can't be read (${error.code})`)
  const about = await stat(file).catch(unreadable)
  // A pipe may be a shell's `<(command)`.
  if (!about.isFile() && !about.isFIFO()) refuse('Not a file')
  if (about.size > maxTextBytes) refuse(`${about.size} bytes. ${maxTextPhrase}`)
  const bytes = await readFile(file).catch(unreadable)
  return isUtf8(bytes) ? bytes.toString() : refuse('Not UTF-8 text')
}

/** Numbers as people write amounts. Anything else is a text: the login 007 is not 7. */
const number = new Type('tag:yaml.org,2002:float', {
  kind: 'scalar',
  resolve: (text) => /^-?[\d.]/.test(text) && (/^-?\d*\.\d+$/.test(text) || String(Number(text)) === text),
  construct: Number,
})
const schema = FAILSAFE_SCHEMA.extend({ implicit: [types.null, types.bool, number] })
const options = { schema, maxDepth: 200 } // a level of a block takes two

/** What js-yaml says about common mistakes, in our words. */
const plain: Record<string, string> = {
  'duplicated mapping key': 'This key appears twice',
  'expected a single document in the stream, but found more': 'A second document begins here. A file has one',
  'nesting exceeded maxDepth (200)': 'Nested too deeply. At most 100 levels are read',
}

function parseYaml(text: string, file: string, placeOf: (offset: number) => object): unknown {
  const refuse = (message: string, place: object): never => {
    throw new ScenarioError([{ file, ...place, path: '', message }])
  }
  try {
    return load(text, {
      ...options,
      listener(event, { anchor, position }) {
        // With aliases, a short text can be a huge value.
        if (event === 'close' && anchor !== null)
          refuse(
            'Anchors and aliases are not supported. Write the value out',
            placeOf(text.lastIndexOf(`&${anchor}`, position)),
          )
      },
    })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const offset = mark?.position ?? text.lastIndexOf('\n---') + 1
    return refuse(plain[reason] ?? `Not valid YAML: ${reason}`, placeOf(Math.min(offset, text.length)))
  }
}

/** A value in a text. */
interface Node {
  /** Its offset, or where the space before it begins */
  start: number
  value: unknown
  /** Of a list its items, of a map its keys and values */
  children: Node[]
}

/** Only a text with issues needs it. JSON is YAML, but for a few signs: without nodes, an issue is at the top. */
function nodesOf(text: string): Node {
  const top: Node = { start: 0, value: undefined, children: [] }
  const open = [top]
  const listener = (event: string, { position, result }: State): void => {
    if (event === 'open') return void open.push({ start: position, value: undefined, children: [] })
    const node = open.pop() as Node
    node.value = result
    open.at(-1)?.children.push(node)
  }
  try {
    load(text, { ...options, json: true, listener })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
  }
  return top.children[0] ?? top
}

/** The offset of a path: of a list or map, that of its key. */
function offsetOf(text: string, root: Node, path: PathIssue['path'], isKey: boolean): number {
  let key = root
  let value = root
  for (const part of path) {
    const member = memberOf(value, String(part))
    if (!member) return startOf(text, key.start)
    ;[key, value] = member
  }
  return startOf(text, (isKey || typeof value.value === 'object' ? key : value).start)
}

function memberOf(node: Node, name: string): [key: Node, value: Node] | undefined {
  const [first] = node.children
  if (!first) return undefined
  // A list or map that could have been a key was read as one.
  if (node.children.length === 1 && first.value === node.value) return memberOf(first, name)
  if (Array.isArray(node.value)) {
    const item = node.children[Number(name)]
    return item && [item, item]
  }
  const map = node.value as Record<string, unknown>
  const at = node.children.findIndex(
    ({ value }, i) => String(value) === name && node.children[i + 1]?.value === map[name],
  )
  return at < 0 ? undefined : [node.children[at] as Node, node.children[at + 1] as Node]
}

/** Where the value after an offset begins. */
function startOf(text: string, offset: number): number {
  const space = /(?:\s|#.*)*/y
  space.lastIndex = offset
  space.exec(text)
  return space.lastIndex
}

/** Line and column of offsets, both from 1. */
function placesIn(text: string): (offset: number) => { line: number; column: number } {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)]
    const line = starts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - (starts[line] as number) + 1 }
  }
}
