import { isDeepStrictEqual } from 'node:util'
import { kinds } from '../world/World.ts'
import type { State } from './State.ts'
import { counted } from '../lib/text.ts'

/** Whether a state is exactly what its scenario gives, so that loading it again loses nothing. */
export function isAsLoaded({ scenario, accounts }: State, document: State['scenario']['document']): boolean {
  const logins = [...accounts.keys()]
  return (
    logins.length === Object.keys(document.accounts).length &&
    logins.every((login) => accounts.get(login)?.version === 0) &&
    isDeepStrictEqual(scenario.document, document)
  )
}

/** How a state differs from its scenario: `3 services more, 1 account fewer`. */
export function changesSinceLoad({ scenario: { document }, accounts }: State): string {
  const change: Record<string, number> = {
    account: accounts.size - Object.keys(document.accounts).length,
  }
  for (const [login, world] of accounts) {
    const named = Object.hasOwn(document.accounts, login) ? document.accounts[login] : undefined
    for (const kind of kinds) {
      const before = named && Object.keys(named[kind] ?? {}).length
      const more = named?.generate && (named.generate[kind] ?? (before === 0 ? undefined : 0))
      // If the scenario doesn't say how many are generated, we can't tell.
      if (before === undefined || (named?.generate && more === undefined)) continue
      const noun = kind.slice(0, -1)
      change[noun] = (change[noun] ?? 0) + world[kind].size - before - (more ?? 0)
    }
  }
  const differences = Object.entries(change)
    .filter(([, by]) => by !== 0)
    .map(([noun, by]) => `${counted(Math.abs(by), noun)} ${by > 0 ? 'more' : 'fewer'}`)
  if (differences.length) return differences.join(', ')
  return [...accounts.values()].some(({ version }) => version > 0) ? 'changed since' : 'unchanged'
}
