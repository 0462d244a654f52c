import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Parser,
  visit,
  type CST,
  type Document,
  type Node,
  type YAMLParseError,
} from 'yaml'
import { longestList } from '../world/numbers.ts'
import { maxDepth } from './bounds.ts'
import type { Position } from './positions.ts'
import { TextError, type TextIssue } from './TextError.ts'

/** Tokens of a YAML text. A million, as of 10,000 services, take some two seconds; as JSON, a twentieth of that. */
const maxTokens = 1_500_000

/** Maximum issues reported at once */
const maxIssues = 20

/**
 * Parses a YAML text. What scenarios don't need and attackers might, such as aliases and tags, is refused.
 * @throws TextError
 */
export function parseYaml(text: string): { value: unknown; locate: () => Position } {
  const composer = new Composer({
    version: '1.2',
    merge: false,
    stringKeys: true,
    uniqueKeys: false, // the library's check is quadratic
    logLevel: 'error',
    prettyErrors: false,
  })
  const tokens = new BoundedParser().parse(text)
  const [document, second] = composer.compose(tokens, true, text.length)
  if (!document) throw new TextError({ message: 'Empty', offset: 0 }) // not with `forceDoc`
  const issues = [
    ...document.errors.map(syntaxIssue),
    ...(second
      ? [{ message: 'A second document begins here. A file has one', offset: second.range[0] }]
      : []),
    ...nodeIssues(document),
  ]
  if (issues.length) throw new TextError(...issues.slice(0, maxIssues))
  return {
    value: document.toJS({ maxAliasCount: 0 }) as unknown,
    locate: () => positionOf(document.contents),
  }
}

/** The library composes recursively, and some deep texts crash it: they are stopped before. */
class BoundedParser extends Parser {
  #tokens = 0

  override *next(source: string): Generator<CST.Token, void> {
    yield* super.next(source)
    const stop = (message: string): never => {
      throw new TextError({ message, offset: this.offset })
    }
    if (this.stack.length > maxDepth) stop(`Nested more than ${maxDepth} levels deep`)
    if (++this.#tokens > maxTokens)
      stop(`More than ${maxTokens} YAML tokens. Write it as JSON, which is read faster`)
  }
}

function syntaxIssue({ message, pos: [offset] }: YAMLParseError): TextIssue {
  const [first = ''] = message.split('\n', 1)
  return {
    offset,
    message: first.startsWith('With stringKeys')
      ? 'A key is a text, not a list or a map'
      : `Not valid YAML: ${first}`,
  }
}

function nodeIssues(document: Document.Parsed): TextIssue[] {
  const issues: TextIssue[] = []
  const report = (node: unknown, message: string) => issues.push({ message, offset: startOf(node) })
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) report(node, 'Aliases (*name) are not supported. Write the value out')
      else if (node.tag !== undefined) report(node, tagMessage(node.tag))
    },
    Seq(_key, list) {
      if (list.items.length > longestList) report(list, `A list of more than ${longestList} items`)
    },
    Map(_key, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue // already reported by the library
        const name = String(key.value)
        if (name === '__proto__') report(key, 'The key "__proto__" is not allowed')
        if (seen.has(name)) report(key, `The key ${JSON.stringify(name)} appears twice`)
        seen.add(name)
      }
    },
  })
  // Lists and maps with a tag like `!foo` lose it, with a warning.
  for (const { code, message, pos } of document.warnings) {
    const lost = tagMessage(/^Unresolved tag: (\S+)/.exec(message)?.[1] ?? '!')
    if (code === 'TAG_RESOLVE_FAILED' && !issues.some((issue) => issue.message === lost))
      issues.push({ message: lost, offset: pos[0] })
  }
  return issues
}

function tagMessage(tag: string): string {
  return `Tags are not supported (${tag.replace('tag:yaml.org,2002:', '!!')})`
}

function positionOf(node: unknown, key: unknown = node): Position {
  const members = isMap(node)
    ? node.items.map((pair): [string, Position] => [
        isScalar(pair.key) ? String(pair.key.value) : '',
        positionOf(pair.value, pair.key),
      ])
    : isSeq(node)
      ? node.items.map((item, i): [string, Position] => [String(i), positionOf(item)])
      : undefined
  const isEmpty = !isScalar(node) || node.source === ''
  return {
    key: startOf(key),
    value: startOf(members || isEmpty ? key : node),
    ...(members && { members: new Map(members) }),
  }
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}
