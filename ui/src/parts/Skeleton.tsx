/** Grey shapes where toolbar and rows will be, until the state has been read. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: 12 }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}
