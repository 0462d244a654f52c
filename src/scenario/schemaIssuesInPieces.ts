import type { PathIssue } from '../world/invariants.ts'
import { under } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { accountPartSchema, scenarioSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** Members of a map to validate together */
const pieceSize = 500

/**
 * Validates the schema of a scenario in parts, up to the first invalid one: zod lists every issue there is, and there may
 * be millions.
 */
export function schemaIssuesInPieces(scenario: unknown): PathIssue[] {
  for (const issues of issuesOfPieces(scenario)) if (issues.length) return issues
  return []
}

function* issuesOfPieces(scenario: unknown): Generator<PathIssue[]> {
  const accounts = isObject(scenario) ? scenario['accounts'] : undefined
  if (!isObject(scenario) || !isObject(accounts)) {
    yield schemaIssues(scenarioSchema, scenario)
    return
  }
  for (const some of slicesOf(accounts)) {
    const long: [login: string, field: string, slice: Bag][] = []
    const short = mapped(some, (account, login) =>
      !isObject(account)
        ? account
        : mapped(account, (content, field) => {
            const [first, ...more] = isObject(content) ? slicesOf(content) : [content]
            for (const slice of more) long.push([login, field, slice as Bag])
            return first
          }),
    )
    yield schemaIssues(scenarioSchema, { ...scenario, accounts: short })
    for (const [login, field, slice] of long)
      yield under(['accounts', login], schemaIssues(accountPartSchema, { [field]: slice }))
  }
}

type Bag = Record<string, unknown>

/** A map in parts, in order. */
function slicesOf(map: Bag): Bag[] {
  const entries = Object.entries(map)
  if (entries.length <= pieceSize) return [map]
  const slices: Bag[] = []
  for (let at = 0; at < entries.length; at += pieceSize)
    slices.push(Object.fromEntries(entries.slice(at, at + pieceSize)))
  return slices
}

function mapped(map: Bag, of: (value: unknown, key: string) => unknown): Bag {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, of(value, key)]))
}
