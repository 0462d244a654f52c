import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml'
import { isObject } from '../../world/mergePatch.ts'
import { ScenarioError, type ScenarioProblem } from './ScenarioError.ts'

export type Path = readonly (string | number)[]

/** A YAML or JSON text that became an object, with the way back from a path to its line. */
export interface SourceText {
  file: string
  value: Record<string, unknown>
  /** The problem at that path, or at what of it there is. */
  problem: (path: Path, message: string) => ScenarioProblem
  /** Whether the text itself says something there. */
  has: (path: Path) => boolean
}

/** JSON is read as such: a large state comes back in no time, and its lines tell nobody anything. */
const jsonOnlyFrom = 256 * 1024

/**
 * Reads a document of ours.
 * @param file what to call it in messages
 * @throws ScenarioError with line and column
 */
export function readSource(text: string, file: string): SourceText {
  if (text.length >= jsonOnlyFrom && text.trimStart().startsWith('{')) return readLargeJson(text, file)
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    merge: false,
    stringKeys: true,
    uniqueKeys: false, // the library compares each key with each; ours below asks a Set
    lineCounter: lines,
    logLevel: 'error',
    prettyErrors: false,
  })
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const problem = (path: Path, message: string): ScenarioProblem => ({
    file,
    ...at(offsetOf(document, path)),
    path: path.join('.'),
    message,
  })
  const broken: ScenarioProblem[] = [
    ...document.errors.map((error) => ({
      file,
      ...at(error.pos[0]),
      path: '',
      message: firstLine(error.message),
    })),
    ...oddNodes(document).map(({ offset, message }) => ({ file, ...at(offset), path: '', message })),
  ]
  if (broken.length) throw new ScenarioError(broken)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (!isObject(value)) throw new ScenarioError([problem([], 'it is not a map of fields')])
  return { file, value, problem, has: (path) => document.hasIn(path) }
}

function readLargeJson(text: string, file: string): SourceText {
  const problem = (path: Path, message: string): ScenarioProblem => ({ file, path: path.join('.'), message })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ScenarioError([
      { file, path: '', message: `it is no JSON: ${firstLine((error as Error).message)}` },
    ])
  }
  if (!isObject(value)) throw new ScenarioError([problem([], 'it is not a map of fields')])
  return { file, value, problem, has: (path) => lookUp(value, path) !== undefined }
}

function lookUp(value: unknown, path: Path): unknown {
  let found = value
  for (const key of path)
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Record<string, unknown>)[key]
        : undefined
  return found
}

/** What a scenario has no use for, and what could be used against us: aliases, tags, keys twice. */
function oddNodes(document: Document): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = []
  const start = (node: unknown): number => (node as Node | undefined)?.range?.[0] ?? 0
  visit(document, {
    Node(_key, node) {
      if (isAlias(node))
        found.push({ offset: start(node), message: 'aliases (*name) are not taken; write the value out' })
      else if (node.tag && !node.tag.startsWith('tag:yaml.org,2002:'))
        found.push({ offset: start(node), message: `the tag ${node.tag} is not taken` })
    },
    Map(_key, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : String(key)
        if (name === '__proto__')
          found.push({ offset: start(key), message: 'the key __proto__ is not taken' })
        if (seen.has(name))
          found.push({ offset: start(key), message: `the key ${JSON.stringify(name)} stands here twice` })
        seen.add(name)
      }
    },
  })
  return found.slice(0, 20)
}

/** Where a path starts in the text: its key, or the nearest thing above it that is there. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents
  let offset = (node as Node | null)?.range?.[0] ?? 0
  for (const key of path) {
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
      )
      if (!pair) break
      offset = (pair.key as Node).range?.[0] ?? offset
      next = pair.value
    } else if (isSeq(node)) {
      next = node.items[Number(key)]
      if (!next) break
      offset = (next as Node).range?.[0] ?? offset
    } else break
    node = next
  }
  return offset
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string
}
