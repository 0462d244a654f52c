import { proxyAddresses } from './addresses.ts'
import { formatDateTime, type Instant, type TimeZone } from '../world/time.ts'

export interface Sticky {
  /** Minutes */
  ttl: number
  sessions: StickySession[]
}

export interface StickySession {
  server: string
  session: string
  /** The session's current address */
  ip: string
  /** Number of rotations so far. The address is derived from it. */
  rotations: number
  /** Start of the TTL (ISO 8601) */
  since: string
}

function expiry(since: string, ttl: number): Instant {
  return Date.parse(since) + ttl * 60_000
}

/** The sessions whose TTL hasn't expired. Expired ones are treated as missing, even if they are still stored. */
export function liveSessions({ ttl, sessions }: Sticky, now: Instant): StickySession[] {
  return sessions.filter(({ since }) => now < expiry(since, ttl))
}

/** A session in the API's form. @param ttl minutes */
export function sessionRecord(
  { server, session, ip, since }: StickySession,
  ttl: number,
  { timeZone }: { timeZone: TimeZone },
) {
  return { server, session, ip, ttl, expires_at: formatDateTime(expiry(since, ttl), timeZone) }
}

/** The address of a session after a number of rotations. It differs from its last 65,535 addresses. */
export function sessionAddress(
  seed: number,
  id: string,
  { server, session, rotations }: Pick<StickySession, 'server' | 'session' | 'rotations'>,
): string {
  return proxyAddresses(1, [seed, 'session', id, server, session, 0], rotations)[0] as string
}
