import type { z } from 'zod'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../world/invariants.ts'
import type { Steps } from '../world/Steps.ts'
import { schemaIssues } from './schemaIssues.ts'

/** Values (of any kind, those in others included) that are checked together. */
const most = 5000

/**
 * The issues of a scenario's form. A large one is checked in pieces, up to the first that is wrong: the schema lists
 * every issue there is, and a million of them would keep everybody waiting.
 */
export function* schemaIssuesInPieces(schema: z.ZodType, value: unknown): Steps<PathIssue[]> {
  for (const { part, first } of piecesOf(value)) {
    const wrong = schemaIssues(schema, part)
    if (wrong.length) return wrong.map((issue) => moved(issue, first))
    yield
  }
  return []
}

/** A part of a scenario, in its place in the whole; `first`: where a list that it holds a part of goes on. */
interface Piece {
  part: unknown
  first?: { login: string; field: string; index: number }
}

/** An item of a part of a list has another place in the whole. */
function moved(issue: PathIssue, first: Piece['first']): PathIssue {
  const [accounts, login, field, index, ...rest] = issue.path
  return first && login === first.login && field === first.field && typeof index === 'number'
    ? { ...issue, path: [accounts as string, login, field, first.index + index, ...rest] }
    : issue
}

function* piecesOf(value: unknown): Generator<Piece> {
  if (!isObject(value) || !isObject(value['accounts'])) {
    yield { part: value }
    return
  }
  for (const accounts of chunksOf(value['accounts'])) {
    yield {
      part: {
        ...value,
        accounts: Object.fromEntries(
          Object.entries(accounts).map(([login, one]) => [login, isObject(one) ? withoutMany(one) : one]),
        ),
      },
    }
    for (const [login, account] of Object.entries(accounts)) {
      if (!isObject(account)) continue
      const rest = withoutMany(account)
      for (const [field, content] of Object.entries(account)) {
        if (!isMany(content)) continue
        const around = (part: unknown): unknown => ({
          ...value,
          accounts: { [login]: { ...rest, [field]: part } },
        })
        if (Array.isArray(content))
          for (const [index, items] of chunksOfList(content))
            yield { part: around(items), first: { login, field, index } }
        else for (const records of chunksOf(content as Bag)) yield { part: around(records) }
      }
    }
  }
}

type Bag = Record<string, unknown>

/** How many values there are in a value, itself included; counted up to `limit`. */
function weigh(value: unknown, limit: number): number {
  let weight = 1
  if (typeof value === 'object' && value !== null)
    for (const key in value) {
      weight += weigh((value as Bag)[key], limit - weight)
      if (weight >= limit) break
    }
  return weight
}

function isMany(content: unknown): boolean {
  return weigh(content, most) >= most
}

/** An account with its large collections left out; they are checked by themselves. */
function withoutMany(account: Bag): Bag {
  const few = Object.entries(account).filter(([, content]) => !isMany(content))
  return few.length === Object.keys(account).length ? account : Object.fromEntries(few)
}

/** The members in order, as many at a time as are checked together; a heavy one alone. */
function* chunksOf(all: Bag): Generator<Bag> {
  let chunk: Bag = {}
  let weight = 0
  for (const key of Object.keys(all)) {
    const own = weigh(all[key], most)
    if (weight > 0 && weight + own > most) {
      yield chunk
      chunk = {}
      weight = 0
    }
    chunk[key] = all[key]
    weight += own
  }
  yield chunk
}

function* chunksOfList(all: readonly unknown[]): Generator<[index: number, items: unknown[]]> {
  let index = 0
  let weight = 0
  for (let i = 0; i < all.length; i++) {
    const own = weigh(all[i], most)
    if (weight > 0 && weight + own > most) {
      yield [index, all.slice(index, i)]
      index = i
      weight = 0
    }
    weight += own
  }
  yield [index, all.slice(index)]
}
