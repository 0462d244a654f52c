import { isObject } from '../../world/mergePatch.ts'
import { instantOf, parseDateTime } from '../../world/time.ts'
import type { StickySession } from '../../world/World.ts'
import type { Answer } from '../Exchange.ts'
import { implied, impliedService, itemsOf, seen, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

/** A session as stored in the world; undefined if the record has another shape. */
export function sessionOf(item: unknown): { session: StickySession; ttl: number } | undefined {
  if (!isObject(item)) return undefined
  const { server, session, ip, ttl, expires_at } = item
  const expires = typeof expires_at === 'string' ? parseDateTime(expires_at) : Number.NaN
  const minutes = typed(ttl, { type: 'number' })
  if (typeof server !== 'string' || typeof session !== 'string' || typeof minutes !== 'number')
    return undefined
  if (typeof ip !== 'string' || Number.isNaN(expires)) return undefined
  return {
    session: { server, session, ip, rotations: 0, since: instantOf(expires - minutes * 60_000) },
    ttl: minutes,
  }
}

/** The path of a session; names are encoded because they can contain anything. */
export function sessionPath({ id = '', server = '', session = '' }: Record<string, string>): string {
  return `services/${id}/sticky/sessions/${encodeURIComponent(server)}/${encodeURIComponent(session)}`
}

const living = { status: 'Active', product_type: 'ppr' }

export const sessions: Extractor = (exchange, base) => {
  if (exchange.response.status === 422) return [implied(base, false)]
  const list = itemsOf(exchange)
  if (!list) return []
  if (list.items.length === 0) return [...impliedService(base), ...seen(`${base}/sticky/sessions`, [])]
  const found = list.items.map(sessionOf)
  const known = found.filter((one) => one !== undefined)
  const areKnown = known.length === found.length
  return [
    ...impliedService(base, living),
    ...seen(`${base}/sticky/ttl`, known[0]?.ttl),
    ...seen(`${base}/sticky/sessions`, areKnown ? known.map(({ session }) => session) : undefined),
  ]
}

export const rotated: Extractor = ({ path, response }, base) => {
  if (response.status !== 200) return []
  return [
    ...impliedService(base, living),
    ...seen(`${base}/sticky/ttl`, sessionOf(response.value)?.ttl),
    // It existed before, but we don't know since when.
    implied(sessionPath(path), true),
  ]
}

/** 19 and 20 succeed for an active ppr service, and return nothing for any other. */
export const ttlOrReset: Extractor = ({ response }, base) =>
  response.status === 200 ? impliedService(base, isDone(response) ? living : { dead: true }) : []

/** If 19 and 20 succeed, the documentation doesn't say what they return; if they don't, the response is empty. */
export function isDone({ body, value }: Answer): boolean {
  return body !== '' && !Array.isArray(value)
}
