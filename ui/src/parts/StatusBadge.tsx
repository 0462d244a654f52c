/** An HTTP status, coloured by its class; none where the connection was dropped. */
export function StatusBadge({ status }: { status: number | null }) {
  const kind = status === null ? 'lost' : status < 300 ? 'good' : status < 500 ? 'bad' : 'broken'
  return <span class={`badge badge-${kind}`}>{status ?? 'lost'}</span>
}
