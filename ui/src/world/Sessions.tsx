import { useMemo } from 'preact/hooks'
import type { Patch } from '../lib/types.ts'
import { timeLeft } from '../lib/format.ts'
import type { Service, StickySession } from '../lib/types.ts'
import { Bar } from '../parts/Bar.tsx'
import { EditableChoice } from '../parts/EditableChoice.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { Table, type Column } from '../parts/Table.tsx'
import { savePatch } from '../state/change.ts'
import { useWorld } from '../state/pastWorld.ts'
import { useNow } from '../state/useNow.ts'

interface SessionRow extends StickySession {
  service: string
  /** In the service's list */
  index: number
  /** Minutes */
  ttl: number
}

const none: Record<string, Service> = {}

/** What the API takes, in minutes */
const ttls = ['1', '2', '3', '5', '10', '15']

/** Sticky sessions with the time that they have left, by the account's clock. */
export function Sessions() {
  const services = useWorld((world) => world.services) ?? none
  const rows = useMemo(
    () =>
      Object.entries(services).flatMap(([service, { sticky }]): SessionRow[] =>
        (sticky?.sessions ?? []).map((session, index) => ({
          ...session,
          index,
          service,
          ttl: sticky?.ttl ?? 0,
        })),
      ),
    [services],
  )
  const columns: Column<SessionRow>[] = [
    { name: 'Service', cell: ({ service }) => <b>{service}</b> },
    { name: 'Server', cell: (row) => <Cell row={row} field="server" /> },
    { name: 'Session', cell: (row) => <Cell row={row} field="session" /> },
    { name: 'Address', cell: (row) => <Cell row={row} field="ip" /> },
    {
      name: 'TTL, min',
      cell: ({ service, ttl }) => (
        <EditableChoice
          label={`TTL of service ${service}`}
          value={String(ttl)}
          options={ttls}
          onSave={(to) => saveSticky(service, { ttl: Number(to) }, `The TTL is ${to} min.`)}
        />
      ),
    },
    { name: 'Time left', cell: (session) => <TimeLeft {...session} /> },
  ]
  return (
    <Table
      label="Sticky sessions"
      kind="sessions"
      rows={rows}
      keyOf={({ service, index }) => `${service} ${index}`}
      columns={columns}
      narrowLines={4}
      empty="There is no sticky session. Only rotating services (ppr) have them."
    />
  )
}

function Cell({ row, field }: { row: SessionRow; field: 'server' | 'session' | 'ip' }) {
  const sessions = useWorld((world) => world.services[row.service]?.sticky?.sessions) ?? []
  return (
    <EditableText
      label={`${field} of session ${row.server}/${row.session}`}
      value={row[field]}
      onSave={(to) =>
        saveSticky(
          row.service,
          {
            // A list is replaced whole.
            sessions: sessions.map((one, i) => (i === row.index ? { ...one, [field]: to } : one)),
          },
          `${field} of the session is ${to}.`,
        )
      }
    />
  )
}

function saveSticky(service: string, sticky: Patch, done: string): Promise<string | undefined> {
  return savePatch({ services: { [service]: { sticky } } }, done)
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
