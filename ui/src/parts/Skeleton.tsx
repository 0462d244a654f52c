/** Gray placeholders for the toolbar and rows while the state loads. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: 12 }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}
