import type { z } from 'zod'
import { isObject } from '../../world/mergePatch.ts'
import { mistakesOf, type Mistake } from './mistakesOf.ts'

/** Records that are checked together */
const most = 500

const kinds = ['clients', 'products', 'services', 'invoices'] as const

/**
 * The mistakes of a scenario's form. A large one is checked in pieces, up to the first that is wrong: the schema lists
 * every mistake there is, and a million of them would keep everybody waiting.
 */
export function mistakesInPieces(schema: z.ZodType, value: unknown): Mistake[] {
  for (const piece of piecesOf(value)) {
    const wrong = mistakesOf(schema, piece)
    if (wrong.length) return wrong
  }
  return []
}

function* piecesOf(value: unknown): Generator {
  if (!isObject(value) || !isObject(value['accounts'])) {
    yield value
    return
  }
  for (const accounts of chunksOf(value['accounts'])) {
    yield {
      ...value,
      accounts: Object.fromEntries(
        Object.entries(accounts).map(([login, one]) => [login, isObject(one) ? withoutMany(one) : one]),
      ),
    }
    for (const [login, account] of Object.entries(accounts)) {
      if (!isObject(account)) continue
      const rest = withoutMany(account)
      for (const kind of kinds.filter((one) => isMany(account[one])))
        for (const records of chunksOf(account[kind] as Bag))
          yield { ...value, accounts: { [login]: { ...rest, [kind]: records } } }
    }
  }
}

type Bag = Record<string, unknown>

function isMany(records: unknown): boolean {
  return isObject(records) && Object.keys(records).length > most
}

/** An account with its large collections left out; they are checked by themselves. */
function withoutMany(account: Bag): Bag {
  if (!kinds.some((kind) => isMany(account[kind]))) return account
  return Object.fromEntries(
    Object.entries(account).filter(
      ([kind, records]) => !(kinds as readonly string[]).includes(kind) || !isMany(records),
    ),
  )
}

function* chunksOf(all: Bag): Generator<Bag> {
  const entries = Object.entries(all)
  if (entries.length <= most) yield all
  else for (let i = 0; i < entries.length; i += most) yield Object.fromEntries(entries.slice(i, i + most))
}
