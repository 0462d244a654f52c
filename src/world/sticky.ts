import { increment } from './numbers.ts'
import { proxyAddress } from './addresses.ts'
import { refuse } from './Refusal.ts'
import type { RotatingService } from './services.ts'
import { dateTimeOf, instantOf, type Instant } from './time.ts'
import type { PatchOf, Service, Sticky, StickySession, World } from './World.ts'

/** A sticky session as the API shows it. */
export interface StickySessionRecord {
  server: string
  session: string
  ip: string
  /** Minutes */
  ttl: number
  /** YYYY-MM-DD HH:MM:SS */
  expires_at: string
}

const minute = 60_000

function expiry(session: StickySession, ttl: number): Instant {
  return Date.parse(session.since) + ttl * minute
}

/** The sessions whose TTL hasn't expired. */
export function livingSessions({ ttl, sessions }: Sticky, now: Instant): StickySession[] {
  return sessions.filter((session) => now < expiry(session, ttl))
}

/** A session as the API shows it. */
export function sessionRecord(session: StickySession, ttl: number): StickySessionRecord {
  const { server, ip } = session
  return { server, session: session.session, ip, ttl, expires_at: dateTimeOf(expiry(session, ttl)) }
}

/** The address of a session after this many rotations. */
export function sessionAddress(
  seed: number,
  id: string,
  { server, session, rotations }: Pick<StickySession, 'server' | 'session' | 'rotations'>,
): string {
  return proxyAddress([seed, 'session', id, server, session, 0], rotations)
}

/** Gives a live session another address and restarts its TTL. */
export function rotate(
  world: World,
  id: string,
  { sticky }: RotatingService,
  wanted: { server: string; session: string },
  now: Instant,
): { rotated: StickySessionRecord; change: PatchOf<Service> } {
  const { ttl } = sticky
  const living = livingSessions(sticky, now)
  const old = living.find(({ server, session }) => server === wanted.server && session === wanted.session)
  if (!old)
    refuse(
      'unprocessable',
      `service ${id} has no live session ${wanted.session} on server ${wanted.server} (${living.length} live)`,
    )
  const renewed = { ...old, since: instantOf(now) }
  const next = (): void => {
    renewed.rotations = increment(renewed.rotations)
    renewed.ip = sessionAddress(world.seed, id, renewed)
  }
  next()
  if (renewed.ip === old.ip) next() // an explicit address can equal the next derived one, but not the one after
  const sessions = living.map((session) => (session === old ? renewed : session))
  return { rotated: sessionRecord(renewed, ttl), change: { sticky: { sessions } } }
}

/** Sets the TTL (minutes), which counts from now for live sessions. */
export function changeTtl({ sticky }: RotatingService, ttl: number, now: Instant): PatchOf<Service> {
  const since = instantOf(now)
  const sessions = livingSessions(sticky, now).map((session) => ({ ...session, since }))
  return { sticky: { ttl, sessions } }
}

/** Removes sessions whose TTL has expired by `now`; undefined if there are none. */
export function expireSessions(world: World, now: Instant): Record<string, PatchOf<Service>> | undefined {
  const gone: Record<string, PatchOf<Service>> = {}
  for (const [id, { sticky }] of world.services.entries()) {
    if (!sticky?.sessions.length) continue
    const sessions = livingSessions(sticky, now)
    if (sessions.length < sticky.sessions.length) gone[id] = { sticky: { sessions } }
  }
  return Object.keys(gone).length ? gone : undefined
}
