import type { z } from 'zod'
import type { PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import { schemaIssues } from './schemaIssues.ts'

/** Members of a collection to validate together: some milliseconds of work. */
const pieceSize = 500

/**
 * Validates the schema of a large scenario in parts, up to the first invalid one: zod lists every issue there is, and a
 * million of them would block everything else.
 */
export function* schemaIssuesInPieces(schema: z.ZodType, value: unknown): Steps<PathIssue[]> {
  for (const { part, from = 0 } of piecesOf(value)) {
    const wrong = schemaIssues(schema, part)
    if (wrong.length) return wrong.map((issue) => moved(issue, from))
    yield
  }
  return []
}

/** A part of a scenario in its original place; `from`: index of a list part's first item. */
interface Piece {
  part: unknown
  from?: number
}

function* piecesOf(value: unknown): Generator<Piece> {
  const accounts = isObject(value) ? value['accounts'] : undefined
  if (!isObject(value) || !isObject(accounts)) {
    yield { part: value }
    return
  }
  const around = (login: string, account: unknown): unknown => ({ ...value, accounts: { [login]: account } })
  const [few, many] = divided(accounts, (account) => isObject(account) && Object.values(account).some(isLong))
  for (const part of partsOf(few)) yield { part: { ...value, accounts: part } }
  for (const [login, account] of Object.entries(many)) {
    const [rest, long] = divided(account as Bag, isLong)
    yield { part: around(login, rest) }
    for (const [field, content] of Object.entries(long)) {
      let from = 0
      for (const part of partsOf(content as object)) {
        yield { part: around(login, { password: rest['password'], [field]: part }), from }
        from += pieceSize
      }
    }
  }
}

type Bag = Record<string, unknown>

function isLong(content: unknown): boolean {
  return typeof content === 'object' && content !== null && Object.keys(content).length > pieceSize
}

/** Splits members by a predicate: those that don't match, and those that do. */
function divided(bag: Bag, isOfKind: (member: unknown) => boolean): [Bag, Bag] {
  const [rest, matching]: [Bag, Bag] = [{}, {}]
  for (const [key, member] of Object.entries(bag)) (isOfKind(member) ? matching : rest)[key] = member
  return [rest, matching]
}

/** A list or map in parts, in order. */
function* partsOf(all: object): Generator<object> {
  const entries = Object.entries(all)
  for (let at = 0; at === 0 || at < entries.length; at += pieceSize) {
    const part = entries.slice(at, at + pieceSize)
    yield Array.isArray(all) ? part.map(([, item]) => item as unknown) : Object.fromEntries(part)
  }
}

/** Corrects the index of an issue in a list part. */
function moved(issue: PathIssue, from: number): PathIssue {
  const { path } = issue
  const [accounts, login, field, index, ...rest] = path
  return from > 0 && typeof index === 'number'
    ? { ...issue, path: [accounts as string, login as string, field as string, from + index, ...rest] }
    : issue
}
