/** A share (0 to 1) as a bar; the number itself stands beside it. */
export function Bar({ share }: { share: number }) {
  const percent = Math.min(100, Math.max(0, share * 100))
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  )
}
