import {
  Composer,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type CST,
  type Document,
  type Node,
  type YAMLParseError,
} from 'yaml'
import { isObject } from '../world/mergePatch.ts'
import { JsonError, parseLongJson } from './parseLongJson.ts'
import type { Issue } from '../Issue.ts'
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
/** Characters. The YAML parser takes a second for some 20,000 lines, and blocks everything else. */
const longestYaml = 2 * 1024 * 1024
/** Nesting of lists and maps: scenarios have about ten levels, plus those of a fault's body. */
const deepest = 100
/** Maximum accounts per scenario */
const mostAccounts = 100_000
/** Maximum issues reported at once */
const mostIssues = 20

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
  const control = body.search(/[\u0000-\u0008\u000e-\u001f]/)
  if (control >= 0)
    refuse('there is a control character here: this is not a text file', placeIn(body, control))
  if (body.length > longestYaml)
    refuse(
      `it has ${body.length} characters; at most ${longestYaml} of YAML are read (JSON may be longer: begin with "{")`,
    )
  return readYaml(body, file)
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function readYaml(text: string, file: string): SourceText {
  const lines = new LineCounter()
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const refuseAt = (found: readonly { offset: number; message: string }[]): never => {
    throw new ScenarioError(
      found.slice(0, mostIssues).map(({ offset, message }) => ({ file, ...at(offset), path: '', message })),
    )
  }
  const parsed = tokensOf(text, lines)
  if ('tooDeep' in parsed)
    return refuseAt([{ offset: parsed.tooDeep, message: `it is nested more than ${deepest} deep` }])
  const [document, second] = documentsOf(parsed.tokens, text.length)
  if (!document || isEmpty(document)) return refuseAt([{ offset: 0, message: emptyMessage }])
  const odd = [
    ...document.errors.map(syntaxError),
    ...(second
      ? [{ offset: second.range[0], message: 'a second document begins here; a file holds one' }]
      : []),
    ...oddDirective(document, text),
    ...oddTags(document),
  ]
  if (odd.length) refuseAt(odd)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (!isObject(value)) return refuseAt([{ offset: document.contents?.range[0] ?? 0, message: noMapMessage }])
  return {
    file,
    value,
    issue: (path, message, isKey = false) => ({
      file,
      ...at(locate(document, path, isKey).offset),
      path: path.join('.'),
      message,
    }),
    reach: (path) => locate(document, path, false).reach,
  }
}

const noMapMessage = 'it is not a map of fields (required: description, and accounts or extends)'
const emptyMessage = `it is empty: ${noMapMessage}`

function isEmpty({ contents, errors }: Document.Parsed): boolean {
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null))
}

/** Tokenizes a text and limits its nesting, because the next steps are recursive. */
function tokensOf(text: string, lines: LineCounter): { tokens: CST.Token[] } | { tooDeep: number } {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > deepest) return { tooDeep: parser.offset }
  }
  for (const token of parser.end()) tokens.push(token)
  return { tokens }
}

function documentsOf(tokens: readonly CST.Token[], length: number): Document.Parsed[] {
  const composer = new Composer({
    version: '1.2',
    merge: false,
    stringKeys: true,
    uniqueKeys: false, // the library's check is quadratic; ours below isn't
    logLevel: 'error',
    prettyErrors: false,
  })
  return [...composer.compose(tokens, true, length)]
}

function syntaxError(error: YAMLParseError): { offset: number; message: string } {
  const message = error.message.split('\n', 1)[0] as string
  return {
    offset: error.pos[0],
    message: message.startsWith('With stringKeys') ? 'a key is a text, not a list or a map' : message,
  }
}

/** Unsupported nodes, including lists and maps with a tag like `!foo`, which only show up as a warning. */
function oddTags(document: Document.Parsed): { offset: number; message: string }[] {
  const nodes = oddNodes(document)
  const lost = document.warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ message, pos: [offset] }) => ({
      offset,
      message: `tags are not supported (${shortTag(/^Unresolved tag: (\S+)/.exec(message)?.[1] ?? '!')})`,
    }))
  return [...nodes, ...lost.filter(({ message }) => !nodes.some((node) => node.message === message))]
}

/** YAML 1.1 reads `yes` as true and `010` as eight. */
function oddDirective({ directives }: Document, text: string): { offset: number; message: string }[] {
  return directives?.yaml.explicit === true && directives.yaml.version !== '1.2'
    ? [
        {
          offset: Math.max(text.indexOf('%YAML'), 0),
          message: `it is read as YAML 1.2; the directive %YAML ${directives.yaml.version} is not allowed`,
        },
      ]
    : []
}

/** What scenarios don't need and attackers might: aliases, tags, duplicate keys. */
function oddNodes(document: Document): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = []
  const start = (node: unknown): number => (node as Node | undefined)?.range?.[0] ?? 0
  visit(document, {
    Node(_key, node) {
      if (isAlias(node))
        found.push({ offset: start(node), message: 'aliases (*name) are not supported; write the value out' })
      else if (node.tag !== undefined)
        found.push({ offset: start(node), message: `tags are not supported (${shortTag(node.tag)})` })
    },
    Map(_key, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue // already reported by the parser
        const name = String(key.value)
        if (name === '__proto__')
          found.push({ offset: start(key), message: 'the key "__proto__" is not allowed' })
        if (seen.has(name))
          found.push({ offset: start(key), message: `the key ${JSON.stringify(name)} appears twice` })
        seen.add(name)
      }
    },
  })
  return found
}

function shortTag(tag: string): string {
  return tag.replace('tag:yaml.org,2002:', '!!')
}

/** Position of a path in the text, and how many of its parts exist. */
function locate(document: Document, path: Path, isKey: boolean): { offset: number; reach: number } {
  let node: unknown = document.contents
  let offset = (node as Node | null)?.range?.[0] ?? 0
  for (const [reach, part] of path.entries()) {
    const isLast = reach === path.length - 1
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part),
      )
      if (!pair) return { offset, reach }
      offset = (pair.key as Node).range?.[0] ?? offset
      node = pair.value
      // For a scalar, the value itself is the mistake; a list or map is identified by its key.
      if (isLast && !isKey && isScalar(node) && node.source !== '') offset = node.range?.[0] ?? offset
    } else if (isSeq(node)) {
      const item = node.items[Number(part)]
      if (!item) return { offset, reach }
      offset = (item as Node).range?.[0] ?? offset
      node = item
    } else return { offset, reach }
  }
  return { offset, reach: path.length }
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
