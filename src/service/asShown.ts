import type { Sticky } from './sticky.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The fields of a record as responses show them. Counters that no response shows become what a client can see: that the IP list, or
 * the address of a session, is another one than before.
 * @param original the record before the changes
 */
export function asShown(record: Fields, original: Fields): Fields {
  const { list_version: version = 0, sticky, ...fields } = record
  const { list_version: oldVersion = 0, sticky: oldSticky } = original
  return {
    ...fields,
    ...(version !== oldVersion && { 'IP list': 'renewed' }),
    ...(sticky !== undefined && { sticky: showSessions(sticky as Sticky, oldSticky as Sticky | undefined) }),
  }
}

function showSessions({ ttl, sessions }: Sticky, old: Sticky | undefined): Fields {
  const shown = sessions.map(({ server, session, ip }) => {
    const before = old?.sessions.find((one) => one.server === server && one.session === session)
    return { server, session, ...(before && before.ip !== ip && { address: 'renewed' }) }
  })
  return { ttl, sessions: shown }
}
