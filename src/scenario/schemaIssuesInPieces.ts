import { under, type PathIssue } from '../world/invariants.ts'
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
  const accounts = isObject(scenario) ? scenario['accounts'] : undefined
  if (!isObject(scenario) || !isObject(accounts)) return schemaIssues(scenarioSchema, scenario)
  for (const some of slicesOf(accounts)) {
    const rest: [login: string, slice: Bag][] = []
    const first = mapped(some, (account, login) =>
      isObject(account)
        ? mapped(account, (content, field) => {
            const [slice, ...more] = isObject(content) ? slicesOf(content) : [content]
            for (const one of more) rest.push([login, { [field]: one }])
            return slice
          })
        : account,
    )
    const wrong = schemaIssues(scenarioSchema, { ...scenario, accounts: first })
    if (wrong.length) return wrong
    for (const [login, slice] of rest) {
      const wrongIn = under(['accounts', login], schemaIssues(accountPartSchema, slice))
      if (wrongIn.length) return wrongIn
    }
  }
  return []
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
