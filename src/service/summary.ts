import { formatMoney } from '../world/numbers.ts'
import type { Instant } from '../world/time.ts'
import { type Kind, kinds, type World } from '../world/World.ts'
import { getBalance } from './balance.ts'
import { liveSessions } from './sticky.ts'

/** The balance of an account, and the number of its records of each kind and of its active sticky sessions. */
export function summary(world: World, now: Instant) {
  const sizes = Object.fromEntries(kinds.map((kind) => [kind, world[kind].size])) as Record<Kind, number>
  return { ...getBalance(world), ...sizes, sessions: countSessions(world, now) }
}

function countSessions({ services }: World, now: Instant): number {
  let live = 0
  for (const { sticky } of services.values())
    if (sticky?.sessions.length) live += liveSessions(sticky, now).length
  return live
}

/** Columns of the list of accounts. `summaryCells` returns their values. */
export const summaryColumns = ['credit', ...kinds, 'sessions'] as const

export function summaryCells(account: Readonly<Record<(typeof summaryColumns)[number], number>>): string[] {
  return summaryColumns.map((key) => (key === 'credit' ? formatMoney(account.credit) : String(account[key])))
}
