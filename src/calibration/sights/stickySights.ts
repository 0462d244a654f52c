import { isObject } from '../../world/mergePatch.ts'
import { instantOf } from '../../world/time.ts'
import type { StickySession } from '../../world/World.ts'
import { implied, impliedService, isId, itemsOf, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

/** A session as stored in the world; undefined if the record has another shape. */
export function sessionOf(item: unknown): { session: StickySession; ttl: number } | undefined {
  if (!isObject(item)) return undefined
  const { server, session, ip, ttl, expires_at } = item
  const expires = typeof expires_at === 'string' ? Date.parse(`${expires_at.replace(' ', 'T')}Z`) : Number.NaN
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

export const sessions: Extractor = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (exchange.response.status === 422 && isId(id)) return { sights: [implied(`services/${id}`, false)] }
  if (!list || !isId(id)) return { sights: [] }
  if (list.items.length === 0)
    return { sights: [...impliedService(id), { path: `services/${id}/sticky/sessions`, value: [] }] }
  const found = list.items.map(sessionOf)
  const known = found.filter((one) => one !== undefined)
  return {
    sights: [
      ...impliedService(id, living),
      ...(known[0] ? [{ path: `services/${id}/sticky/ttl`, value: known[0].ttl }] : []),
      ...(known.length === found.length
        ? [{ path: `services/${id}/sticky/sessions`, value: known.map(({ session }) => session) }]
        : []),
    ],
  }
}

export const rotated: Extractor = ({ path, response }) => {
  const { id = '' } = path
  if (response.status !== 200) return { sights: [] }
  const found = sessionOf(response.value)
  return {
    sights: [
      ...impliedService(id, living),
      ...(found && isId(id) ? [{ path: `services/${id}/sticky/ttl`, value: found.ttl }] : []),
      // It existed before, but we don't know since when.
      ...(isId(id) ? [implied(sessionPath(path), true)] : []),
    ],
  }
}

/** 19 and 20 succeed for an active ppr service, and return nothing for any other. */
export const ttlOrReset: Extractor = ({ path, response }) => {
  const { id = '' } = path
  if (response.status !== 200) return { sights: [] }
  const done = response.body !== '' && !Array.isArray(response.value)
  return { sights: impliedService(id, done ? living : { dead: true }) }
}
