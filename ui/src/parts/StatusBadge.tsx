import { outcomeOf } from '../requests/timelineBars.ts'

/** An HTTP status, coloured by its class; none where the connection was dropped. */
export function StatusBadge({ status }: { status: number | null }) {
  return <span class={`badge badge-${outcomeOf(status)}`}>{status ?? 'lost'}</span>
}
