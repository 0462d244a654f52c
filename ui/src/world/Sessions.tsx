import { useMemo } from 'preact/hooks'
import { timeLeft } from '../lib/format.ts'
import type { Service, StickySession } from '../lib/types.ts'
import { Bar } from '../parts/Bar.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { useWorld } from '../state/pastWorld.ts'
import { useNow } from '../state/useNow.ts'

interface SessionRow extends StickySession {
  service: string
  /** Minutes */
  ttl: number
}

const none: Record<string, Service> = {}

/** Sticky sessions with the time that they have left, by the account's clock. */
export function Sessions() {
  const services = useWorld((world) => world.services) ?? none
  const rows = useMemo(
    () =>
      Object.entries(services).flatMap(([service, { sticky }]): SessionRow[] =>
        (sticky?.sessions ?? []).map((session) => ({ ...session, service, ttl: sticky?.ttl ?? 0 })),
      ),
    [services],
  )
  const columns: Column<SessionRow>[] = [
    { name: 'Service', cell: ({ service }) => <b>{service}</b> },
    { name: 'Server', cell: ({ server }) => server },
    { name: 'Session', cell: ({ session }) => session },
    { name: 'Address', cell: ({ ip }) => <code>{ip}</code> },
    { name: 'TTL', cell: ({ ttl }) => `${ttl} min` },
    { name: 'Time left', cell: (session) => <TimeLeft {...session} /> },
  ]
  return (
    <Table
      label="Sticky sessions"
      kind="sessions"
      rows={rows}
      keyOf={({ service, server, session }) => `${service} ${server} ${session}`}
      columns={columns}
      narrowLines={3}
      empty="There is no sticky session. Only rotating services (ppr) have them."
    />
  )
}

function TimeLeft({ since, ttl }: SessionRow) {
  const now = useNow()
  const left = Date.parse(since) + ttl * 60_000 - now
  return (
    <span class="time-left">
      <Bar share={left / (ttl * 60_000)} /> {timeLeft(left)}
    </span>
  )
}
