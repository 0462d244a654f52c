import { parseTime, readTtl, serviceFacts, type Fields } from '../facts.ts'
import { toIsoString } from '../../world/time.ts'
import type { Assumptions } from '../values.ts'
import { refuseWith, type Refuse } from '../refuse.ts'
import { isActiveRotating } from '../services.ts'
import { liveSessions, sessionRecord } from '../sticky.ts'
import type { Operation, Run } from './Operation.ts'

const refuse: Refuse<'listStickySessions'> = refuseWith

const run: Run<'listStickySessions'> = (input, world, now) => {
  const { id } = input.requirePath()
  const service = world.services.get(id) ?? refuse('upstream-error', `there is no service ${id}`)
  if (!isActiveRotating(service)) return { body: [] }
  const { sticky } = service
  return {
    body: liveSessions(sticky, now).map((session) => sessionRecord(session, sticky.ttl, world.assumptions)),
  }
}

export const listStickySessions: Operation<'listStickySessions'> = {
  run,
  dependsOnTime: true,
  shows: ({ id, body }, { assumptions }) => {
    const sessions = (body as Fields[]).flatMap((one) => readSession(one, assumptions))
    const listed = body as Fields[]
    const [ttl] = listed.flatMap((one) => readTtl(one['ttl']) ?? [])
    const activeFields = listed.length > 0 && { status: 'Active', product_type: 'ppr', 'sticky/ttl': ttl }
    const all = sessions.length === listed.length ? sessions : undefined
    return { shownFacts: serviceFacts(id, { ...activeFields, 'sticky/sessions': all }) }
  },
}

/** Reads a session; empty if a field is missing or invalid. */
function readSession({ server, session, ip, ttl, expires_at }: Fields, { timeZone }: Assumptions): Fields[] {
  const since = parseTime(expires_at, timeZone) - Number(readTtl(ttl)) * 60_000
  if (Number.isNaN(since) || server === undefined || session === undefined) return []
  return [{ server, session, ip, rotations: 0, since: toIsoString(since) }]
}
