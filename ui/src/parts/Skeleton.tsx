/** Grey shapes where toolbar and rows will be, until the state has been read. */
export function Skeleton({ rows = 12 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      <span class="skeleton-bar" />
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} class="skeleton-row" />
      ))}
    </div>
  )
}
