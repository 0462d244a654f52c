import { money } from '../lib/format.ts'
import type { WorldView } from '../lib/types.ts'

/** Something that happens by the clock alone. */
export interface Due {
  kind: 'session' | 'update' | 'service'
  /** ms since 1970 */
  at: number
  what: string
}

/** What falls due in a world, the soonest first. What is past is left out, but for services: they stay overdue. */
export function dueOf({ services, limits }: WorldView, now: number): Due[] {
  const all: Due[] = []
  for (const [id, { nextduedate, status, price, list_updated_at: updated, sticky }] of Object.entries(
    services,
  )) {
    if (status === 'Active')
      all.push({
        kind: 'service',
        at: Date.parse(`${nextduedate}T00:00:00Z`),
        what: `service ${id} is due (${money(price)})`,
      })
    if (updated !== undefined)
      all.push({
        kind: 'update',
        at: Date.parse(updated) + limits.updateListInterval * 1000,
        what: `the IP list of service ${id} can be updated again`,
      })
    for (const { server, session, since } of sticky?.sessions ?? [])
      all.push({
        kind: 'session',
        at: Date.parse(since) + (sticky?.ttl ?? 0) * 60_000,
        what: `session ${server}/${session} of service ${id} ends`,
      })
  }
  return all.filter(({ kind, at }) => at > now || kind === 'service').toSorted((a, b) => a.at - b.at)
}
