import { describeEntry } from '../../../src/service/describeChange.ts'
import type { Timeline, World } from './types.ts'

/** A future change on the account's clock. */
export interface DueChange {
  /** ms since 1970 */
  at: number
  text: string
}

/** Lists the changes due on the account's clock, soonest first. */
export function listDue(world: World, timeline: Timeline | undefined, now: number): DueChange[] {
  const changes: DueChange[] = (timeline?.timeline ?? []).map((entry) => ({
    at: Date.parse(entry.at),
    text: describeEntry(entry),
  }))
  for (const [id, { list_updated_at: updated, sticky }] of Object.entries(world.services)) {
    if (updated !== undefined)
      changes.push({
        at: Date.parse(updated) + world.limits.updateListInterval * 1000,
        text: `IP list of service ${id} can be updated again`,
      })
    for (const { server, session, since } of sticky?.sessions ?? [])
      changes.push({
        at: Date.parse(since) + (sticky?.ttl ?? 0) * 60_000,
        text: `session ${server}/${session} ends`,
      })
  }
  return changes.filter(({ at }) => at > now).toSorted((a, b) => a.at - b.at)
}

/** Describes a past change: `renewal of service 5001 (credit -20.00)`, `renewal of service 5001 (skipped: …)` */
export function formatEvent({ description = '', reason, effect }: World['history'][number]): string {
  const details = reason === undefined ? effect : `skipped: ${reason}`
  return details === undefined ? description : `${description} (${details})`
}
