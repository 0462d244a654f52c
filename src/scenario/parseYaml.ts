import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type CST,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import { deepest } from './jsonMistake.ts'
import type { PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'

/** A parsed YAML text; `lines` tells where an offset is. */
export type ParsedYaml = Parsed & { lines: LineCounter }

type Parsed = { mistakes: readonly Mistake[] } | { value: Record<string, unknown>; document: Document.Parsed }

/** What is wrong at an offset of the text. */
interface Mistake {
  offset: number
  message: string
}

/** Maximum mistakes reported at once */
const mostMistakes = 20

/** Parses a YAML (or JSON) text that holds one map. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  return { ...parse(text, lines), lines }
}

function parse(text: string, lines: LineCounter): Parsed {
  const parsed = tokensOf(text, lines)
  if ('tooDeep' in parsed)
    return { mistakes: [{ offset: parsed.tooDeep, message: `it is nested more than ${deepest} deep` }] }
  const [document, second] = documentsOf(parsed.tokens, text.length)
  if (!document || isEmpty(document)) return { mistakes: [{ offset: 0, message: emptyMessage }] }
  const odd = [
    ...document.errors.map(syntaxError),
    ...(second
      ? [{ offset: second.range[0], message: 'a second document begins here; a file holds one' }]
      : []),
    ...oddDirective(document, text),
    ...oddTags(document),
  ]
  if (odd.length) return { mistakes: lastOfEachPlace(odd).slice(0, mostMistakes) }
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (!isObject(value)) {
    const message = isComment(value) ? commentMessage : noMapMessage
    return { mistakes: [{ offset: document.contents?.range[0] ?? 0, message }] }
  }
  return { value, document }
}

/** The parser's own come first, and know less: to it, a comment as in JavaScript is a key over several lines. */
function lastOfEachPlace(mistakes: readonly Mistake[]): Mistake[] {
  return [...new Map(mistakes.map((mistake) => [mistake.offset, mistake])).values()]
}

const noMapMessage = 'it is not a map of fields (required: description, and accounts or extends)'
const commentMessage = 'comments are not written like this: YAML begins them with #, JSON has none'
const emptyMessage = `it is empty: ${noMapMessage}`

/** A comment as in JavaScript, which YAML takes for a part of the text that follows. */
function isComment(value: unknown): boolean {
  return typeof value === 'string' && /^\/[/*]/.test(value)
}

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

function syntaxError(error: YAMLParseError): Mistake {
  const message = error.message.split('\n', 1)[0] as string
  return {
    offset: error.pos[0],
    message: message.startsWith('With stringKeys') ? 'a key is a text, not a list or a map' : message,
  }
}

/** Unsupported nodes, including lists and maps with a tag like `!foo`, which only show up as a warning. */
function oddTags(document: Document.Parsed): Mistake[] {
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
function oddDirective({ directives }: Document, text: string): Mistake[] {
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
function oddNodes(document: Document): Mistake[] {
  const found: Mistake[] = []
  visit(document, {
    Node(_key, node) {
      if (isAlias(node))
        found.push({
          offset: startOf(node),
          message: 'aliases (*name) are not supported; write the value out',
        })
      else if (node.tag !== undefined)
        found.push({ offset: startOf(node), message: `tags are not supported (${shortTag(node.tag)})` })
    },
    Map(_key, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue // already reported by the parser
        const name = String(key.value)
        if (name === '__proto__')
          found.push({ offset: startOf(key), message: 'the key "__proto__" is not allowed' })
        if (key.type === 'PLAIN' && isComment(name))
          found.push({ offset: startOf(key), message: commentMessage })
        if (seen.has(name))
          found.push({ offset: startOf(key), message: `the key ${JSON.stringify(name)} appears twice` })
        seen.add(name)
      }
    },
  })
  return found
}

function shortTag(tag: string): string {
  return tag.replace('tag:yaml.org,2002:', '!!')
}

/** Finds a path's offset in the text of a document, or its closest ancestor's. */
export function locatorOf({ contents }: Document): (path: PathIssue['path'], isKey?: boolean) => number {
  const known = new Map<YAMLMap, Map<string, Pair>>()
  const pairsOf = (map: YAMLMap): Map<string, Pair> => {
    const pairs =
      known.get(map) ?? new Map(map.items.map((pair) => [String((pair.key as Scalar).value), pair]))
    known.set(map, pairs)
    return pairs
  }
  return (path, isKey = false) => {
    let [node, key]: [unknown, unknown] = [contents, contents]
    for (const part of path) {
      const pair = isMap(node) ? pairsOf(node).get(String(part)) : undefined
      const item = isSeq(node) ? node.items[Number(part)] : undefined
      if (!pair && item === undefined) return startOf(key)
      ;[node, key] = pair ? [pair.value, pair.key] : [item, item]
    }
    // For a scalar, the value itself is the mistake; a list or map is identified by its key.
    return startOf(!isKey && isScalar(node) && node.source !== '' ? node : key)
  }
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}
