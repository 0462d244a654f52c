import { toIsoString } from '../../world/time.ts'
import { type Fields, parseTime, serviceFacts, type Shows } from './facts.ts'

export const listStickySessions: Shows = {
  success({ id, body, at }, { assumptions: { timeZone } }) {
    const listed = body as Fields[]
    const sessions = listed.flatMap((one) => readSession(one, timeZone, at))
    const ttl = listed[0]?.['ttl']
    const activeFields = listed.length > 0 && { status: 'Active', product_type: 'ppr', 'sticky/ttl': ttl }
    const all = sessions.length === listed.length ? sessions : undefined
    return { shownFacts: serviceFacts(id, { ...activeFields, 'sticky/sessions': all }) }
  },
}

/** Reads a session, which began before it was listed; empty if it has another shape. */
function readSession({ server, session, ip, ttl, expires_at }: Fields, zone: string, at: number): Fields[] {
  const since = Math.min(at, parseTime(expires_at, zone) - Number(ttl) * 60_000)
  if (!Number.isFinite(since) || server === undefined || session === undefined) return []
  return [{ server, session, ip, rotations: 0, since: toIsoString(since) }]
}
