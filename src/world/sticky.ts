import { proxyAddresses } from './ipv4.ts'
import { refuse } from './Refusal.ts'
import { dateTimeOf, instantOf, type Instant } from './time.ts'
import type { Service, Sticky, StickySession, World } from './World.ts'
import type { PatchOf } from './WorldChange.ts'

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

/** The sessions that have not outlived their TTL. */
export function livingSessions({ ttl, sessions }: Sticky, now: Instant): StickySession[] {
  return sessions.filter((session) => now < expiry(session, ttl))
}

/** A session as the API shows it. */
export function sessionRecord(session: StickySession, ttl: number): StickySessionRecord {
  const { server, ip } = session
  return { server, session: session.session, ip, ttl, expires_at: dateTimeOf(expiry(session, ttl)) }
}

/** The address of a session after so many rotations. */
export function sessionAddress(
  seed: number,
  id: string,
  session: Pick<StickySession, 'server' | 'session' | 'rotations'>,
): string {
  return proxyAddresses(1, [
    seed,
    'session',
    id,
    session.server,
    session.session,
    session.rotations,
  ])[0] as string
}

/** Gives a living session another address and a new TTL. */
export function rotate(
  world: World,
  id: string,
  service: Service,
  wanted: { server: string; session: string },
  now: Instant,
): { rotated: StickySessionRecord; change: PatchOf<Service> } {
  const { ttl } = stickyOf(service)
  const living = livingSessions(stickyOf(service), now)
  const old = living.find(({ server, session }) => server === wanted.server && session === wanted.session)
  if (!old)
    refuse(
      'unprocessable',
      `service ${id} has no living session ${wanted.session} on server ${wanted.server} (${living.length} living)`,
    )
  const renewed = { ...old, since: instantOf(now) }
  do {
    renewed.rotations++
    renewed.ip = sessionAddress(world.seed, id, renewed)
  } while (renewed.ip === old.ip)
  const sessions = living.map((session) => (session === old ? renewed : session))
  return { rotated: sessionRecord(renewed, ttl), change: { sticky: { sessions } } }
}

/** Sets the TTL (minutes); living sessions have that long from now on. */
export function changeTtl(service: Service, ttl: number, now: Instant): PatchOf<Service> {
  const since = instantOf(now)
  const sessions = livingSessions(stickyOf(service), now).map((session) => ({ ...session, since }))
  return { sticky: { ttl, sessions } }
}

/** What falls due by `now`: sessions that have outlived their TTL are removed. Undefined where nothing does. */
export function expireSessions(world: World, now: Instant): Record<string, PatchOf<Service>> | undefined {
  const gone: Record<string, PatchOf<Service>> = {}
  for (const [id, { sticky }] of Object.entries(world.services)) {
    if (!sticky?.sessions.length) continue
    const sessions = livingSessions(sticky, now)
    if (sessions.length < sticky.sessions.length) gone[id] = { sticky: { sessions } }
  }
  return Object.keys(gone).length ? gone : undefined
}

/** A service's sticky settings; a rotating service has them from the start. */
export function stickyOf(service: Service): Sticky {
  return service.sticky ?? { ttl: 10, sessions: [] }
}
